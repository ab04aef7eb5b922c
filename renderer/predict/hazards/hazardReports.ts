/** Hazard reports and repairs of single hazards, made in a worker. An edit cancels work on the previous document. */

import type { Change } from '../../../core/experiment/change.ts';
import { numbersById } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Hazard, HazardReport } from '../../../core/explain/hazards/hazard.ts';
import { Listeners } from '../../common/listeners.ts';
import { debounced } from '../../common/scheduling.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment } from '../../store/select.ts';
import { beforeNextFrame, state, watch } from '../../store/store.ts';
import type { CheckedRun } from '../documentCalls.ts';
import { askAbout, whenPredicted } from '../openDocument.ts';

/** Reports by experiment, then by the run that gave the evidence. */
const reports = new WeakMap<Experiment, Map<string, HazardReport>>();
/** Repairs by experiment and hazard; null if no change is known to repair it. */
const repairs = new WeakMap<Experiment, Map<Hazard, Change | null>>();

interface Last {
  readonly document: string;
  readonly experiment: Experiment;
  readonly report: HazardReport;
}

/** The last report and its document. */
let last: Last | null = null;

/** Work under way by experiment: runs whose evidence is searched, and hazards to repair. An edit clears it. */
const asked = new Map<Experiment, Set<string | Hazard>>();
const { subscribe, tell } = new Listeners();

export { subscribe };

/** Returns null before the report exists. */
export const reportOf = (experiment: Experiment | null, run: string): HazardReport | null =>
  experiment === null ? null : (reports.get(experiment)?.get(run) ?? null);

/**
 * Returns the document's last report as far as it may still hold: hazards whose operations still exist, without
 * evidence of an earlier document's run. Null if there is no report.
 */
export function lastReport(document: string, experiment: Experiment): HazardReport | null {
  if (last?.document !== document) return null;
  if (last.experiment !== experiment) last = { ...last, experiment, report: leftOf(last.report, experiment) };
  return last.report;
}

function leftOf(report: HazardReport, experiment: Experiment): HazardReport {
  const there = numbersById(experiment);
  const isThere = ({ first, second }: Hazard): boolean => there.has(first.id) && there.has(second.id);
  if (report.hazards.every((hazard) => hazard.evidence === null && isThere(hazard))) return report;
  return { ...report, hazards: report.hazards.filter(isThere).map((hazard) => ({ ...hazard, evidence: null })) };
}

/** Undefined before it was tried. */
export const repairOf = (experiment: Experiment, hazard: Hazard): Change | null | undefined =>
  repairs.get(experiment)?.get(hazard);

/** Long enough that typing a number asks once. */
const pauseMs = 150;
/** The request that is sent if no other edit comes before. */
let soon: { readonly document: string; readonly experiment: Experiment; readonly run: LoadedRun | null } | null = null;

/** Requests the report on the open experiment a moment later. Several requests become one. */
export function askSoon(document: string, experiment: Experiment, run: LoadedRun | null): void {
  const isSame = soon?.document === document && soon.experiment === experiment && soon.run?.id === run?.id;
  soon = { document, experiment, run };
  if (!isSame) beforeNextFrame(askAfterPause);
}

const askAfterPause = debounced(() => {
  if (soon !== null) whenPredicted(soon.document, askNow);
}, pauseMs);

function askNow(): void {
  const wanted = soon;
  soon = null;
  // Another page may be open by now.
  if (wanted !== null && currentExperiment(state()) === wanted.experiment) {
    void askReport(wanted.document, wanted.experiment, wanted.run);
  }
}

async function askReport(document: string, experiment: Experiment, run: LoadedRun | null): Promise<void> {
  const id = run?.id ?? '';
  if (reportOf(experiment, id) !== null) return;
  const found = await once(experiment, id, (calls) => calls.hazards(checkedRun(run)));
  if (found === null) return;
  keepReport(document, experiment, id, found);
  tell();
}

/** Returns the run if its data was checked, since only then can it give evidence. */
function checkedRun(run: LoadedRun | null): CheckedRun | null {
  const { experiment = null, verification } = run?.run.info ?? {};
  const isChecked = verification !== undefined && verification.bytesChecked > 0;
  return isChecked && experiment !== null ? { experiment, verification } : null;
}

export async function askRepair(experiment: Experiment, report: HazardReport, hazard: Hazard): Promise<void> {
  if (repairOf(experiment, hazard) !== undefined) return;
  const found = await once(experiment, hazard, async (calls) => ({
    change: await calls.repair(report.hazards.indexOf(hazard)),
  }));
  if (found === null) return;
  const own = repairs.get(experiment) ?? new Map<Hazard, Change | null>();
  repairs.set(experiment, own.set(hazard, found.change));
  tell();
}

/** Asks the worker once. Null if that is under way, an edit came before the answer, or the worker failed. */
async function once<Found>(
  experiment: Experiment,
  what: string | Hazard,
  ask: (calls: ReturnType<typeof askAbout>) => Promise<Found | null>,
): Promise<Found | null> {
  const own = asked.get(experiment) ?? new Set();
  if (own.has(what)) return null;
  asked.set(experiment, own.add(what));
  const found = await ask(askAbout(experiment)).catch(() => null);
  const isWanted = asked.get(experiment) === own;
  if (isWanted) own.delete(what);
  return isWanted ? found : null;
}

watch((now, before) => {
  if (currentExperiment(now) !== currentExperiment(before)) asked.clear();
});

function keepReport(document: string, experiment: Experiment, run: string, report: HazardReport): void {
  const own = reports.get(experiment) ?? new Map<string, HazardReport>();
  reports.set(experiment, own.set(run, report));
  last = { document, experiment, report };
}
