/** Reports on hazards, made in a worker, and what repairs single hazards. An edit calls off what is under way for the document before. */

import type { Change } from '../../../core/experiment/change.ts';
import { numbersById } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Hazard, HazardReport } from '../../../core/hazards/hazard.ts';
import { debounced } from '../../common/debounced.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment } from '../../store/select.ts';
import { beforeNextFrame, state, watch } from '../../store/store.ts';
import type { CheckedRun } from '../documentCalls.ts';
import { askAbout } from '../openDocument.ts';
import { whenPredicted } from '../predicting.ts';

/** By experiment, then by the run that gave the evidence. */
const reports = new WeakMap<Experiment, Map<string, HazardReport>>();
/** By experiment and hazard; null where no change is known that repairs it. */
const repairs = new WeakMap<Experiment, Map<Hazard, Change | null>>();

interface Last {
  readonly document: string;
  readonly experiment: Experiment;
  readonly report: HazardReport;
}

/** The last report, and whose it is. */
let last: Last | null = null;

/** What is under way, by experiment: the runs whose evidence is looked for, and the hazards to be repaired. An edit clears it. */
const asked = new Map<Experiment, Set<string | Hazard>>();
const listeners = new Set<() => void>();

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null before it was found. */
export const reportOf = (experiment: Experiment | null, run: string): HazardReport | null =>
  experiment === null ? null : (reports.get(experiment)?.get(run) ?? null);

/**
 * What was found in the document last, as far as it may still hold: hazards of the operations that are still there, without
 * what a run of the document before gave as evidence. Null if nothing was found yet.
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
/** What is asked for when no other edit has come by then. */
let soon: { readonly document: string; readonly experiment: Experiment; readonly run: LoadedRun | null } | null = null;

/** Asks for the report on the open experiment a moment later. Whoever shows hazards asks; one question comes of it. */
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

/** Only a run whose data was checked can give evidence. */
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

/** Asks what isn't asked already. Null where it is, where an edit came before the answer, and where the worker failed. */
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

function tell(): void {
  for (const listener of listeners) listener();
}

function keepReport(document: string, experiment: Experiment, run: string, report: HazardReport): void {
  const own = reports.get(experiment) ?? new Map<string, HazardReport>();
  reports.set(experiment, own.set(run, report));
  last = { document, experiment, report };
}
