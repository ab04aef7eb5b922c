/** The form of a sweep: varied fields, their values, and the engine. */
import { Button, FileButton, Input, NativeSelect, Text, TextInput } from '@mantine/core';
import { IconDownload, IconFolderOpen, IconPlayerPlayFilled, IconPlus } from '@tabler/icons-react';
import { useMemo } from 'react';
import { amountText } from '../../core/apps/sweep/amounts.ts';
import { parseSweep } from '../../core/apps/sweep/parse.ts';
import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import { templates } from '../../core/experiment/templates/templates.ts';
import { saveBlob } from '../common/files.ts';
import { FieldCard, Page } from '../common/Page.tsx';
import { EnginePicker } from '../engine/EnginePicker.tsx';
import { effectiveEngine, engineOptions } from '../store/engines.ts';
import { attempt, host } from '../store/host.ts';
import { readExperiment } from '../store/pages.ts';
import { useApp, useDerived } from '../store/store.ts';
import { AsJobsForm, useJobsDraft } from './AsJobsForm.tsx';
import { AxisForm } from './AxisForm.tsx';
import { startSweep, submitSweep } from './actions.ts';
import { axisFor, type Choice, choicesOf, documentOf, followers, type SweepDraft, templateOf } from './draft.ts';
import classes from './Setup.module.css';
import { openSweepFile, setDraft, useDraft } from './setup.ts';

export function SetupPage() {
  const draft = useDraft();
  const parsed = useMemo(() => parseSweep(documentOf(draft)), [draft]);
  const problems = parsed.ok ? [] : parsed.problems;
  const choices = useMemo(() => choicesOf(draft), [draft]);
  const plan = parsed.ok ? parsed.plan : null;
  const at = (field: string): readonly ErrorInfo[] => problems.filter((problem) => problem.field?.startsWith(field));
  return (
    <Page
      title="New sweep"
      about="One program, run again and again with one or two things varied: a number, or which memory, stream or strategy."
    >
      <TextInput
        label="Name"
        value={draft.name}
        maxLength={200}
        error={at('name')[0]?.message}
        onChange={({ currentTarget: { value } }) => setDraft({ name: value })}
      />
      <BaseForm draft={draft} problems={at('base')} />
      {draft.axes.map((axis, index) => (
        <AxisForm
          // biome-ignore lint/suspicious/noArrayIndexKey: an axis is known by its place.
          key={index}
          axis={axis}
          number={index}
          choices={choices}
          followers={(target) => followers(draft, target)}
          canName={draft.base.kind === 'experiment'}
          planned={plan?.axes[index] ?? null}
          problems={at(`axes[${index}]`)}
          onChange={(changed) => setDraft({ axes: draft.axes.map((one, place) => (place === index ? changed : one)) })}
          {...(draft.axes.length > 1
            ? { onRemove: () => setDraft({ axes: draft.axes.filter((_, place) => place !== index) }) }
            : {})}
        />
      ))}
      {draft.axes.length < 2 ? (
        <div>
          <Button
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() =>
              setDraft({
                axes: [...draft.axes, axisFor(draft, secondChoice(draft, choices))],
              })
            }
          >
            Vary something else too
          </Button>
        </div>
      ) : null}
      <RunBar draft={draft} plan={plan} problems={problems.filter(({ field }) => field === 'axes')} />
    </Page>
  );
}

/** Returns the field suggested for the second axis: names before numbers, since they become lines of the chart. */
function secondChoice({ axes }: SweepDraft, choices: readonly Choice[]): Choice | undefined {
  const taken = new Set(axes.flatMap(({ target, also }) => [target, ...also]));
  const free = choices.filter(({ target }) => !taken.has(target));
  return free.find(({ names }) => names?.now === 'pageable' || names?.now === 'pinned') ?? free[0] ?? choices[0];
}

interface BaseProps {
  readonly draft: SweepDraft;
  readonly problems: readonly ErrorInfo[];
}

function BaseForm({ draft, problems }: BaseProps) {
  const { base } = draft;
  const examples = useApp((state) => state.examples);
  const experiments = useApp((state) => state.experiments);
  const open = base.kind === 'experiment' ? [{ value: 'open', label: base.experiment.name }] : [];
  return (
    <FieldCard legend="Program to run">
      <NativeSelect
        label="Program"
        value={base.kind === 'template' ? `template:${base.template}` : 'open'}
        onChange={({ currentTarget: { value } }) => void choose(value)}
        data={[
          ...(open.length > 0 ? [{ group: 'Chosen', items: open }] : []),
          { group: 'Templates', items: templates.map(({ id, title }) => ({ value: `template:${id}`, label: title })) },
          {
            group: 'Experiments',
            items: experiments
              .filter(({ problem }) => problem === undefined)
              .map(({ id, name }) => ({ value: `experiment:${id}`, label: name })),
          },
          { group: 'Examples', items: examples.map(({ id, name }) => ({ value: `example:${id}`, label: name })) },
        ].filter(({ items }) => items.length > 0)}
      />
      {base.kind === 'template' ? <Parameters draft={draft} problems={problems} /> : null}
      {problems
        .filter(({ field }) => !field?.startsWith('base.parameters.'))
        .map(({ field, message, remedy }) => (
          <p key={`${field}${message}`} className={classes['problem']} role="alert">
            {message} {remedy}
          </p>
        ))}
    </FieldCard>
  );
}

/** Takes another program, and varies its first size, else its first number. */
const choose = (value: string): Promise<void> =>
  attempt('The program could not be read', async () => {
    const [kind, id] = [value.slice(0, value.indexOf(':')), value.slice(value.indexOf(':') + 1)];
    if (value === 'open') return;
    const base: SweepDraft['base'] =
      kind === 'template'
        ? { kind, template: id, parameters: {} }
        : {
            kind: 'experiment',
            experiment: await (kind === 'example' ? host().readExample(id) : readExperiment(id)),
          };
    const choices = choicesOf({ base });
    const name = base.kind === 'template' ? (templateOf(id)?.title ?? id) : base.experiment.name;
    setDraft({
      name: `Sweep of ${name}`.slice(0, 200),
      description: '',
      base,
      axes: [axisFor({ base }, choices.find(({ unit }) => unit === 'B') ?? choices[0])],
    });
  });

/** The template's numbers that no axis varies. */
function Parameters({ draft, problems }: BaseProps) {
  const { base, axes } = draft;
  if (base.kind !== 'template') return null;
  const varied = new Set(axes.map(({ target }) => target));
  const fixed = (templateOf(base.template)?.parameters ?? []).filter(({ name }) => !varied.has(name));
  return (
    <div className={classes['fields']}>
      {fixed.map(({ name, label, unit, standard }) => (
        <TextInput
          key={name}
          label={label}
          size="xs"
          placeholder={amountText(standard, unit)}
          value={base.parameters[name] ?? ''}
          error={problems.find(({ field }) => field === `base.parameters.${name}`)?.message}
          onChange={({ currentTarget: { value } }) => {
            const { [name]: _, ...others } = base.parameters;
            setDraft({ base: { ...base, parameters: value.trim() === '' ? others : { ...others, [name]: value } } });
          }}
        />
      ))}
    </div>
  );
}

interface RunBarProps {
  readonly draft: SweepDraft;
  readonly plan: SweepPlan | null;
  readonly problems: readonly ErrorInfo[];
}

function RunBar({ draft, plan, problems }: RunBarProps) {
  const options = useDerived((state) => engineOptions(state.devices, state.profiles, []));
  const engine = effectiveEngine(
    options,
    useApp((state) => state.engine),
  );
  const hasSlurm = useApp((state) => state.slurm !== null);
  const { isOn, engine: engineOfNodes, pointsPerJob } = useJobsDraft();
  const asJobs = hasSlurm && isOn;
  const points = Number(pointsPerJob);
  const isGood = Number.isInteger(points) && points >= 1 && points <= 1000;
  const connected = useApp((state) => state.connection.status === 'open');
  const count = Number(draft.iterations);
  const isBad = draft.iterations.trim() !== '' && !(Number.isInteger(count) && count >= 1 && count <= 1000);
  const iterations = draft.iterations.trim() === '' ? null : count;
  return (
    <FieldCard legend="Run">
      <div className={classes['fields']}>
        {!asJobs ? (
          <div className={classes['engine']}>
            <Input.Label size="xs" labelElement="div">
              Engine
            </Input.Label>
            <EnginePicker options={options} />
          </div>
        ) : null}
        <AsJobsForm isGood={isGood} />
        <TextInput
          label="Iterations of each point"
          size="xs"
          placeholder="unchanged"
          value={draft.iterations}
          error={isBad ? 'Write a whole number from 1 to 1000.' : null}
          onChange={({ currentTarget: { value } }) => setDraft({ iterations: value })}
        />
      </div>
      {problems.map(({ message, remedy }) => (
        <p key={message} className={classes['problem']} role="alert">
          {message} {remedy}
        </p>
      ))}
      <div className={classes['bar']}>
        <Button
          leftSection={<IconPlayerPlayFilled size={13} aria-hidden />}
          disabled={plan === null || (asJobs ? !isGood : engine === null) || isBad || !connected}
          onClick={() => {
            if (plan === null) return;
            if (asJobs) void submitSweep(plan.document, { engine: engineOfNodes, pointsPerJob: points }, iterations);
            else if (engine !== null) void startSweep(plan.document, engine, iterations);
          }}
        >
          {plan === null
            ? 'Run'
            : `${asJobs ? 'Submit' : 'Run'} ${plan.count} ${plan.count === 1 ? 'point' : 'points'}`}
        </Button>
        <FileButton onChange={(file) => file !== null && void open(file)} accept=".json">
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconFolderOpen size={14} aria-hidden />}>
              Open JSON…
            </Button>
          )}
        </FileButton>
        <Button
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          disabled={plan === null}
          onClick={() => plan !== null && saveDocument(plan)}
        >
          Save as JSON
        </Button>
        <Text size="xs" c="dimmed" component="span">
          {plan === null
            ? 'Correct what is marked above.'
            : `${plan.axes.length > 1 ? `${plan.axes.map(({ values }) => values.length).join(' × ')} = ` : ''}${plan.count} runs, ${asJobs ? 'as one array of jobs' : 'one after another'}. copyscope sweep runs the JSON.`}
        </Text>
      </div>
    </FieldCard>
  );
}

const open = (file: File): Promise<void> => attempt(`${file.name} could not be opened`, () => openSweepFile(file));

const saveDocument = ({ document }: SweepPlan): void =>
  saveBlob(
    `${document.name.toLowerCase().replace(/[^a-z0-9]+/g, '-') || 'sweep'}.sweep.json`,
    new Blob([`${JSON.stringify(document, null, 2)}\n`], { type: 'application/json' }),
  );
