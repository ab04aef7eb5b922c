/** The printed page of the window: the open run, comparison or sweep. A lesson prints itself. */
import { useMemo } from 'react';
import { createPortal } from 'react-dom';
import { create } from 'zustand';
import { parseSweep } from '../../core/apps/sweep/parse.ts';
import { compareRuns } from '../../core/explain/compare/comparison.ts';
import { differenceBlocks, timeBlocks } from '../../core/present/comparison.ts';
import { pointsTable, reachedText } from '../../core/present/sweep.ts';
import { formatDuration } from '../../core/units.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { breakdownCharts } from '../charts/breakdowns.ts';
import { lookOf } from '../charts/look.ts';
import { linkOf } from '../charts/RunCharts.tsx';
import type { ChartSpec } from '../charts/spec.ts';
import { SchemeContext } from '../common/hooks.ts';
import { deviceAndTime, formatInstant, ranOnWords } from '../common/time.ts';
import { usePlan } from '../plan/planStore.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { comparedRunIds, loadedRun, shownRunId, titleOfLoaded } from '../store/select.ts';
import { useApp, useDerived } from '../store/store.ts';
import { useSweeps } from '../store/sweeps.ts';
import type { AppState } from '../store/types.ts';
import { sweepSpecs } from '../sweep/specs.ts';
import { PlanPart, VerdictsPart } from './AnswersPart.tsx';
import { mostListed } from './ComparisonPart.tsx';
import paper from './Paper.module.css';
import { PaperLanes, usePrinting } from './PaperLanes.tsx';
import classes from './Report.module.css';
import { SummaryGrid } from './RunPart.tsx';

type Engine = typeof import('../charts/engine.ts');

/** Loaded before printing, since charts must be drawn at once. */
const useEngine = create<{ readonly engine: Engine | null }>()(() => ({ engine: null }));

/** Opens the print dialog when everything can be drawn. */
export async function printShown(): Promise<void> {
  useEngine.setState({ engine: await import('../charts/engine.ts') });
  window.print();
}

export function Paper() {
  const printing = usePrinting();
  return printing ? <Printed /> : null;
}

/** Returns the runs to print; none for a lesson, which has its own printed page. */
const shownRuns = (state: AppState): (LoadedRun | null)[] => {
  if (state.page.kind === 'compare') return comparedRunIds(state).map((id) => loadedRun(state, id));
  return state.page.kind === 'lesson' ? [] : [loadedRun(state, shownRunId(state))];
};

function Printed() {
  const kind = useApp((state) => state.page.kind);
  const runs = useDerived(shownRuns).filter((run) => run !== null);
  const isCompared = kind === 'compare';
  const extentNs = Math.max(0, ...runs.map((run) => run.view(null).makespanNs));
  const [first, second] = runs;
  const comparison = useMemo(
    () => (isCompared && first !== undefined && second !== undefined ? compareRuns(first.run, second.run) : null),
    [isCompared, first, second],
  );
  if (kind !== 'sweep' && runs.length === 0) return null;
  return createPortal(
    <SchemeContext value="light">
      <div className={`${paper['paper']} ${classes['report']}`} data-testid="paper">
        {kind === 'sweep' ? <PrintedSweep /> : null}
        {isCompared ? (
          <>
            <h1>Runs compared</h1>
            {runs.map((run) => (
              <RunLanes key={run.id} run={run} extentNs={extentNs} />
            ))}
            {comparison === null ? null : (
              <section aria-label="Differences">
                <Blocks blocks={[...timeBlocks(comparison), ...differenceBlocks(comparison, { most: mostListed })]} />
              </section>
            )}
          </>
        ) : (
          runs.map((run) => <PrintedRun key={run.id} run={run} />)
        )}
      </div>
    </SchemeContext>,
    document.body,
  );
}

function useWords(run: LoadedRun): { readonly title: string; readonly about: string } {
  const title = useApp((state) => titleOfLoaded(state, run));
  const summary = useApp((state) => state.runs[run.id]);
  const about =
    summary === undefined ? 'simulated' : deviceAndTime(ranOnWords(summary), formatInstant(summary.createdAt));
  return { title, about };
}

function RunLanes({ run, extentNs }: { readonly run: LoadedRun; readonly extentNs: number }) {
  const { title, about } = useWords(run);
  const view = run.view(null);
  const words = `${formatDuration(view.makespanNs)}, ${about}`;
  return <PaperLanes run={run} view={view} title={title} about={words} extentNs={extentNs} />;
}

function PrintedRun({ run }: { readonly run: LoadedRun }) {
  const { title, about } = useWords(run);
  const iteration = useApp((state) => state.iteration);
  const origin = useApp((state) => state.runs[run.id]?.origin ?? 'simulated');
  const { answer, steps, plan, planSteps } = usePlan(run.id);
  const view = run.view(iteration);
  const { summary } = run;
  const charts =
    summary === null
      ? []
      : breakdownCharts(summary, origin, run.run.info.iterations.recordedMakespanNs, { bytesPerSecond: linkOf(run) });
  return (
    <>
      <h1>{title}</h1>
      <p>
        {about}. Makespan {formatDuration(view.makespanNs)}.
      </p>
      {steps === null || plan === null ? null : (
        <PlanPart answers={{ answer, steps, plan, planSteps, ...(steps.ranks ?? {}) }} unfolded />
      )}
      <PaperLanes run={run} view={view} title={title} about={about} />
      {summary === null ? null : (
        <>
          <VerdictsPart summary={summary} />
          <section aria-label="Figures">
            <h2>Figures</h2>
            <SummaryGrid summary={summary} />
          </section>
        </>
      )}
      <PaperCharts specs={charts} />
    </>
  );
}

function PrintedSweep() {
  const id = useApp((state) => (state.page.kind === 'sweep' ? state.page.id : ''));
  const opened = useSweeps((state) => state.opened[id]);
  if (opened?.status !== 'ready') return null;
  const { value: sweep } = opened;
  const parsed = parseSweep(sweep.document);
  return (
    <>
      <h1>{sweep.summary.name}</h1>
      <p>
        {ranOnWords(sweep.summary)}, {formatInstant(sweep.summary.createdAt)}.{' '}
        {reachedText(sweep.outcomes, sweep.summary.points)}
      </p>
      <PaperCharts specs={parsed.ok ? sweepSpecs(sweep, parsed.plan) : []} />
      {parsed.ok ? <Blocks blocks={[pointsTable(parsed.plan, sweep.outcomes)]} level={2} /> : null}
    </>
  );
}

const chartWidth = 800;

function PaperCharts({ specs }: { readonly specs: readonly ChartSpec[] }) {
  const engine = useEngine((state) => state.engine);
  if (engine === null) return null;
  return specs.map((spec) => (
    <figure
      key={spec.title}
      aria-label={spec.title}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: a drawing by ECharts, which escapes the names in it.
      dangerouslySetInnerHTML={{ __html: engine.drawn(spec, lookOf('light'), chartWidth).text }}
    />
  ));
}
