/** A table of a job's ranks, which marks the rank of the steps and the plan. */
import type { RankAnswer, RanksAnswer } from '../../core/lift/ranks.ts';
import { formatShare, unbroken } from '../../core/units.ts';
import classes from './Plan.module.css';
import { durationText } from './words.ts';

interface Column {
  readonly title: string;
  readonly meaning?: string;
  readonly text: (rank: RankAnswer) => string;
}

const known = (ns: number | null): string => (ns === null ? 'unknown' : durationText(ns));

const columns: readonly Column[] = [
  { title: 'Step', text: ({ stepNs }) => known(stepNs) },
  { title: 'Exposed copies', text: ({ exposedCopyNs }) => durationText(exposedCopyNs) },
  {
    title: 'Communication',
    meaning: 'Without the wait.',
    text: ({ communicationNs }) => durationText(communicationNs),
  },
  {
    title: 'Wait',
    meaning: 'From its own start of a collective to the latest start.',
    text: ({ waitNs }) => known(waitNs),
  },
  {
    title: 'Others wait for it',
    meaning: 'Its share of what all ranks waited.',
    text: ({ awaitedShare }) => unbroken(formatShare(awaitedShare)),
  },
];

/** Names the rank of the steps and the plan, and says why it was picked. */
export function slowestText({ ranks, slowest }: RanksAnswer): string {
  const isAwaited = ranks.some(({ awaitedShare }) => awaitedShare > 0);
  const why = isAwaited ? `The others wait most for rank ${slowest}` : `Rank ${slowest} has the longest step`;
  return `${why}: step and plan are of that rank.`;
}

export function Ranks({ ranks, slowest }: RanksAnswer) {
  return (
    <div className={classes['ranks']}>
      <h2>Ranks</h2>
      <table className={`${classes['table']} tabular`} aria-label="Ranks">
        <thead>
          <tr>
            <th scope="col">Rank</th>
            {columns.map(({ title, meaning }) => (
              <th key={title} scope="col" title={meaning}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ranks.map((rank) => (
            <tr key={rank.name} data-chosen={rank.rank === slowest || undefined}>
              <th scope="row">{rank.rank}</th>
              {columns.map(({ title, text }) => (
                <td key={title}>{text(rank)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
