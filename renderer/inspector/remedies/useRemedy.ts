/** The remedy of a verdict, predicted in a worker when its card is shown. */
import { useEffect, useSyncExternalStore } from 'react';
import type { Remedy } from '../../../core/analysis/counterfactual/remedy.ts';
import type { Verdict } from '../../../core/analysis/verdicts/verdict.ts';
import { mostRows, type RunProfile } from '../../../core/calibrate/fit/runProfile.ts';
import { predictingProfile } from '../../app/attainable.ts';
import type { LoadedRun } from '../../app/loadedRun.ts';
import { host } from '../../app/store/actions.ts';
import { state } from '../../app/store/store.ts';
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
const asked = new Map<number, { readonly run: LoadedRun; readonly op: number; readonly profile: string }>();
/** The machine of each run as its first answer told it, so that a run is sent once. */
const machines = new WeakMap<LoadedRun, RunProfile>();
const listeners = new Set<() => void>();
let worker: Worker | null = null;
let tickets = 0;

export function useRemedy(run: LoadedRun, verdict: Verdict): RemedyState {
  const { op } = verdict;
  const isTested = hasCause(verdict) && run.run.info.experiment !== null;
  const remedy = useSyncExternalStore(subscribe, () => known.get(run)?.get(op) ?? null);
  useEffect(() => {
    if (isTested && remedy === null) void ask(run, verdict);
  }, [run, verdict, isTested, remedy]);
  return isTested ? (remedy ?? 'testing') : 'none';
}

const hasCause = ({ op, cause }: Verdict): boolean =>
  op >= 0 && cause !== 'overlapped' && cause !== 'nothing-to-overlap';

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function put(run: LoadedRun, op: number, found: RemedyState): void {
  const own = known.get(run) ?? new Map<number, RemedyState>();
  known.set(run, own.set(op, found));
  for (const listener of listeners) listener();
}

async function ask(run: LoadedRun, verdict: Verdict): Promise<void> {
  const { experiment } = run.run.info;
  if (experiment === null || known.get(run)?.has(verdict.op) === true) return;
  put(run, verdict.op, 'testing');
  const profile = await predictingProfile(run.run.info, state().profiles, host());
  if (profile === null) {
    put(run, verdict.op, 'none');
    return;
  }
  tickets += 1;
  asked.set(tickets, { run, op: verdict.op, profile: profile.name });
  const machine = machines.get(run);
  const shown = machine === undefined && run.run.trace.count <= mostRows ? run.run : null;
  const request = { ticket: tickets, experiment, verdict, profile: machine?.profile ?? profile, run: shown };
  started().postMessage(request satisfies RemedyRequest);
}

function started(): Worker {
  worker ??= startWorker();
  return worker;
}

function startWorker(): Worker {
  const made = new Worker(new URL('./remedyWorker.ts', import.meta.url), { type: 'module', name: 'remedies' });
  made.addEventListener('message', ({ data }: MessageEvent<RemedyAnswer>) => settle(data));
  // Without it the verdicts stand as they are, and the next card starts a new one.
  made.addEventListener('error', () => {
    made.terminate();
    worker = null;
    for (const ticket of [...asked.keys()]) settle({ ticket, remedy: null, machine: null });
  });
  return made;
}

function settle({ ticket, remedy, machine }: RemedyAnswer): void {
  const question = asked.get(ticket);
  asked.delete(ticket);
  if (question === undefined) return;
  const { run, op, profile } = question;
  if (machine !== null) machines.set(run, machine);
  const ownRates = (machines.get(run)?.fromRun.length ?? 0) > 0;
  put(run, op, remedy === null ? 'none' : { remedy, profile, ownRates });
}
