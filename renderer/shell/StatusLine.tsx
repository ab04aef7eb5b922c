/** The foot of the window: the shown run in a line, and the state of the engine process. */
import { Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleX,
  IconPlugConnected,
  IconPlugConnectedX,
  IconShieldCheck,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { Hazard } from '../../core/explain/hazards/hazard.ts';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import { intervalText } from '../../core/machine/cost/interval.ts';
import type { Interval } from '../../core/trace/run.ts';
import { formatDuration, formatRate, formatShare } from '../../core/units.ts';
import { LinkButton } from '../common/buttons.tsx';
import { formatDay, ranOnWords } from '../common/time.ts';
import { useHazards } from '../predict/hazards/useHazards.ts';
import { loadedRun, shownRunId } from '../store/select.ts';
import { select, state, useApp } from '../store/store.ts';
import classes from './StatusLine.module.css';

export function StatusLine() {
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  const summary = useApp((state) => (run === null ? undefined : state.runs[run.id]));
  return (
    <section className={`${classes['line']} tabular`} aria-label="Status" tabIndex={-1}>
      {run === null ? null : (
        <>
          {run.summary === null ? null : (
            <>
              <RunStatus summary={run.summary} />
              <Verification summary={run.summary} />
            </>
          )}
          {summary === undefined ? null : (
            <Item name="Run" shrinks title={ranOnWords(summary)}>
              {ranOnWords(summary)}
              {summary.origin === 'recorded' ? `, ${formatDay(summary.createdAt)}` : null}
            </Item>
          )}
        </>
      )}
      <HazardCount />
      <span className={classes['space']} />
      <EngineState />
      <ConnectionState />
    </section>
  );
}

function RunStatus({ summary }: { readonly summary: WindowSummary }) {
  const { h2dKernel, d2hKernel } = summary.overlap;
  const { h2d, d2h } = summary.link;
  return (
    <>
      {summary.makespanNs === null ? null : <Makespan ns={summary.makespanNs} interval={summary.makespanInterval} />}
      {h2dKernel.shareOfKernel === null || h2dKernel.shareOfCopy === null ? null : (
        <Item name="H2D with kernel" title="Share of the kernels' time in which a host-to-device copy ran too">
          {formatShare(h2dKernel.shareOfKernel)}
          <Wide> of kernel</Wide>
        </Item>
      )}
      {d2hKernel.shareOfKernel === null || d2hKernel.shareOfCopy === null ? null : (
        <Item name="D2H with kernel" title="Share of the kernels' time in which a device-to-host copy ran too">
          {formatShare(d2hKernel.shareOfKernel)}
          <Wide> of kernel</Wide>
        </Item>
      )}
      {h2d.bytesPerSecond === null ? null : (
        <Item name="H2D link" yields="rate" title="Bytes moved over the time in which the direction was busy">
          {formatRate(h2d.bytesPerSecond)}
        </Item>
      )}
      {d2h.bytesPerSecond === null ? null : (
        <Item name="D2H link" yields="rate">
          {formatRate(d2h.bytesPerSecond)}
        </Item>
      )}
    </>
  );
}

/** The makespan; a prediction with its interval, such as '13.1 ms, 9.8 to 20 ms (90 %)'. */
function Makespan({ ns, interval }: { readonly ns: number; readonly interval: Interval | null }) {
  if (interval === null) return <Item name="Makespan">{formatDuration(ns)}</Item>;
  return (
    <Item name="Makespan" title="With the makespans of nine in ten machines of this kind">
      {formatDuration(ns)}
      <span className={classes['interval']}>, {intervalText(interval)}</span>
    </Item>
  );
}

function Verification({ summary }: { readonly summary: WindowSummary }) {
  const { bytesChecked, bytesWrong } = summary.verification;
  if (summary.engine === 'sim') return <Item name="Data">not moved</Item>;
  if (bytesChecked === 0) return <Item name="Data">not verified</Item>;
  return (
    <Item name="Data">
      {bytesWrong === 0 ? (
        <span data-tone="good">
          <IconCircleCheck size={14} aria-hidden /> verified
        </span>
      ) : (
        <span data-tone="bad">
          <IconCircleX size={14} aria-hidden /> {bytesWrong.toLocaleString('en-US')} bytes wrong
        </span>
      )}
    </Item>
  );
}

function EngineState() {
  const problem = useApp((state) => state.engineProblem);
  const devices = useApp((state) => state.devices);
  const connected = useApp((state) => state.connection.status === 'open');
  if (!connected) return null;
  if (problem !== null) {
    return (
      <Tooltip label={`${problem.message} ${problem.remedy ?? ''}`} multiline>
        <span className={classes['item']} data-tone="warn" role="status">
          <IconAlertTriangle size={14} aria-hidden /> Engine process ended
        </span>
      </Tooltip>
    );
  }
  return (
    <Item name="Engine process" yields="state">
      {devices === null ? 'starting' : 'ready'}
    </Item>
  );
}

function ConnectionState() {
  const { status } = useApp((state) => state.connection);
  const open = status === 'open';
  const Icon = open ? IconPlugConnected : IconPlugConnectedX;
  const words = { open: 'Connected', connecting: 'Connecting', lost: 'Not connected' }[status];
  return (
    <span className={classes['item']} data-tone={status === 'lost' ? 'bad' : undefined}>
      <Icon size={14} aria-hidden /> <span className={open ? classes['connected'] : undefined}>{words}</span>
    </span>
  );
}

interface ItemProps {
  readonly name: string;
  readonly title?: string;
  /** True if the item may be cut off in a narrow window. */
  readonly shrinks?: boolean;
  /** Class of an item that is hidden in a narrow window, since it is shown elsewhere or is normal. */
  readonly yields?: 'rate' | 'state';
  readonly children: ReactNode;
}

function Item({ name, title, shrinks = false, yields, children }: ItemProps) {
  return (
    <span className={classes[shrinks ? 'shrinking' : 'item']} data-yields={yields} title={title}>
      <span className={classes['name']}>{name}</span> {children}
    </span>
  );
}

/** Text that is hidden in a narrow window. */
function Wide({ children }: { readonly children: string }) {
  return <span className={classes['wide']}>{children}</span>;
}

/** Selects the first operation of the next hazard, whose card the inspector then shows first. */
function goToNext(hazards: readonly Hazard[]): void {
  const { selection } = state();
  const at = hazards.findIndex(({ first }) => selection?.kind === 'op' && first.id === selection.id);
  const next = hazards.slice(at + 1).find(({ first }) => first.id !== hazards[at]?.first.id) ?? hazards[0];
  if (next !== undefined) select({ kind: 'op', id: next.first.id });
}

/** The number of hazards in the open experiment. */
function HazardCount() {
  const report = useHazards();
  if (report === null) return null;
  const { length } = report.hazards;
  return (
    <span className={classes['item']} title="Races and other hazards of the experiment, found without running it">
      <span className={classes['name']}>Hazards</span>{' '}
      {length === 0 ? (
        <span>
          <IconShieldCheck size={14} aria-hidden /> none
        </span>
      ) : (
        <span data-tone="bad">
          <LinkButton
            plain
            title="To the next one"
            label={`Hazards: ${length}, to the next one`}
            onClick={() => goToNext(report.hazards)}
          >
            <IconAlertTriangle size={14} aria-hidden /> {length}
          </LinkButton>
        </span>
      )}
    </span>
  );
}
