/** A cluster's login node, another machine or this one: what Slurm is told with every job, and what it does for this user. */
import { Button, Textarea, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconRuler2, IconServerCog } from '@tabler/icons-react';
import { useState } from 'react';
import type { ClusterCalibration, ClusterState, WorkSummary } from '../../core/service/machines.ts';
import { jobWords } from '../../core/slurm/jobWords.ts';
import type { SlurmSettings } from '../../core/slurm/settings.ts';
import { describedSubmission } from '../../core/slurm/submission.ts';
import { ProblemBox } from '../common/ProblemBox.tsx';
import { clusterLabel } from '../store/machines.ts';
import classes from './Cluster.module.css';
import { settingsOf, type TypedSettings, typedOf } from './clusterForm.ts';
import {
  askedOf,
  askSlurm,
  cancelCalibration,
  cancelWork,
  keepSettings,
  startCalibration,
  useClusters,
} from './slurmActions.ts';

interface ClusterProps {
  /** Of another machine; null is this one. */
  readonly name: string | null;
  readonly state: ClusterState;
}

export function Cluster({ name, state: { slurm, calibration } }: ClusterProps) {
  const [isOpen, setOpen] = useState(false);
  const Chevron = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <section className={classes['cluster']} aria-label={`Cluster of ${clusterLabel(name)}`}>
      <div className={classes['head']}>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<Chevron size={15} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          Slurm settings
        </Button>
        <span className={classes['hint']}>
          {slurm === null ? 'Where this machine hands jobs to Slurm.' : shortly(slurm)}
        </span>
        {slurm === null ? null : <Actions name={name} isCalibrating={calibration?.isUnderWay === true} />}
      </div>
      {isOpen ? <Form name={name} slurm={slurm} onClose={() => setOpen(false)} /> : null}
      {slurm === null ? null : <Works name={name} />}
      {calibration === null ? null : <Calibration name={name} calibration={calibration} />}
    </section>
  );
}

function shortly({ partition, account, gpus = '1', time }: SlurmSettings): string {
  return [
    partition === undefined ? null : `partition ${partition}`,
    account === undefined ? null : `account ${account}`,
    `GPUs ${gpus}`,
    time === undefined ? null : `time ${time}`,
  ]
    .filter((word) => word !== null)
    .join(', ');
}

interface ActionsProps {
  readonly name: string | null;
  readonly isCalibrating: boolean;
}

function Actions({ name, isCalibrating }: ActionsProps) {
  const { asking } = useClusters(({ asked }) => askedOf(asked, name));
  return (
    <div className={classes['actions']}>
      <Button
        variant="default"
        leftSection={<IconRuler2 size={15} aria-hidden />}
        disabled={isCalibrating}
        title="Measures a node by a job, and keeps its profile for the simulator"
        onClick={() => void startCalibration(name)}
      >
        Calibrate
      </Button>
      <Button
        variant="default"
        leftSection={<IconServerCog size={15} aria-hidden />}
        loading={asking}
        onClick={() => void askSlurm(name)}
      >
        Ask Slurm
      </Button>
    </div>
  );
}

interface CalibrationProps {
  readonly name: string | null;
  readonly calibration: ClusterCalibration;
}

/** A job that measures its node: how far it is, or what came of it. */
function Calibration({ name, calibration: { isUnderWay, jobs, said, profile, error } }: CalibrationProps) {
  const isCancelled = error?.code === 'run.cancelled';
  if (error !== null && !isCancelled) return <ProblemBox error={error} />;
  return (
    <div className={classes['calibration']}>
      <span role="status">
        {isUnderWay
          ? said || `Calibration: ${jobWords(jobs)}`
          : isCancelled
            ? 'The calibration was cancelled.'
            : `The profile ${profile ?? ''} is there: a simulated engine has it.`}
      </span>
      {isUnderWay ? (
        <Button variant="default" onClick={() => void cancelCalibration(name)}>
          Cancel the calibration
        </Button>
      ) : null}
    </div>
  );
}

/** What was asked for from here and is still kept there. */
function Works({ name }: { readonly name: string | null }) {
  const { works, error } = useClusters(({ asked }) => askedOf(asked, name));
  if (error !== null) return <ProblemBox error={error} />;
  if (works === null) return null;
  if (works.length === 0) return <p className={classes['hint']}>Slurm is there. It does nothing for Copyscope now.</p>;
  return (
    <ul className={classes['works']} aria-label={`What Slurm of ${clusterLabel(name)} does`}>
      {works.map((work) => (
        <li key={work.id}>
          <span className={classes['name']}>{work.name}</span>
          <span className={`${classes['hint']} tabular`}>{doneWords(work)}</span>
          {work.active === 0 ? null : (
            <Button
              variant="default"
              aria-label={`Cancel its jobs: ${work.name}`}
              onClick={() => void cancelWork(name, work)}
            >
              Cancel its jobs
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

const doneWords = ({ reached, points, active }: WorkSummary): string =>
  `${reached} of ${points} done, ${active === 0 ? 'no job' : active === 1 ? '1 job' : `${active} jobs`} in progress`;

/** An option a line, as a shell takes it too. */
function told(settings: SlurmSettings): string {
  const [command = '', ...script] = describedSubmission(settings);
  return [command.replaceAll(' --', ' \\\n  --'), ...script].join('\n');
}

interface FormProps {
  readonly name: string | null;
  readonly slurm: SlurmSettings | null;
  readonly onClose: () => void;
}

const words = [
  { field: 'partition', label: 'Partition', placeholder: 'the standard' },
  { field: 'account', label: 'Account', placeholder: 'yours' },
  { field: 'gpus', label: 'GPUs of a job', placeholder: '1 or h200:2' },
  { field: 'time', label: 'Time of a job', placeholder: '30 or 01:00:00' },
  { field: 'atOnce', label: 'Jobs at once', placeholder: 'as many as fit' },
] as const;

const texts = [
  { field: 'lines', label: 'Lines before the program', placeholder: 'module load cuda' },
  { field: 'options', label: 'Further options of sbatch', placeholder: '--qos=short' },
] as const;

function Form({ name, slurm, onClose }: FormProps) {
  const [typed, setTyped] = useState(() => typedOf(slurm));
  const { settings, problems } = settingsOf(typed);
  const at = (field: string): string | null =>
    problems.find((problem) => new RegExp(`^${field}(\\[|$)`).test(problem.field ?? ''))?.message ?? null;
  const set = (field: keyof TypedSettings, value: string): void => setTyped({ ...typed, [field]: value });
  const keep = async (kept: typeof settings): Promise<void> => {
    if (await keepSettings(name, kept)) onClose();
  };
  return (
    <form
      className={classes['form']}
      aria-label={`Slurm settings of ${clusterLabel(name)}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (settings !== null) void keep(settings);
      }}
    >
      <div className={classes['fields']}>
        {words.map(({ field, label, placeholder }, place) => (
          <TextInput
            key={field}
            {...{ label, placeholder }}
            size="xs"
            spellCheck={false}
            autoCapitalize="none"
            autoFocus={place === 0}
            value={typed[field]}
            error={at(field)}
            onChange={({ currentTarget: { value } }) => set(field, value)}
          />
        ))}
      </div>
      <div className={classes['texts']}>
        {texts.map(({ field, label, placeholder }) => (
          <Textarea
            key={field}
            {...{ label, placeholder }}
            description="One a line."
            size="xs"
            autosize
            minRows={2}
            maxRows={8}
            spellCheck={false}
            value={typed[field]}
            error={at(field)}
            onChange={({ currentTarget: { value } }) => set(field, value)}
          />
        ))}
      </div>
      {settings === null ? null : (
        <section aria-label="What Slurm is told">
          <p className={classes['hint']}>What Slurm is told with an array of two jobs:</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
          <pre className={classes['script']} tabIndex={0}>
            {told(settings)}
          </pre>
        </section>
      )}
      <div className={classes['bar']}>
        <Button type="submit" disabled={settings === null}>
          Keep and ask Slurm
        </Button>
        <Button variant="default" onClick={onClose}>
          Change nothing
        </Button>
        {slurm === null || name === null ? null : (
          <Button variant="default" onClick={() => void keep(null)}>
            No cluster any more
          </Button>
        )}
      </div>
    </form>
  );
}
