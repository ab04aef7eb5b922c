/** The differences between two runs, by operation and by lane, as tables. */
import type { Difference, LaneDifference, OperationDifference } from '../../core/explain/compare/comparison.ts';
import { bySize, formatDifference, formatSpread, matchedByWords } from '../../core/explain/compare/format.ts';
import { judgementText } from '../../core/explain/compare/text.ts';
import type { ReportComparison } from '../../core/present/document.ts';
import classes from './Report.module.css';

export function Differences({ comparison }: { readonly comparison: ReportComparison }) {
  const { matchedBy, operations, lanes, leftOut } = comparison;
  return (
    <section aria-label="Differences">
      <h2>Differences</h2>
      <p>
        Medians over {comparison.a.iterations} and {comparison.b.iterations} recorded iterations; operations are{' '}
        {matchedByWords[matchedBy]}. A difference is larger than the spread where the two spreads have nothing in
        common.
      </p>
      <Operations operations={operations} leftOut={leftOut} />
      <h3>Lanes</h3>
      <LaneDifferences lanes={lanes} />
    </section>
  );
}

const mostShown = 250;

function Operations({ operations, leftOut }: Pick<ReportComparison, 'operations' | 'leftOut'>) {
  const sided = operations.filter(({ side }) => side !== 'both');
  const all = [...bySize(operations.filter(({ side }) => side === 'both')), ...sided];
  const hidden = all.length - Math.min(all.length, mostShown) + leftOut;
  if (all.length === 0) return <p>No operation was recorded in either run.</p>;
  return (
    <>
      <div className={classes['wide']}>
        <table className={`${classes['table']} tabular`} aria-label="Operations">
          <thead>
            <tr>
              {['Operation', 'A', 'B', 'B − A', '', 'Starts', 'Host'].map((title) => (
                <th key={title} scope="col" {...(title === '' ? { 'aria-label': 'Judgement' } : {})}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {all.slice(0, mostShown).map((one) => (
              <OperationLine key={`${one.a ?? '-'}/${one.b ?? '-'}/${one.kind}/${one.label}`} one={one} />
            ))}
          </tbody>
        </table>
      </div>
      {hidden === 0 ? null : <p>{hidden} more operations differ less.</p>}
    </>
  );
}

function OperationLine({ one: { label, side, duration, start, host } }: { readonly one: OperationDifference }) {
  return (
    <tr>
      <th scope="row">{label}</th>
      <td>{formatSpread(duration.a)}</td>
      <td>{formatSpread(duration.b)}</td>
      {side === 'both' ? (
        <>
          <td>{formatDifference(duration)}</td>
          <td>{judgementText(duration)}</td>
          <td>{changeOf(start)}</td>
          <td>{changeOf(host)}</td>
        </>
      ) : (
        <td colSpan={4}>{side === 'only-a' ? 'only in A' : 'only in B'}</td>
      )}
    </tr>
  );
}

/** Leaves out the share, which means nothing for a point in time. */
const changeOf = ({ differenceNs }: Difference): string => formatDifference({ differenceNs, ratio: null });

function LaneDifferences({ lanes }: { readonly lanes: readonly LaneDifference[] }) {
  return (
    <div className={classes['wide']}>
      <table className={`${classes['table']} tabular`} aria-label="Lanes">
        <thead>
          <tr>
            {['Lane', 'Busy', 'Overlapped', 'Idle', 'Busy time differs'].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lanes.map(({ side, a, b, name, busy, overlap, idle }) => (
            <tr key={`${a}/${b}`}>
              <th scope="row">{name}</th>
              {[busy, overlap, idle].map((one, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its column.
                <td key={index}>{`${formatSpread(one.a, false)} → ${formatSpread(one.b, false)}`}</td>
              ))}
              <td>{side === 'both' ? judgementText(busy) : side === 'only-a' ? 'only in A' : 'only in B'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
