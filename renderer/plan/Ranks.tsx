/** The ranks of a job in a table, and which of them the steps and the plan are of. */
import type { RankAnswer, RanksAnswer } from '../../core/lift/ranks.ts';
import { formatShare, unbroken } from '../../core/units.ts';
import type { DataColumn } from '../common/table/columns.ts';
import { DataTable } from '../common/table/DataTable.tsx';
import classes from './Plan.module.css';
import { durationText } from './words.ts';

const duration = (
  id: string,
  title: string,
  value: (rank: RankAnswer) => number | null,
  meaning?: string,
): DataColumn<RankAnswer> => ({
  id,
  title,
  value,
  cell: (rank) => {
    const ns = value(rank);
    return ns === null ? 'unknown' : durationText(ns);
  },
  isNumber: true,
  ...(meaning === undefined ? {} : { meaning }),
});

const columns: readonly DataColumn<RankAnswer>[] = [
  { id: 'rank', title: 'Rank', value: ({ rank }) => rank, isHead: true },
  duration('step', 'Step', ({ stepNs }) => stepNs),
  duration('copies', 'Exposed copies', ({ exposedCopyNs }) => exposedCopyNs),
  duration('communication', 'Communication', ({ communicationNs }) => communicationNs, 'Without the wait.'),
  duration('wait', 'Wait', ({ waitNs }) => waitNs, 'From its own start of a collective to the latest start.'),
  {
    id: 'awaited',
    title: 'Others wait for it',
    value: ({ awaitedShare }) => awaitedShare,
    cell: ({ awaitedShare }) => unbroken(formatShare(awaitedShare)),
    isNumber: true,
    meaning: 'Its share of what all ranks waited.',
  },
];

export function Ranks({ ranks, slowest }: RanksAnswer) {
  const isAwaited = ranks.some(({ awaitedShare }) => awaitedShare > 0);
  return (
    <div className={classes['ranks']}>
      <h2>Ranks</h2>
      <p>
        {isAwaited ? `The others wait most for rank ${slowest}.` : `Rank ${slowest} has the longest step.`} The step and
        the plan below are its.
      </p>
      <DataTable
        label="Table of ranks"
        noun="ranks"
        empty="The trace has no ranks."
        items={ranks}
        columns={columns}
        keyOf={({ name }) => name}
      />
    </div>
  );
}
