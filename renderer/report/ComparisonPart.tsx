/** Two runs beside one another: their lanes on one time scale, and what differs between them. */
import { useMemo } from 'react';
import type { Difference, LaneDifference, OperationDifference } from '../../core/compare/comparison.ts';
import { bySize, formatDifference, formatSpread, matchedByWords, predictedWords } from '../../core/compare/format.ts';
import { judgementText } from '../../core/compare/text.ts';
import type { ReportComparison } from '../../core/report/document.ts';
import { formatDuration } from '../../core/units.ts';
import { alignRuns, useAlignedTime } from '../compare/alignedTime.ts';
import { SharedAxis, useSharedKeys } from '../compare/SharedAxis.tsx';
import { Legend } from '../timeline/Legend.tsx';
import { LanesView } from '../timeline/lanes/LanesView.tsx';
import { type TimeWindow, useTimeWindow } from '../timeline/time/timeWindow.ts';
import classes from './Report.module.css';
import type { OpenedReportRun } from './readReport.ts';

interface Props {
  readonly comparison: ReportComparison;
  readonly runs: readonly OpenedReportRun[];
}

export function ComparisonPart({ comparison, runs }: Props) {
  const { makespan, matchedBy, operations, lanes, leftOut } = comparison;
  const predicted = predictedWords(comparison);
  return (
    <>
      <section aria-label="Comparison">
        <h2>Comparison</h2>
        <p>
          Makespan: A {formatSpread(makespan.a)}, B {formatSpread(makespan.b)}. B − A:{' '}
          <strong>{formatDifference(makespan) || 'not recorded'}</strong> {bracketed(judgementText(makespan))}
        </p>
        {predicted === null ? null : <p>{predicted}</p>}
        <Lanes runs={runs} />
      </section>
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
    </>
  );
}

const bracketed = (text: string): string => (text === '' ? '' : `(${text})`);

/** Both begin at the same place of one scale. */
function Lanes({ runs }: { readonly runs: readonly OpenedReportRun[] }) {
  const views = useMemo(() => runs.map(({ loaded }) => loaded.view(null)), [runs]);
  const { extentNs } = alignRuns(
    views.map(({ makespanNs }) => makespanNs),
    [],
  );
  const time = useTimeWindow(extentNs);
  useSharedKeys(time);
  return (
    <>
      <SharedAxis time={time} anchorNs={null} />
      {runs.map((run, index) => (
        <RunLanes key={run.loaded.id} run={run} letter={'AB'.charAt(index)} time={time} />
      ))}
      <Legend views={views} marks={false} />
    </>
  );
}

interface RunLanesProps {
  readonly run: OpenedReportRun;
  readonly letter: string;
  readonly time: TimeWindow;
}

function RunLanes({ run: { loaded, about }, letter, time }: RunLanesProps) {
  const own = useAlignedTime(time, 0);
  const view = loaded.view(null);
  return (
    <article className={classes['case']} aria-label={`${letter}: ${about.title}`}>
      <h3>
        {letter} {about.title}: {formatDuration(view.makespanNs)}, {about.origin}
      </h3>
      <div className={classes['lanes']} style={{ height: 220 }}>
        <LanesView run={loaded} view={view} window={own} title={about.title} compact axis={false} />
      </div>
    </article>
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

/** Without the share, which means nothing of a point in time. */
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
