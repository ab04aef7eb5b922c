/** Pickers for the run of the experiment and the iteration that the timeline shows. */
import { Select } from '@mantine/core';
import type { RunSummary } from '../../../core/service/service.ts';
import { formatDuration } from '../../../core/units.ts';
import { formatMoment, ranOnWords } from '../../common/time.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { pickRun } from '../../store/runs.ts';
import { runsOfPage } from '../../store/select.ts';
import { assign, useApp, useDerived } from '../../store/store.ts';
import classes from './Toolbar.module.css';

/** The runs of this experiment, newest first. */
export function RunPicker({ run }: { readonly run: LoadedRun }) {
  const runs = useDerived(runsOfPage);
  if (runs.length < 2) return null;
  return (
    <Select
      aria-label="Run shown"
      className={classes['run'] ?? ''}
      value={run.id}
      data={runs.map((one) => ({ value: one.id, label: outcome(one), disabled: one.status === 'running' }))}
      onChange={(id) => id !== null && pickRun(id)}
      comboboxProps={{ width: 290, position: 'bottom-start' }}
      renderOption={({ option }) => {
        const one = runs.find(({ id }) => id === option.value);
        return one === undefined ? option.label : <TwoParts first={runLabel(one)} second={runDetail(one)} stacked />;
      }}
    />
  );
}

const outcome = (run: RunSummary): string =>
  run.status === 'complete' && run.makespanNs !== null ? formatDuration(run.makespanNs) : run.status;

const runLabel = (run: RunSummary): string => `${outcome(run)}, ${formatMoment(run.createdAt)}`;

const runDetail = (run: RunSummary): string =>
  `${ranOnWords(run)}${run.engine === 'cpu' ? ' with the CPU engine' : ''}`;

export function IterationPicker({ run }: { readonly run: LoadedRun }) {
  const picked = useApp((state) => state.iteration);
  const { iterations } = run;
  const { representative, recordedMakespanNs } = run.run.info.iterations;
  if (iterations.length < 2) return null;
  return (
    <Select
      aria-label="Iteration shown"
      className={classes['iteration'] ?? ''}
      value={String(picked !== null && iterations.includes(picked) ? picked : representative)}
      data={iterations.map((number) => ({
        value: String(number),
        label: `Iteration ${number + 1}`,
      }))}
      onChange={(value) => assign({ iteration: value === null ? null : Number(value), selection: null })}
      comboboxProps={{ width: 230, position: 'bottom-start' }}
      renderOption={({ option }) => {
        const makespan = recordedMakespanNs[Number(option.value)];
        const first = `${option.label}${option.value === String(representative) ? ' (typical)' : ''}`;
        return <TwoParts first={first} second={makespan === undefined ? '' : formatDuration(makespan)} />;
      }}
    />
  );
}

interface TwoPartsProps {
  readonly first: string;
  readonly second: string;
  readonly stacked?: boolean;
}

function TwoParts({ first, second, stacked = false }: TwoPartsProps) {
  return (
    <span className={`${classes['twoParts']} tabular`} data-stacked={stacked || undefined}>
      <span>{first}</span>
      <small>{second}</small>
    </span>
  );
}
