/** The hazards of the open experiment, looked for in a worker a moment after it changed. */
import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Change } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Hazard, HazardReport } from '../../../core/hazards/hazard.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment, isOfPresent, loadedRun, pageDocumentKey, shownRunId } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { askRepair, askSoon, lastReport, repairOf, reportOf, subscribe } from './hazardReports.ts';
import { type HazardsById, type HazardsByOp, hazardsById, noHazards } from './hazardsByOp.ts';

interface Looked {
  readonly document: string | null;
  readonly experiment: Experiment | null;
  readonly run: LoadedRun | null;
  /** Of this very experiment; null while it is being looked for. */
  readonly report: HazardReport | null;
}

/**
 * Null before anything was found, and where nothing is open. After an edit it stays for the moment until the changed
 * experiment has been looked through.
 */
export function useHazards(): HazardReport | null {
  const { document, experiment, run, report } = useLooked();
  useEffect(() => {
    if (document === null || experiment === null || report !== null) return;
    askSoon(document, experiment, run);
  }, [document, experiment, run, report]);
  return report ?? (document === null || experiment === null ? null : lastReport(document, experiment));
}

/** The hazards that each operation of the open experiment has part in. */
export const useHazardsById = (): HazardsById => hazardsById(useHazards());

/** The same for the lanes of a run. Empty if it is of another program, or the hazards are still being looked for. */
export function useHazardOps(run: LoadedRun): HazardsByOp {
  const found = useHazardsById();
  const isPresent = useApp((state) => isOfPresent(state, run));
  return useMemo(() => {
    if (!isPresent || found.size === 0) return noHazards;
    const numbered = [...found].map(([id, hazards]) => [run.opOf(id) ?? -1, hazards] as const);
    return new Map(numbered.filter(([op]) => op >= 0));
  }, [run, found, isPresent]);
}

function useLooked(): Looked {
  const document = useApp(pageDocumentKey);
  // A lesson that asks first must not have its answer told here.
  const experiment = useApp((state) => (state.lessonWaits ? null : currentExperiment(state)));
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  const report = useSyncExternalStore(subscribe, () => reportOf(experiment, run?.id ?? ''));
  return { document, experiment, run, report };
}

/** The change that repairs a hazard, tried in the worker when this is first drawn; null before, and where none is known. */
export function useRepair(hazard: Hazard): Change | null {
  const { experiment, report } = useLooked();
  const repair = useSyncExternalStore(subscribe, () => (experiment === null ? null : repairOf(experiment, hazard)));
  useEffect(() => {
    if (experiment === null || report?.hazards.includes(hazard) !== true) return;
    void askRepair(experiment, report, hazard);
  }, [experiment, report, hazard]);
  return repair ?? null;
}
