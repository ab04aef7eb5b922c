/** The hazards of the open experiment, searched in a worker a moment after a change. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Change } from '../../../core/experiment/change.ts';
import { operationsOf } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Hazard, HazardReport } from '../../../core/explain/hazards/hazard.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment, isOfPresent, loadedRun, pageDocumentKey, shownRunId } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { askRepair, askSoon, lastReport, repairOf, reportOf, subscribe } from './hazardReports.ts';
import { type HazardsById, type HazardsByOp, hazardsById, noHazards } from './hazardsByOp.ts';

interface Looked {
  readonly document: string | null;
  readonly experiment: Experiment | null;
  readonly run: LoadedRun | null;
  /** Report on exactly this experiment; null while the worker searches. */
  readonly report: HazardReport | null;
}

/** Null before the first report, or if nothing is open. After an edit the old report stays until the next. */
export function useHazards(): HazardReport | null {
  const { document, experiment, run, report } = useLooked();
  useEffect(() => {
    if (document === null || experiment === null || report !== null) return;
    askSoon(document, experiment, run);
  }, [document, experiment, run, report]);
  return report ?? (document === null || experiment === null ? null : lastReport(document, experiment));
}

/** Returns the hazards of each operation of the open experiment. */
export const useHazardsById = (): HazardsById => hazardsById(useHazards());

/**
 * Returns them for the lanes of a run, looked up only for what is drawn, since each edit makes a new run. Empty if the
 * run is of another program, or during the search.
 */
export function useHazardOps(run: LoadedRun): HazardsByOp {
  const found = useHazardsById();
  const isPresent = useApp((state) => isOfPresent(state, run));
  return useMemo(() => {
    const { experiment } = run.run.info;
    if (!isPresent || experiment === null || found.size === 0) return noHazards;
    const get = (op: number): readonly Hazard[] | undefined => found.get(operationsOf(experiment)[op]?.id ?? '');
    return { size: found.size, get, has: (op) => get(op) !== undefined };
  }, [run, found, isPresent]);
}

function useLooked(): Looked {
  const document = useApp(pageDocumentKey);
  // The hazards would give away the answer of a lesson's open question.
  const experiment = useApp((state) => (state.lessonWaits ? null : currentExperiment(state)));
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  const report = useSyncExternalStore(subscribe, () => reportOf(experiment, run?.id ?? ''));
  return { document, experiment, run, report };
}

/** Returns the change that repairs a hazard, found by the worker after the first call. Null before, or if unknown. */
export function useRepair(hazard: Hazard): Change | null {
  const { experiment, report } = useLooked();
  const repair = useSyncExternalStore(subscribe, () => (experiment === null ? null : repairOf(experiment, hazard)));
  useEffect(() => {
    if (experiment === null || report?.hazards.includes(hazard) !== true) return;
    void askRepair(experiment, report, hazard);
  }, [experiment, report, hazard]);
  return repair ?? null;
}
