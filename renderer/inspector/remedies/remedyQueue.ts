/** Remedies of verdicts, predicted in a worker one after another. */

import { type Shown, tellsMachine } from '../../../core/cost/runCosts.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { DeviceProfile } from '../../../core/profile/profile.ts';
import { maxTriedInstructions } from '../../../core/remedies/predict.ts';
import type { Remedy } from '../../../core/remedies/remedy.ts';
import type { Verdict } from '../../../core/verdicts/verdict.ts';
import { DocumentSender, type Stale } from '../../common/sentDocument.ts';
import { isLongerThan } from '../../predict/predict.ts';
import { predictingProfile } from '../../store/attainable.ts';
import { host } from '../../store/host.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { currentExperiment } from '../../store/select.ts';
import { state, watch } from '../../store/store.ts';
import type { RemedyAnswer, RemedyRequest } from './messages.ts';

export interface PredictedRemedy {
  readonly remedy: Remedy;
  /** Name of the profile that it was predicted with. */
  readonly profile: string;
  /** Whether the run's own rates stood in the place of the profile's, where it has them. */
  readonly ownRates: boolean;
}

/** testing: under way. none: there is nothing to test, or it can't be. */
export type RemedyState = PredictedRemedy | 'testing' | 'none';

const known = new WeakMap<LoadedRun, Map<number, RemedyState>>();

interface Question {
  readonly run: LoadedRun;
  readonly experiment: Experiment;
  readonly verdict: Verdict;
  readonly profile: DeviceProfile;
}

type Asked = Question & { readonly ticket: number; readonly since: number };

/** Under way; null where nothing is. */
let current: Asked | null = null;
const waiting: Question[] = [];
const documents = new DocumentSender();
/** What each run shows, as its first answer told it, so that a run is sent once. */
const shownByRuns = new WeakMap<LoadedRun, Shown>();
const listeners = new Set<() => void>();
let worker: Worker | null = null;
let tickets = 0;

/** Null before it was asked for. */
export const remedyOf = (run: LoadedRun, op: number): RemedyState | null => known.get(run)?.get(op) ?? null;

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(run: LoadedRun, op: number, found: RemedyState): void {
  const own = known.get(run) ?? new Map<number, RemedyState>();
  known.set(run, own.set(op, found));
  for (const listener of listeners) listener();
}

/** Asks for what is not known yet. An edit calls off what has not begun. */
export async function askRemedy(run: LoadedRun, verdict: Verdict): Promise<void> {
  const { experiment } = run.run.info;
  if (experiment === null || known.get(run)?.has(verdict.op) === true) return;
  put(run, verdict.op, 'testing');
  // Of what is too long the worker would only say so.
  const profile = isLongerThan(maxTriedInstructions, experiment)
    ? null
    : await predictingProfile(run.run.info, state().profiles, host());
  if (profile === null) {
    put(run, verdict.op, 'none');
    return;
  }
  waiting.push({ run, experiment, verdict, profile });
  askNext();
}

/** One at a time, so that what an edit makes needless is never begun. */
function askNext(): void {
  if (current !== null) return;
  const question = waiting.shift();
  if (question === undefined) return;
  tickets += 1;
  current = { ...question, ticket: tickets, since: performance.now() };
  post(current);
}

function post({ ticket, run, experiment, verdict, profile }: Asked): void {
  worker ??= startWorker();
  const shown = shownByRuns.get(run) ?? null;
  const { info, trace } = run.run;
  const unread = shown === null && tellsMachine(run.run) ? { info: { ...info, experiment: null }, trace } : null;
  const document = documents.send(experiment);
  const request = { ticket, document, verdict, profile, shown, run: unread };
  worker.postMessage(request satisfies RemedyRequest);
}

function startWorker(): Worker {
  const made = new Worker(new URL('./remedyWorker.ts', import.meta.url), { type: 'module', name: 'remedies' });
  made.addEventListener('message', ({ data }: MessageEvent<RemedyAnswer | Stale>) => receive(data));
  // Without it the verdicts stand as they are, and the next card starts a new one.
  made.addEventListener('error', () => {
    const failed = [...(current === null ? [] : [current]), ...waiting.splice(0)];
    end();
    for (const { run, verdict } of failed) put(run, verdict.op, 'none');
  });
  return made;
}

function end(): void {
  worker?.terminate();
  worker = null;
  documents.forget();
  current = null;
}

/** A test under way for longer gives way to the next edit. */
const patienceMs = 1000;

watch((now, before) => {
  if (current === null || currentExperiment(now) === currentExperiment(before)) return;
  // Cards of theirs that are shown again ask anew.
  for (const { run, verdict } of waiting.splice(0)) known.get(run)?.delete(verdict.op);
  if (performance.now() - current.since <= patienceMs) return;
  known.get(current.run)?.delete(current.verdict.op);
  end();
});

function receive(answer: RemedyAnswer | Stale): void {
  if (current?.ticket !== answer.ticket) return;
  if ('kind' in answer) {
    documents.forget();
    post(current);
    return;
  }
  const { run, verdict, profile } = current;
  const { remedy, shown } = answer;
  current = null;
  if (shown !== null) shownByRuns.set(run, shown);
  const ownRates = (shownByRuns.get(run)?.size ?? 0) > 0;
  put(run, verdict.op, remedy === null ? 'none' : { remedy, profile: profile.name, ownRates });
  askNext();
}
