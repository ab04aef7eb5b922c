/** A row for each run that is compared: where it ran, its figures beside those of the others, and what waited there for what. */
import { useMemo } from 'react';
import type { RunSummary } from '../../core/service/service.ts';
import { type MachineComparison, machineMetrics } from '../../core/sweep/machines.ts';
import type { Figures } from '../../core/sweep/metrics.ts';
import type { TextTable } from '../../core/tableText.ts';
import { formatValue } from '../charts/quantities.ts';
import { CopyTable } from '../common/CopyTable.tsx';
import { ErrorText } from '../common/ErrorText.tsx';
import type { DataColumn } from '../common/table/columns.ts';
import { DataTable } from '../common/table/DataTable.tsx';
import { loadedRun } from '../store/select.ts';
import { useDerived } from '../store/useDerived.ts';
import classes from './Differences.module.css';
import { placeOf } from './names.ts';
import { letterOf } from './RunChooser.tsx';
import { useAllCompared } from './useComparison.ts';

interface Line {
  readonly letter: string;
  readonly run: RunSummary;
  /** Null until its lanes are there. */
  readonly figures: Figures | null;
}

export function MachinesTable({ ids }: { readonly ids: readonly string[] }) {
  const runs = useDerived((state) => ids.flatMap((id) => state.runs[id] ?? []));
  const ready = useDerived((state) => ids.flatMap((id) => loadedRun(state, id) ?? []));
  const found = useAllCompared(ready);
  const comparison = found?.status === 'ready' ? found.value : null;
  const lines = useMemo(
    () =>
      runs.map((run, place): Line => {
        const at = ready.findIndex(({ id }) => id === run.id);
        return { letter: letterOf(place), run, figures: comparison?.machines[at]?.figures ?? null };
      }),
    [runs, ready, comparison],
  );
  const columns = useMemo(() => columnsOf(fastestNs(lines)), [lines]);
  return (
    <div className={classes['table']}>
      <DataTable
        label="Table by machine"
        noun="runs"
        empty="No run is compared."
        items={lines}
        columns={columns}
        keyOf={({ run }) => run.id}
        rowProps={({ run }) => ({ 'data-status': run.status })}
        fills
      >
        <div className={classes['foot']}>
          {found?.status === 'failed' ? <ErrorText error={found.error} /> : null}
          {comparison === null || ready.length < 2 ? null : (
            <Reasons comparison={comparison} letters={ready.map(({ id }) => letterOf(ids.indexOf(id)))} />
          )}
          <p className={classes['remarks']}>
            Figures are medians over the recorded iterations of a run; point at one for the least and the most.
          </p>
          <CopyTable table={() => machinesText(lines)} />
        </div>
      </DataTable>
    </div>
  );
}

const fastestNs = (lines: readonly Line[]): number =>
  Math.min(...lines.flatMap(({ figures }) => figures?.['makespan']?.median ?? []));

function columnsOf(leastNs: number): readonly DataColumn<Line>[] {
  const ratio = ({ figures }: Line): number | null => {
    const makespan = figures?.['makespan'] ?? null;
    return makespan === null || !(leastNs > 0) ? null : makespan.median / leastNs;
  };
  return [
    {
      ...{ id: 'machine', title: 'Machine', isHead: true },
      value: ({ run }) => placeOf(run),
      cell: ({ letter, run }) => (
        <>
          <span className={classes['number']}>{letter}</span>
          {placeOf(run)}
        </>
      ),
    },
    { id: 'device', title: 'Ran on', value: ({ run }) => run.device, tip: ({ run }) => run.device },
    { id: 'origin', title: 'Figures', value: ({ run }) => (run.status === 'complete' ? run.origin : run.status) },
    ...machineMetrics.map(
      ({ id, label, unit, meaning }): DataColumn<Line> => ({
        ...{ id, title: label, meaning, isNumber: true },
        value: ({ figures }) => figures?.[id]?.median ?? null,
        tip: ({ figures }) => spreadText(figures, id, unit),
        cell: ({ figures }) => {
          const spread = figures?.[id] ?? null;
          return spread === null ? '–' : formatValue(unit, spread.median);
        },
      }),
    ),
    {
      ...{ id: 'ratio', title: 'To the fastest', isNumber: true },
      meaning: 'Its makespan over the shortest one',
      value: ratio,
      cell: (line) => (ratio(line) === null ? '–' : `${ratio(line)?.toFixed(2)}×`),
    },
  ];
}

function spreadText(figures: Figures | null, id: string, unit: 'ns' | 'B/s' | 'share'): string | undefined {
  const spread = figures?.[id];
  if (spread == null) return undefined;
  const { min, max, count } = spread;
  return count === 1 ? 'One iteration' : `${formatValue(unit, min)} to ${formatValue(unit, max)}, ${count} iterations`;
}

interface ReasonsProps {
  readonly comparison: MachineComparison;
  /** Of the runs that it is of. */
  readonly letters: readonly string[];
}

/** The copies and kernels that waited for another reason elsewhere. */
function Reasons({ comparison: { causes }, letters }: ReasonsProps) {
  if (causes === null)
    return <p className={classes['remarks']}>The runs are of different programs, so that reasons are not compared.</p>;
  if (causes.length === 0)
    return <p className={classes['remarks']}>No copy or kernel waited for another reason on another machine.</p>;
  return (
    <table className={classes['reasons']}>
      <caption>Copies and kernels that waited for different reasons</caption>
      <thead>
        <tr>
          <th scope="col">Operation</th>
          {letters.map((letter) => (
            <th scope="col" key={letter}>
              {letter}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {causes.map(({ op, label, titles }) => (
          <tr key={op}>
            <th scope="row">
              <span className={classes['number']}>{op}</span>
              {label}
            </th>
            {titles.map((title, at) => (
              <td key={letters[at]}>{title ?? '–'}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Plain numbers, for spreadsheets and reports. */
const machinesText = (lines: readonly Line[]): TextTable => ({
  titles: [
    ...['Run', 'Machine', 'Ran on', 'Figures'],
    ...machineMetrics.flatMap(({ label, unit }) => [`${label} (${unit})`, `${label} least`, `${label} most`]),
  ],
  words: 4,
  rows: lines.map(({ letter, run, figures }) => [
    ...[letter, placeOf(run), run.device, run.status === 'complete' ? run.origin : run.status],
    ...machineMetrics.flatMap(({ id }) => {
      const spread = figures?.[id] ?? null;
      return spread === null ? ['', '', ''] : [spread.median, spread.min, spread.max].map(plain);
    }),
  ]),
});

const plain = (value: number): string => String(Math.round(value * 1000) / 1000);
