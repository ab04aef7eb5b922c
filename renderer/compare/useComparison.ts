/** The window's side of the comparing worker. It computes one answer at a time, and caches the answers. */
import { useEffect, useState } from 'react';
import { toErrorInfo } from '../../core/errors.ts';
import type { StepsCompared } from '../../core/lift/settle.ts';
import { settledPrediction } from '../../core/service/settled.ts';
import { useAnswer } from '../common/hooks.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import { predictingProfile } from '../store/attainable.ts';
import { host } from '../store/host.ts';
import { notifyError } from '../store/notify.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { state } from '../store/store.ts';
import type { Loading } from '../store/types.ts';
import type { CompareCalls, Compared } from './compareStore.ts';

/** Comparisons kept; the oldest goes first. */
const mostKept = 12;
const kept = new Map<string, Loading<Compared>>();

const worker = new CalledWorker<CompareCalls>(
  () => new Worker(new URL('./compareWorker.ts', import.meta.url), { type: 'module', name: 'compare' }),
  (why) => ({
    code: 'compare.worker-ended',
    message: `The thread that compares runs ended: ${why}.`,
    remedy: 'Choose the runs again; runs this large may need more memory than there is.',
  }),
);
let asked: { readonly key: string } | null = null;

const loading = { status: 'loading' } as const;

/** Null while a run is missing. Runs never change, so their ids identify a comparison. */
export function useComparison(a: LoadedRun | null, b: LoadedRun | null): Loading<Compared> | null {
  const [answer, setAnswer] = useState<{ readonly key: string; readonly found: Loading<Compared> } | null>(null);
  const key = a === null || b === null ? null : `${a.id} ${b.id}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: see above.
  useEffect(() => {
    if (key === null || a === null || b === null) return;
    const known = kept.get(key);
    if (known !== undefined) setAnswer({ key, found: known });
    else void answered(key, worker.calls.compare(a.run, b.run), (found) => setAnswer({ key, found }));
    return () => drop(key);
  }, [key]);
  if (key === null) return null;
  return answer?.key === key ? answer.found : loading;
}

const noSteps: StepsCompared = { parts: [], settled: null };

/** Null until the steps of both runs are compared; without parts if one of them has no steps. */
export function useStepsCompared(a: LoadedRun | null, b: LoadedRun | null): StepsCompared | null {
  const ask = async () => (a === null || b === null ? noSteps : comparedSteps(a, b).catch(() => noSteps));
  return useAnswer(a === null || b === null ? null : `${a.id} ${b.id}`, ask);
}

async function comparedSteps(a: LoadedRun, b: LoadedRun): Promise<StepsCompared> {
  if (a.run.info.imported === undefined || b.run.info.imported === undefined) return noSteps;
  const profile = await predictingProfile(a.run.info, state().profiles, host());
  if (profile === null) return noSteps;
  const found = await worker.calls.steps(a.run, b.run, profile);
  if (found.settled !== null) {
    const settled = settledPrediction([a.run.info, b.run.info], profile.name, found.settled);
    await host()
      .keepSettled(settled)
      .catch((thrown: unknown) => notifyError('The settled prediction is not kept', toErrorInfo(thrown)));
  }
  return found;
}

async function answered(
  key: string,
  answer: Promise<Compared>,
  listener: (answer: Loading<Compared>) => void,
): Promise<void> {
  const mine = { key };
  asked = mine;
  const found = await answer.then(
    (value) => ({ status: 'ready', value }) as const,
    (thrown: unknown) => ({ status: 'failed', error: toErrorInfo(thrown) }) as const,
  );
  if (asked !== mine) return;
  asked = null;
  if (found.status === 'ready') keep(key, found);
  listener(found);
}

/** Ends the worker when no view waits for the answer, since a long comparison would delay the next. */
function drop(key: string): void {
  if (asked?.key !== key) return;
  asked = null;
  worker.end({ code: 'compare.cancelled', message: 'It was cancelled.' });
}

function keep(key: string, found: Loading<Compared>): void {
  kept.set(key, found);
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
}
