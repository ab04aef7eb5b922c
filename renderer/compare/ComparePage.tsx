/** Several runs stacked on one time scale: how long each took, how much of the kernel was overlapped, and why not more. */
import { ActionIcon, Button, Checkbox, Loader, Popover, Text, Tooltip } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconArrowBackUp, IconColumns, IconListCheck, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useEffect, useMemo, useRef } from 'react';
import { type ComparedRun, compareRuns } from '../../core/analysis/compare.ts';
import { formatDuration, formatShare } from '../../core/units.ts';
import { EnginePicker } from '../app/EnginePicker.tsx';
import { effectiveEngine, engineOptions } from '../app/engines.ts';
import type { LoadedRun } from '../app/loadedRun.ts';
import { ensureRun, openPage, runAll } from '../app/store/actions.ts';
import { byNewest, caseExamples, comparedRunIds, loadedRun } from '../app/store/select.ts';
import { assign, useApp } from '../app/store/store.ts';
import { useDerived } from '../app/store/useDerived.ts';
import { EmptyState } from '../common/EmptyState.tsx';
import { ErrorText } from '../common/ErrorText.tsx';
import { OriginBadge } from '../common/Origin.tsx';
import { formatMoment } from '../common/time.ts';
import { VerdictIcon, verdictTone } from '../inspector/VerdictCard.tsx';
import { gutterWidth, LanesView } from '../timeline/LanesView.tsx';
import { Legend } from '../timeline/Legend.tsx';
import { labelSpace, timeTicks } from '../timeline/ticks.ts';
import { toPixels } from '../timeline/timeView.ts';
import { type TimeWindow, useShownView, useTimeWindow } from '../timeline/timeWindow.ts';
import { moveTime, takesKeys } from '../timeline/useTimelineKeys.ts';
import classes from './ComparePage.module.css';

/** More would leave none of them space. */
const mostCompared = 12;

export function ComparePage() {
  const ids = useDerived(comparedRunIds);
  const connected = useApp((state) => state.connection.status === 'open');
  const key = ids.join(' ');
  useEffect(() => {
    if (connected) for (const id of key.split(' ').filter(Boolean)) void ensureRun(id);
  }, [key, connected]);
  return (
    <section className={classes['page']} aria-label="Comparison">
      <CompareHeader ids={ids} />
      {ids.length === 0 ? <NothingToCompare /> : <Stack ids={ids} />}
    </section>
  );
}

function CompareHeader({ ids }: { readonly ids: readonly string[] }) {
  const options = useDerived((state) => engineOptions(state.devices, state.profiles, []));
  const engine = effectiveEngine(
    options,
    useApp((state) => state.engine),
  );
  const examples = useDerived(caseExamples);
  const running = useDerived((state) => Object.values(state.runs).find((run) => run.status === 'running'));
  const custom = useApp((state) => state.compared !== null);
  return (
    <div className={classes['header']}>
      <div className={classes['title']}>
        <h1>Four cases, one time scale</h1>
        <Text size="sm" c="dimmed">
          A copy and a kernel that don’t need each other, four ways.
        </Text>
      </div>
      <div className={classes['controls']}>
        {custom ? (
          <Tooltip label="Compare the four cases again">
            <ActionIcon aria-label="Compare the four cases again" onClick={() => assign({ compared: null })}>
              <IconArrowBackUp size={16} />
            </ActionIcon>
          </Tooltip>
        ) : null}
        <RunChooser ids={ids} />
        <EnginePicker options={options} />
        <Button
          leftSection={<IconPlayerPlayFilled size={13} aria-hidden />}
          loading={running !== undefined}
          disabled={engine === null || examples.length === 0}
          onClick={() =>
            engine !== null &&
            void runAll(
              examples.map(({ id }) => id),
              engine,
            )
          }
        >
          Run all four
        </Button>
      </div>
    </div>
  );
}

/** The runs that are compared, chosen from all that are complete. */
function RunChooser({ ids }: { readonly ids: readonly string[] }) {
  const runs = useApp((state) => state.runs);
  const complete = Object.values(runs)
    .filter((run) => run.status === 'complete')
    .sort(byNewest);
  return (
    <Popover position="bottom-end" width={420} trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" leftSection={<IconListCheck size={15} aria-hidden />}>
          Choose runs
        </Button>
      </Popover.Target>
      <Popover.Dropdown p={6}>
        <Checkbox.Group
          value={[...ids]}
          onChange={(value) => assign({ compared: value.slice(0, mostCompared) })}
          aria-label="Runs compared"
        >
          <div className={classes['choices']}>
            {complete.map((run) => (
              <Checkbox
                key={run.id}
                value={run.id}
                size="xs"
                className={classes['choice'] ?? ''}
                label={run.name}
                description={`${run.origin} on ${run.device}, ${formatMoment(run.createdAt)}`}
              />
            ))}
          </div>
        </Checkbox.Group>
      </Popover.Dropdown>
    </Popover>
  );
}

function NothingToCompare() {
  return (
    <EmptyState icon={<IconColumns size={24} />} title="Nothing to compare yet">
      <Text c="dimmed">
        Choose “Run all four” to run each case on the engine picked above, or choose runs from the list.
      </Text>
    </EmptyState>
  );
}

function Stack({ ids }: { readonly ids: readonly string[] }) {
  const loaded = useDerived((state) => ids.map((id) => loadedRun(state, id)));
  const ready = loaded.filter((run) => run !== null);
  const key = ready.map((run) => run.id).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs never change, so their ids say when to compare anew.
  const comparison = useMemo(() => compareRuns(ready.map((run) => run.run)), [key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above.
  const views = useMemo(() => ready.map((run) => run.view(null)), [key]);
  const time = useTimeWindow(comparison.spanNs);
  useSharedKeys(time);
  return (
    <>
      <SharedAxis time={time} />
      <ol className={classes['stack']} aria-label="Runs compared">
        {ids.map((id) => {
          const at = ready.findIndex((run) => run.id === id);
          const [run, compared] = [ready[at], comparison.runs[at]];
          return (
            <li key={id} className={classes['case']}>
              {run === undefined || compared === undefined ? (
                <Pending id={id} />
              ) : (
                <Case run={run} compared={compared} time={time} />
              )}
            </li>
          );
        })}
      </ol>
      <Legend views={views} marks={false} />
    </>
  );
}

function Pending({ id }: { readonly id: string }) {
  const state = useApp((app) => app.loadedRuns[id]);
  const name = useApp((app) => app.runs[id]?.name ?? id);
  return (
    <div className={classes['pending']}>
      <strong>{name}</strong>
      {state?.status === 'failed' ? <ErrorText error={state.error} /> : <Loader size={14} />}
    </div>
  );
}

interface CaseProps {
  readonly run: LoadedRun;
  readonly compared: ComparedRun;
  readonly time: TimeWindow;
}

function Case({ run, compared, time }: CaseProps) {
  const summary = useApp((state) => state.runs[run.id]);
  const { verdict, makespanNs, timesFastest, h2dKernel } = compared;
  const view = run.view(null);
  return (
    <article aria-label={compared.name}>
      <header className={classes['caseHead']}>
        <button type="button" className={classes['name']} onClick={() => openPage({ kind: 'run', id: run.id })}>
          {compared.name}
        </button>
        {summary === undefined ? null : <OriginBadge origin={summary.origin} compact />}
        {summary === undefined ? null : <span className={classes['device']}>{summary.device}</span>}
        {verdict === null ? null : (
          <span className={classes['verdict']} title={verdict.explanation}>
            <VerdictIcon verdict={verdict} size={15} /> {verdict.title}
          </span>
        )}
        <span className={`${classes['figures']} tabular`}>
          {h2dKernel.shareOfKernel === null ? null : (
            <span
              className={classes['share']}
              data-tone={verdict === null ? undefined : verdictTone(verdict)}
              title="Share of the kernels' time in which a host-to-device copy ran too"
            >
              <strong>{formatShare(h2dKernel.shareOfKernel)}</strong> of kernel overlapped
            </span>
          )}
          <span title="From the iteration's start to its last activity's end">
            <strong>{makespanNs === null ? 'not recorded' : formatDuration(makespanNs)}</strong>
            {timesFastest === null || timesFastest <= 1.0005 ? null : ` ${timesFastest.toFixed(2)}× the fastest`}
          </span>
        </span>
      </header>
      <div className={classes['plot']}>
        <LanesView run={run} view={view} window={time} title={compared.name} compact axis={false} />
      </div>
    </article>
  );
}

/** One axis for all: the lanes below it share its scale and its place. */
function SharedAxis({ time }: { readonly time: TimeWindow }) {
  const { ref, width } = useElementSize();
  const view = useShownView(time);
  const ticks = timeTicks(view, width);
  return (
    <div className={classes['axis']} aria-hidden>
      <span className={`${classes['anchor']} tabular`} style={{ width: gutterWidth }}>
        {ticks.anchorLabel}
      </span>
      <div ref={ref} className={classes['ticks']}>
        {ticks.ticks.map((tick) => (
          <span key={tick.timeNs} className="tabular" style={{ left: Math.round(toPixels(view, width, tick.timeNs)) }}>
            {toPixels(view, width, tick.timeNs) < width - labelSpace ? tick.label : null}
          </span>
        ))}
      </div>
    </div>
  );
}

function useSharedKeys(time: TimeWindow): void {
  const latest = useRef(time);
  latest.current = time;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || takesKeys(event.target)) return;
      if (event.key.toLowerCase() === 'f') latest.current.move((_, limits) => limits);
      else if (!moveTime(event.key, latest.current)) return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}
