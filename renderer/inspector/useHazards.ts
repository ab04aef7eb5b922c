/** The hazards of the open experiment, looked for in a worker a moment after it changed. */
import { useEffect, useSyncExternalStore } from 'react';
import type { HazardReport } from '../../core/analysis/hazards/hazard.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { LoadedRun } from '../app/loadedRun.ts';
import { currentExperiment, loadedRun, shownRunId } from '../app/store/select.ts';
import { useApp } from '../app/store/store.ts';
import type { HazardAnswer, HazardRequest } from './hazardMessages.ts';

/** Long enough that typing a number asks once. */
const pauseMs = 150;
const none: HazardReport = { hazards: [], limits: [] };

/** By experiment, then by the run that gave the evidence. */
const reports = new WeakMap<Experiment, Map<string, HazardReport>>();
const asked = new Map<number, { readonly experiment: Experiment; readonly run: string }>();
const listeners = new Set<() => void>();
let worker: Worker | null = null;
let tickets = 0;

/** Null while it is being looked for, and where nothing is open. */
export function useHazards(): HazardReport | null {
  // A lesson that asks first must not have its answer told here.
  const experiment = useApp((state) => (state.lessonWaits ? null : currentExperiment(state)));
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  const key = run?.id ?? '';
  const report = useSyncExternalStore(subscribe, () => known(experiment, key));
  useEffect(() => {
    if (experiment === null || known(experiment, key) !== null) return;
    const timer = setTimeout(() => ask(experiment, run), pauseMs);
    return () => clearTimeout(timer);
  }, [experiment, run, key]);
  return report;
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

const known = (experiment: Experiment | null, run: string): HazardReport | null =>
  experiment === null ? null : (reports.get(experiment)?.get(run) ?? null);

function ask(experiment: Experiment, run: LoadedRun | null): void {
  const key = run?.id ?? '';
  const isAsked = [...asked.values()].some((one) => one.experiment === experiment && one.run === key);
  if (isAsked || known(experiment, key) !== null) return;
  tickets += 1;
  asked.set(tickets, { experiment, run: key });
  const info = run?.run.info;
  const shown = info?.experiment == null ? null : { experiment: info.experiment, verification: info.verification };
  started().postMessage({ ticket: tickets, experiment, run: shown } satisfies HazardRequest);
}

function started(): Worker {
  worker ??= startWorker();
  return worker;
}

function startWorker(): Worker {
  const made = new Worker(new URL('./hazardWorker.ts', import.meta.url), { type: 'module' });
  made.addEventListener('message', ({ data }: MessageEvent<HazardAnswer>) => settle(data.ticket, data.report ?? none));
  // Without it the window goes on; it only says nothing of hazards, and asks a new one the next time.
  made.addEventListener('error', () => {
    worker = null;
    asked.clear();
  });
  return made;
}

function settle(ticket: number, report: HazardReport): void {
  const question = asked.get(ticket);
  asked.delete(ticket);
  if (question === undefined) return;
  const { experiment, run } = question;
  const own = reports.get(experiment) ?? new Map<string, HazardReport>();
  reports.set(experiment, own.set(run, report));
  for (const listener of listeners) listener();
}
