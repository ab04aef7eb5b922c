/** The form of an axis: a number with its values as a list or a range, or a choice of names. */
import { ActionIcon, MultiSelect, NativeSelect, SegmentedControl, Select, TextInput, Tooltip } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { amountText, axisText } from '../../core/apps/sweep/amounts.ts';
import type { PlannedAxis } from '../../core/apps/sweep/plan.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import type { ParameterUnit } from '../../core/experiment/templates/parameters.ts';
import { FieldCard } from '../common/Page.tsx';
import { type AxisDraft, type Choice, listed, suggestedAxis } from './draft.ts';
import classes from './Setup.module.css';

interface Props {
  readonly axis: AxisDraft;
  readonly number: number;
  readonly choices: readonly Choice[];
  /** Returns fields that get the same values by default. */
  readonly followers: (target: string) => readonly string[];
  /** True for fields of an experiment, of which several may get the same value. */
  readonly canName: boolean;
  /** Null while a field has a problem. */
  readonly planned: PlannedAxis | null;
  readonly problems: readonly ErrorInfo[];
  readonly onChange: (axis: AxisDraft) => void;
  readonly onRemove?: () => void;
}

const title = (number: number): string => (number === 0 ? 'First axis' : 'Second axis');

export function AxisForm(props: Props) {
  const { axis, number, choices, followers, canName, planned, problems, onChange, onRemove } = props;
  const chosen = choices.find(({ target }) => target === axis.target);
  const set = (change: Partial<AxisDraft>): void => onChange({ ...axis, ...change });
  const choose = (target: string | null): void =>
    onChange({
      ...suggestedAxis(choices.find((choice) => choice.target === target)),
      target: target ?? '',
      also: followers(target ?? ''),
    });
  return (
    <FieldCard legend={title(number)} aria-label={title(number)}>
      <div className={classes['target']}>
        <Select
          label="Varied field"
          searchable
          data={labelled(choices)}
          value={axis.target === '' ? null : axis.target}
          onChange={choose}
          nothingFoundMessage="Nothing has that name."
          comboboxProps={{ withinPortal: true }}
        />
        {onRemove === undefined ? null : (
          <Tooltip label="Vary only one thing">
            <ActionIcon aria-label={`Remove the ${title(number).toLowerCase()}`} onClick={onRemove}>
              <IconX size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
      {canName && chosen !== undefined ? <Also axis={axis} chosen={chosen} choices={choices} set={set} /> : null}
      {chosen?.names == null ? <Numbers axis={axis} number={number} chosen={chosen} set={set} /> : null}
      {chosen?.names == null ? null : <Names axis={axis} options={chosen.names.options} set={set} />}
      {problems.map(({ field, message, remedy }) => (
        <p key={`${field}${message}`} className={classes['problem']} role="alert">
          {message} {remedy}
        </p>
      ))}
      {planned === null ? null : <p className={classes['hint']}>{preview(planned)}</p>}
    </FieldCard>
  );
}

interface PartProps {
  readonly axis: AxisDraft;
  readonly set: (change: Partial<AxisDraft>) => void;
}

interface NumbersProps extends PartProps {
  readonly number: number;
  readonly chosen: Choice | undefined;
}

const examples: Readonly<Record<ParameterUnit, string>> = {
  B: '1 MiB, 2 MiB, 4 MiB',
  ns: '20 µs, 50 µs',
  count: '1, 2, 4',
};

function Numbers({ axis, number, chosen, set }: NumbersProps) {
  const text = (name: 'list' | 'from' | 'to' | 'points', label: string, placeholder?: string) => (
    <TextInput
      label={label}
      size="xs"
      placeholder={placeholder}
      value={axis[name]}
      onChange={({ currentTarget: { value } }) => set({ [name]: value })}
    />
  );
  return (
    <>
      <SegmentedControl
        className={classes['as'] ?? ''}
        size="xs"
        aria-label={`Values of the ${title(number).toLowerCase()}`}
        value={axis.as}
        onChange={(as) => set({ as: as === 'list' ? 'list' : 'range' })}
        data={[
          { value: 'range', label: 'Range' },
          { value: 'list', label: 'List' },
        ]}
      />
      {axis.as === 'list' ? (
        text('list', 'Values', examples[chosen?.unit ?? 'count'])
      ) : (
        <div className={classes['fields']}>
          {text('from', 'From')}
          {text('to', 'To')}
          {text('points', 'Number of values')}
          <NativeSelect
            label="Steps"
            size="xs"
            value={axis.scale}
            onChange={({ currentTarget: { value } }) => set({ scale: value === 'linear' ? 'linear' : 'geometric' })}
            data={[
              { value: 'geometric', label: 'equal factors' },
              { value: 'linear', label: 'equal steps' },
            ]}
          />
        </div>
      )}
    </>
  );
}

/** Picks the names to run. */
function Names({ axis, options, set }: PartProps & { readonly options: readonly string[] }) {
  return (
    <MultiSelect
      label="Values"
      size="xs"
      data={[...options]}
      value={listed(axis.list).filter((name) => options.includes(name))}
      onChange={(names) => set({ as: 'list', list: names.join(', ') })}
    />
  );
}

interface AlsoProps extends PartProps {
  readonly chosen: Choice;
  readonly choices: readonly Choice[];
}

/** Adds fields with the same values, such as the other buffer of a copy. */
function Also({ axis, chosen, choices, set }: AlsoProps) {
  const others = choices.filter(
    ({ target, unit, names }) =>
      target !== chosen.target && unit === chosen.unit && names?.options.join() === chosen.names?.options.join(),
  );
  if (others.length === 0) return null;
  return (
    <MultiSelect
      label="Also set to the same value"
      size="xs"
      searchable
      clearable
      data={labelled(others)}
      value={[...axis.also]}
      placeholder={axis.also.length === 0 ? 'nothing else' : ''}
      onChange={(also) => set({ also })}
      clearButtonProps={{ 'aria-label': 'Set nothing else' }}
    />
  );
}

/** Adds the path to fields with the same title. */
function labelled(choices: readonly Choice[]): { value: string; label: string }[] {
  const times = new Map<string, number>();
  for (const { title: text } of choices) times.set(text, (times.get(text) ?? 0) + 1);
  return choices.map(({ target, title: text, unit, value, names }) => {
    const where = (times.get(text) ?? 0) > 1 ? `, ${target}` : '';
    return { value: target, label: `${text}${where} (${names?.now ?? amountText(value, unit)})` };
  });
}

const mostPreviewed = 12;

function preview(axis: PlannedAxis): string {
  const { values } = axis;
  const shown = values.slice(0, mostPreviewed).map((value) => axisText(axis, value));
  const more = values.length > mostPreviewed ? ` and ${values.length - mostPreviewed} more` : '';
  return `${values.length} ${values.length === 1 ? 'value' : 'values'}: ${shown.join(', ')}${more}`;
}
