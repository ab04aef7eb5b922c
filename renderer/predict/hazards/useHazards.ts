/** The hazards of the open experiment, looked for in a worker a moment after it changed. */
import { useEffect, useSyncExternalStore } from 'react';
import type { Change } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Hazard, HazardReport } from '../../../core/hazards/hazard.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment, loadedRun, pageDocumentKey, shownRunId } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { askRepair, askSoon, lastMarks, lastReport, repairOf, reportOf, subscribe } from './hazardReports.ts';
import { type HazardsByOp, hazardsByOp } from './hazardsByOp.ts';

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
  const { document, experiment, report } = useAsked();
  return report ?? (document === null || experiment === null ? null : lastReport(document, experiment));
}

/** What was found, and asks for it where nothing was. */
function useAsked(): Looked {
  const looked = useLooked();
  const { document, experiment, run, report } = looked;
  useEffect(() => {
    if (document === null || experiment === null || report !== null) return;
    askSoon(document, experiment, run);
  }, [document, experiment, run, report]);
  return looked;
}

const noneByOp: HazardsByOp = new Map();

/** The hazards that each operation has part in, by its number. */
export function useHazardsByOp(): HazardsByOp {
  const report = useHazards();
  return report === null ? noneByOp : hazardsByOp(report);
}

/** The same for marks: after an edit, until it has been looked through, they name operations by the numbers of before. */
export function useHazardMarks(): HazardsByOp {
  const { document, experiment, report } = useAsked();
  if (document === null || experiment === null) return noneByOp;
  return report === null ? (lastMarks(document, experiment) ?? noneByOp) : hazardsByOp(report);
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
