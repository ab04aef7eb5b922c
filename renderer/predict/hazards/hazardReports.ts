/** Reports on hazards, made in a worker, and what repairs single hazards. An edit ends what is under way for the document before. */

import type { Change } from '../../../core/experiment/change.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Hazard, HazardReport } from '../../../core/hazards/hazard.ts';
import { debounced } from '../../common/debounced.ts';
import { DocumentSender } from '../../common/sentDocument.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment } from '../../store/select.ts';
import { beforeNextFrame, state, watch } from '../../store/store.ts';
import { whenPredicted } from '../predicting.ts';
import type { FindHazards, HazardAnswer, HazardRequest, RepairHazard } from './hazardMessages.ts';
import { type HazardsByOp, hazardsByOp, keptMarks } from './hazardsByOp.ts';
import { keptHazards, steadyReport } from './keptHazards.ts';

const none: HazardReport = { hazards: [], limits: [] };

/** By experiment, then by the run that gave the evidence. */
const reports = new WeakMap<Experiment, Map<string, HazardReport>>();
/** By experiment and hazard; null where no change is known that repairs it. */
const repairs = new WeakMap<Experiment, Map<Hazard, Change | null>>();

/** What an edit leaves of a report, each made when it is asked for. */
interface Kept {
  report?: HazardReport;
  marks?: HazardsByOp;
}

interface Last {
  readonly document: string;
  readonly experiment: Experiment;
  readonly report: HazardReport;
  /** By the document after an edit. */
  readonly kept: WeakMap<Experiment, Kept>;
}

/** The last report, and whose it is. */
let last: Last | null = null;

type Question = { readonly experiment: Experiment; readonly since: number } & (
  | { readonly document: string; readonly run: string; readonly message: FindHazards }
  | { readonly hazard: Hazard; readonly message: RepairHazard }
);

const asked = new Map<number, Question>();
const listeners = new Set<() => void>();
let worker: Worker | null = null;
const documents = new DocumentSender();
let tickets = 0;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null before it was found. */
export const reportOf = (experiment: Experiment | null, run: string): HazardReport | null =>
  experiment === null ? null : (reports.get(experiment)?.get(run) ?? null);

/** What was found in the document last, for what it is now; null where nothing was. */
export function lastReport(document: string, experiment: Experiment): HazardReport | null {
  if (last?.document !== document) return null;
  const own = keptOf(last, experiment);
  own.report ??= keptHazards(last.report, last.experiment, experiment);
  return own.report;
}

/** The same for marks in lanes, which are drawn with the edit itself. */
export function lastMarks(document: string, experiment: Experiment): HazardsByOp | null {
  if (last?.document !== document) return null;
  const own = keptOf(last, experiment);
  own.marks ??= keptMarks(hazardsByOp(last.report), last.experiment, experiment);
  return own.marks;
}

function keptOf({ kept }: Last, experiment: Experiment): Kept {
  const own = kept.get(experiment) ?? {};
  kept.set(experiment, own);
  return own;
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
    askReport(wanted.document, wanted.experiment, wanted.run);
  }
}

function askReport(document: string, experiment: Experiment, run: LoadedRun | null): void {
  const id = run?.id ?? '';
  const isAsked = [...asked.values()].some(
    (one) => 'run' in one && one.experiment === experiment && one.run === id && one.document === document,
  );
  if (isAsked || reportOf(experiment, id) !== null) return;
  send({ document, experiment, since: performance.now(), run: id, message: { kind: 'find', run: checkedRun(run) } });
}

/** Only a run whose data was checked can give evidence. */
function checkedRun(run: LoadedRun | null): FindHazards['run'] {
  const { experiment = null, verification } = run?.run.info ?? {};
  const isChecked = verification !== undefined && verification.bytesChecked > 0;
  return isChecked && experiment !== null ? { experiment, verification } : null;
}

export function askRepair(experiment: Experiment, report: HazardReport, hazard: Hazard): void {
  const isAsked = [...asked.values()].some((one) => 'hazard' in one && one.hazard === hazard);
  if (isAsked || repairOf(experiment, hazard) !== undefined) return;
  const message = { kind: 'repair', hazard: report.hazards.indexOf(hazard) } as const;
  send({ experiment, since: performance.now(), hazard, message });
}

function send(question: Question): void {
  tickets += 1;
  asked.set(tickets, question);
  worker ??= startWorker();
  const document = documents.send(question.experiment);
  worker.postMessage({ ticket: tickets, document, question: question.message } satisfies HazardRequest);
}

function startWorker(): Worker {
  const made = new Worker(new URL('./hazardWorker.ts', import.meta.url), { type: 'module', name: 'hazards' });
  made.onmessage = ({ data }: MessageEvent<HazardAnswer>) => settle(data);
  // Without it the window goes on; it only says nothing of hazards, and asks a new one the next time.
  made.onerror = end;
  return made;
}

function end(): void {
  worker?.terminate();
  worker = null;
  documents.forget();
  asked.clear();
}

/** A worker that is at something for longer is ended by the next edit; another one has to be sent the whole document. */
const patienceMs = 1000;

// First of all: a processor that still works on the document before can't draw the lanes of the new one.
watch((now, before) => {
  if (asked.size === 0 || currentExperiment(now) === currentExperiment(before)) return;
  const isLong = (one: Question): boolean => 'hazard' in one || performance.now() - one.since > patienceMs;
  if ([...asked.values()].some(isLong)) end();
  else asked.clear();
});

function settle(answer: HazardAnswer): void {
  const question = asked.get(answer.ticket);
  asked.delete(answer.ticket);
  if (answer.kind === 'stale') documents.forget();
  if (question === undefined) return;
  if (answer.kind === 'stale') {
    send(question);
    return;
  }
  if (answer.kind === 'found' && 'run' in question) keepReport(question, answer.report ?? none);
  if (answer.kind === 'repaired' && 'hazard' in question) {
    const own = repairs.get(question.experiment) ?? new Map<Hazard, Change | null>();
    repairs.set(question.experiment, own.set(question.hazard, answer.change));
  }
  for (const listener of listeners) listener();
}

function keepReport({ document, experiment, run }: Extract<Question, { run: string }>, found: HazardReport): void {
  const before = lastReport(document, experiment);
  const report = before === null ? found : steadyReport(before, found);
  const own = reports.get(experiment) ?? new Map<string, HazardReport>();
  reports.set(experiment, own.set(run, report));
  last = { document, experiment, report, kept: new WeakMap() };
}
