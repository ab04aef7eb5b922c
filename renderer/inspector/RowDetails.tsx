/** One activity of the timeline: its hazards, verdict, numbers, partners and operation. */
import { operationsOf } from '../../core/experiment/edit/paths.ts';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import { readRow, type TraceRow } from '../../core/trace/rows.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../core/units.ts';
import { useAnswer } from '../common/hooks.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { isOfPresent } from '../store/select.ts';
import { select, useApp } from '../store/store.ts';
import { selectStretch } from '../timeline/commands.ts';
import { operationLabels, rowKindWords, rowRate, rowTitle } from '../timeline/rows/describeRow.ts';
import { Block, Fact, Facts, SelectionHeading, ShareBar, SumUp } from './Facts.tsx';
import { HazardList } from './HazardList.tsx';
import classes from './Inspector.module.css';
import { OperationFields } from './OperationDetails.tsx';
import { StackBlock } from './StackBlock.tsx';
import { VerdictCard } from './VerdictCard.tsx';

export function RowDetails({ run, row }: { readonly run: LoadedRun; readonly row: number }) {
  const { trace, info } = run.run;
  const read = readRow(trace, row);
  const labels = operationLabels(info.experiment);
  const iteration = useApp((state) => state.iteration);
  const isPresent = useApp((state) => isOfPresent(state, run));
  const operation = read.op === null || info.experiment === null ? undefined : operationsOf(info.experiment)[read.op];
  const listed = run.verdicts.find(({ id, row: own }) => (operation === undefined ? own === row : id === operation.id));
  const other = useOtherVerdict(run, listed === undefined && read.kind === 'copy' ? row : null);
  const verdict = listed ?? other;
  return (
    <>
      <SelectionHeading kind={rowKindWords[read.kind]}>{rowTitle(trace, row, labels)}</SelectionHeading>
      {operation === undefined || !isPresent ? null : <HazardList id={operation.id} />}
      {verdict === undefined ? null : <VerdictCard run={run} verdict={verdict} />}
      <Block title="Numbers">
        <Facts>
          <Fact name="Starts">{formatDuration(read.startNs)}</Fact>
          {read.durationNs > 0 ? (
            <>
              <Fact name="Takes">{formatDuration(read.durationNs)}</Fact>
              <Fact name="Ends">{formatDuration(read.endNs)}</Fact>
            </>
          ) : null}
          {read.bytes > 0 ? <Fact name="Size">{formatBytes(read.bytes)}</Fact> : null}
          <RateFacts row={read} run={run} />
          {read.kind === 'copy' ? (
            <Fact name="Memory">
              {read.src} → {read.dst}
            </Fact>
          ) : null}
          <Fact name={read.lane.kind === 'host-thread' ? 'Host thread' : 'Stream'}>{read.lane.name}</Fact>
          {read.engine === null ? null : <Fact name="Engine">{read.engine.name}</Fact>}
          {read.channel === null ? null : (
            <Fact
              name="Channel"
              title="The queue of the hardware that it went through: CUPTI's channel, or the simulator's"
            >
              {read.channel} ({read.channelType})
            </Fact>
          )}
          <Fact name="Name">{read.name}</Fact>
          <Fact name="Iteration">{read.iteration + 1}</Fact>
        </Facts>
        {read.durationNs > 0 ? (
          <SumUp title="Activities in this time, by name (R)" onClick={() => selectStretch(run, read)} />
        ) : null}
      </Block>
      <StackBlock run={run} view={run.view(iteration)} row={row} />
      <Partners run={run} row={row} />
      {operation === undefined ? null : <OperationFields operation={operation} />}
    </>
  );
}

/** Asks for the verdict on a copy that is not among a large run's costliest. Null asks for none. */
function useOtherVerdict(run: LoadedRun, row: number | null): Verdict | undefined {
  // A worker that has ended gives no verdict; the summary tells why.
  const ask = async (): Promise<Verdict | null> => (await run.verdictOf?.(row ?? -1).catch(() => null)) ?? null;
  return useAnswer(row === null ? null : `${run.id} ${row}`, ask) ?? undefined;
}

/** The achieved rate, and the rate that the profile expects for a copy of this size, if known. */
function RateFacts({ row, run }: { readonly row: TraceRow; readonly run: LoadedRun }) {
  const speed = rowRate(row);
  if (speed === null) return null;
  const attainable = row.op === null ? null : (run.operationsOf(row.op)[0]?.attainableBytesPerSecond ?? null);
  return (
    <>
      <Fact name="Rate">{formatRate(speed)}</Fact>
      {attainable === null ? null : (
        <Fact
          name="By the profile"
          title="Rate in the device profile for a copy of this size, direction and memory that runs alone. It comes from other runs, so a copy may be faster."
        >
          <ShareBar share={speed / attainable} /> {formatShare(speed / attainable)} of {formatRate(attainable)}
        </Fact>
      )}
    </>
  );
}

function Partners({ run, row }: { readonly run: LoadedRun; readonly row: number }) {
  const iteration = useApp((state) => state.iteration);
  const partners = run.view(iteration).partners(row);
  const { trace, info } = run.run;
  const labels = operationLabels(info.experiment);
  const own = readRow(trace, row);
  if (partners.length === 0) return null;
  return (
    <Block title="Joined with">
      <ul className={classes['partners']}>
        {partners.slice(0, 12).map((partner) => {
          const other = readRow(trace, partner);
          const delay = other.kind === 'host-call' ? own.startNs - other.startNs : other.startNs - own.startNs;
          return (
            <li key={partner}>
              <button type="button" onClick={() => select({ kind: 'row', run: run.id, row: partner })}>
                {rowTitle(trace, partner, labels)}
                <small>
                  {rowKindWords[other.kind]} on {other.lane.name}
                  {delay >= 0 ? `, ${formatDuration(delay)} ${other.kind === 'host-call' ? 'before' : 'after'}` : ''}
                </small>
              </button>
            </li>
          );
        })}
      </ul>
    </Block>
  );
}
