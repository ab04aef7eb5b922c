/** A sweep: its progress, its chart for the chosen metric, and a link to the run of every point. */
import { Button, Loader, NativeSelect, Progress, SegmentedControl, Text, Tooltip } from '@mantine/core';
import { useThrottledValue } from '@mantine/hooks';
import {
  IconAdjustments,
  IconAlertTriangle,
  IconFileTypeHtml,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
} from '@tabler/icons-react';
import { useEffect, useMemo, useState } from 'react';
import { jobsWords } from '../../core/apps/slurm/submission.ts';
import { type Metric, metrics } from '../../core/apps/sweep/metrics.ts';
import { parseSweep } from '../../core/apps/sweep/parse.ts';
import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { libraryItems, type Sweep, type SweepSummary } from '../../core/service/service.ts';
import { Chart } from '../charts/Chart.tsx';
import { formatValue } from '../charts/quantities.ts';
import { LinkButton } from '../common/buttons.tsx';
import { OriginBadge } from '../common/marks.tsx';
import { EmptyState, ErrorText } from '../common/Page.tsx';
import { formatMoment, ranOnWords } from '../common/time.ts';
import { deleteItems } from '../store/libraryActions.ts';
import { announce, notifyError } from '../store/notify.ts';
import { openPage } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import { cancelSweep, continueSweep, ensureSweep } from './actions.ts';
import { BesidePicker, useBeside } from './BesidePicker.tsx';
import { PointsTable } from './PointsTable.tsx';
import classes from './SweepPage.module.css';
import { changeSweep } from './setup.ts';
import { type Beside, bestPoint, canJoin, sweepHeat, sweepLines, together } from './specs.ts';

interface PageProps {
  /** Makes a report. */
  readonly onReport: () => void;
}

export function SweepPage({ onReport }: PageProps) {
  const id = useApp((state) => (state.page.kind === 'sweep' ? state.page.id : ''));
  const connected = useApp((state) => state.connection.status === 'open');
  const opened = useSweeps((state) => state.opened[id]);
  useEffect(() => {
    if (connected && opened === undefined && id !== '') void ensureSweep(id);
  }, [id, connected, opened]);
  if (opened?.status === 'failed') {
    return (
      <EmptyState icon={<IconAlertTriangle size={26} />} title="This sweep can’t be opened" alert isPage>
        <ErrorText error={opened.error} />
      </EmptyState>
    );
  }
  if (opened?.status !== 'ready') {
    return (
      <EmptyState icon={<Loader size={22} />} title="Opening…" isPage>
        <Text c="dimmed">Reading it from the host.</Text>
      </EmptyState>
    );
  }
  return <Opened sweep={opened.value} onReport={onReport} />;
}

const openRun = (id: string): void => openPage({ kind: 'run', id });

type OpenedProps = PageProps & { readonly sweep: Sweep };

function Opened({ sweep, onReport }: OpenedProps) {
  const { summary, document } = sweep;
  const parsed = useMemo(() => parseSweep(document), [document]);
  const [metricId, setMetric] = useState('makespan');
  const [chosenAs, setAs] = useState<'heat' | 'lines' | null>(null);
  const metric = metrics.find(({ id }) => id === metricId) ?? metrics[0];
  const [besideIds, setBeside] = useState<readonly string[]>([]);
  const beside = useBeside(besideIds, metric);
  const throttled = useThrottledValue(sweep, redrawMs);
  // When the last point is there, drawing and saving include it at once.
  const drawn = summary.status === 'running' ? throttled : sweep;
  useAnnouncedEnd(summary);
  if (!parsed.ok || metric === undefined) {
    return (
      <EmptyState icon={<IconAlertTriangle size={26} />} title="This sweep can’t be shown" alert isPage>
        {parsed.ok ? null : parsed.problems.slice(0, 3).map((error) => <ErrorText key={error.message} error={error} />)}
      </EmptyState>
    );
  }
  const { plan } = parsed;
  // Lines suit names, which have no distance on an axis.
  const hasNames = plan.axes.some(({ names }) => names !== null);
  const as = besideIds.length > 0 ? 'lines' : (chosenAs ?? (hasNames ? 'lines' : 'heat'));
  const isLeftOut = beside.some(({ spec }) => !canJoin(sweepLines(sweep, plan, metric), spec));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['page']} aria-label="Sweep" tabIndex={0}>
      <Header sweep={sweep} onReport={onReport} />
      <StatusBar sweep={sweep} plan={plan} />
      <div className={classes['body']}>
        <div className={classes['controls']}>
          <NativeSelect
            label="Metric"
            size="xs"
            value={metric.id}
            data={metrics.map(({ id, label }) => ({ value: id, label }))}
            onChange={({ currentTarget: { value } }) => setMetric(value)}
          />
          {plan.axes.length < 2 ? null : (
            <SegmentedControl
              size="xs"
              aria-label="Draw as"
              value={as}
              disabled={besideIds.length > 0}
              onChange={(value) => setAs(value === 'lines' ? 'lines' : 'heat')}
              data={[
                { value: 'heat', label: 'Heat map' },
                { value: 'lines', label: 'Lines' },
              ]}
            />
          )}
          <BesidePicker own={summary.id} chosen={besideIds} onChange={setBeside} />
          <p className={classes['meaning']}>
            {isLeftOut ? 'A sweep over another quantity can’t be drawn over this axis. ' : ''}
            {metric.meaning} <Best sweep={sweep} plan={plan} metric={metric} />
          </p>
        </div>
        <SweepChart sweep={drawn} plan={plan} metric={metric} as={as} beside={beside} />
        <PointsTable sweep={drawn} plan={plan} metric={metric} onOpen={openRun} />
      </div>
    </section>
  );
}

/** Drawing hundreds of points takes a while, so points that arrive within this time are drawn together. */
const redrawMs = 500;

interface ChartProps {
  readonly sweep: Sweep;
  readonly plan: SweepPlan;
  readonly metric: Metric;
  readonly as: 'heat' | 'lines';
  readonly beside: readonly Beside[];
}

function SweepChart({ sweep, plan, metric, as, beside }: ChartProps) {
  const spec = useMemo(
    () =>
      (as === 'heat' ? sweepHeat(sweep, plan, metric) : null) ??
      together({ ...sweep.summary, spec: sweepLines(sweep, plan, metric) }, beside),
    [sweep, plan, metric, as, beside],
  );
  return <Chart spec={spec} onOpen={openRun} height={400} />;
}

function Best({ sweep, plan, metric }: { readonly sweep: Sweep; readonly plan: SweepPlan; readonly metric: Metric }) {
  const best = bestPoint(sweep, metric);
  const run = sweep.outcomes.find((outcome) => outcome.point === best?.point);
  if (best === null || run?.status !== 'done') return null;
  return (
    <>
      {metric.best === 'least' ? 'Least' : 'Most'}:{' '}
      <LinkButton onClick={() => openRun(run.run.id)}>
        {formatValue(metric.unit, best.value)} at {plan.nameOf(best.point)}
      </LinkButton>
    </>
  );
}

function Header({ sweep: { summary, document, iterations }, onReport }: OpenedProps) {
  const change = (): void => {
    try {
      changeSweep(document, iterations);
    } catch (thrown) {
      notifyError('The sweep could not be changed', toErrorInfo(thrown));
    }
  };
  return (
    <header className={classes['header']}>
      <div className={classes['title']}>
        <h1>{summary.name}</h1>
        <p>
          <OriginBadge origin={summary.origin} compact />
          <span>
            {ranOnWords(summary)}, {formatMoment(summary.createdAt)}
          </span>
        </p>
      </div>
      <div className={classes['actions']}>
        <Button variant="default" leftSection={<IconAdjustments size={15} aria-hidden />} onClick={change}>
          Change and run again…
        </Button>
        <Button
          variant="default"
          leftSection={<IconFileTypeHtml size={15} aria-hidden />}
          onClick={onReport}
          title="One HTML file with the charts and the figures of all points"
        >
          Report
        </Button>
        <Button
          variant="default"
          leftSection={<IconTrash size={15} aria-hidden />}
          disabled={summary.status === 'running'}
          onClick={() => void deleteItems(libraryItems({ sweeps: [summary.id] }))}
        >
          Delete
        </Button>
      </div>
    </header>
  );
}

interface StatusProps {
  readonly sweep: Sweep;
  readonly plan: SweepPlan;
}

function StatusBar({ sweep, plan }: StatusProps) {
  const { id, origin, status, slurm, points, done, failed, problem } = sweep.summary;
  const reached = done + failed;
  const next = plan.count > reached && slurm === undefined ? nextPoint(sweep, plan) : null;
  const now = slurm === undefined ? (next === null ? '' : `now: ${plan.nameOf(next)}`) : jobsWords(slurm.jobs);
  return (
    <section className={classes['status']} aria-label="Progress of the sweep">
      <Progress
        className={classes['progress'] ?? ''}
        value={(reached / points) * 100}
        aria-label="Points reached"
        size="sm"
      />
      <span className="tabular">
        {reached} of {points} points{failed > 0 ? `, ${failed} failed` : ''}
      </span>
      {status === 'running' ? (
        <>
          <span className={classes['next']}>{now}</span>
          <Button
            variant="default"
            leftSection={<IconPlayerStop size={14} aria-hidden />}
            onClick={() => void cancelSweep(id)}
          >
            Cancel the sweep
          </Button>
        </>
      ) : (
        <>
          <span className={classes['next']}>
            {status === 'complete' ? 'complete' : 'stopped; what was done is kept'}
            {problem === undefined ? '' : `: ${problem.message} ${problem.remedy ?? ''}`}
          </span>
          {status === 'stopped' && origin !== 'recorded' ? (
            <Button
              leftSection={<IconPlayerPlay size={14} aria-hidden />}
              onClick={() => void continueSweep(id, false)}
            >
              Go on
            </Button>
          ) : null}
          {failed > 0 && origin !== 'recorded' ? (
            <Tooltip label="Runs the points that failed once more">
              <Button variant="default" onClick={() => void continueSweep(id, true)}>
                Try failed points again
              </Button>
            </Tooltip>
          ) : null}
        </>
      )}
    </section>
  );
}

/** Returns the first point without an outcome, which is under way, since points run in order. */
function nextPoint({ outcomes }: Sweep, { count }: SweepPlan): number | null {
  const reached = new Set(outcomes.map(({ point }) => point));
  for (let point = 0; point < count; point += 1) if (!reached.has(point)) return point;
  return null;
}

/** Announces the end of a sweep to screen readers, which a full progress bar doesn't. */
function useAnnouncedEnd({ status, done, failed, name }: SweepSummary): void {
  const [before, setBefore] = useState(status);
  useEffect(() => {
    if (before === status) return;
    setBefore(status);
    if (status !== 'running') announce(`${name}: ${status}, ${done} points done, ${failed} failed`);
  }, [before, status, done, failed, name]);
}
