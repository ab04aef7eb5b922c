/** Several runs stacked on one time scale: how long each took, how much of the kernel was overlapped, and why not more. */
import { Button, Loader, MultiSelect, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconArrowBackUp, IconColumns, IconPlayerPlayFilled } from '@tabler/icons-react';
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
import { inOrder } from '../library/groups.ts';
import { gutterWidth, LanesView } from '../timeline/LanesView.tsx';
import { timeTicks } from '../timeline/ticks.ts';
import { toPixels } from '../timeline/timeView.ts';
import { moveTime, takesKeys } from '../timeline/useTimelineKeys.ts';
import { type TimeWindow, useTimeView } from '../timeline/useTimeView.ts';
import classes from './ComparePage.module.css';

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
  const examples = useDerived((state) => inOrder(caseExamples(state)));
  const running = useDerived((state) => Object.values(state.runs).find((run) => run.status === 'running'));
  const custom = useApp((state) => state.compared !== null);
  return (
    <div className={classes['header']}>
      <div className={classes['title']}>
        <h1>Four cases, one time scale</h1>
        <Text size="sm" c="dimmed">
          A copy and a kernel that don’t need each other. Only one of the four lets them run at the same time.
        </Text>
      </div>
      <div className={classes['controls']}>
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
      <div className={classes['pick']}>
        <RunChooser ids={ids} />
        {custom ? (
          <Button
            variant="subtle"
            color="gray"
            leftSection={<IconArrowBackUp size={14} aria-hidden />}
            onClick={() => assign({ compared: null })}
          >
            The four cases again
          </Button>
        ) : null}
      </div>
    </div>
  );
}

function RunChooser({ ids }: { readonly ids: readonly string[] }) {
  const runs = useApp((state) => state.runs);
  const data = Object.values(runs)
    .filter((run) => run.status === 'complete')
    .sort(byNewest)
    .map((run) => ({ value: run.id, label: `${run.name}: ${run.origin}, ${formatMoment(run.createdAt)}` }));
  return (
    <MultiSelect
      aria-label="Runs compared"
      size="xs"
      className={classes['chooser'] ?? ''}
      data={data}
      value={[...ids]}
      onChange={(value) => assign({ compared: value })}
      placeholder={ids.length === 0 ? 'Choose runs to compare' : ''}
      searchable
      clearable={false}
      maxValues={12}
      renderPill={({ option, onRemove }) => (
        <span className={classes['pill']}>
          <span>{option?.label}</span>
          <button
            type="button"
            aria-label={`Leave out ${option?.label}`}
            onClick={onRemove}
            onMouseDown={(event) => event.preventDefault()}
          >
            ×
          </button>
        </span>
      )}
    />
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
  const time = useTimeView(comparison.spanNs);
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
            {timesFastest === null || timesFastest <= 1.0005 ? null : ` ${timesFastest.toFixed(2)}×`}
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
  const ticks = timeTicks(time.view, width);
  return (
    <div className={classes['axis']} aria-hidden>
      <span className={`${classes['anchor']} tabular`} style={{ width: gutterWidth }}>
        {ticks.anchorLabel}
      </span>
      <div ref={ref} className={classes['ticks']}>
        {ticks.ticks.map((tick) => (
          <span
            key={tick.timeNs}
            className="tabular"
            style={{ left: Math.round(toPixels(time.view, width, tick.timeNs)) }}
          >
            {tick.label}
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
