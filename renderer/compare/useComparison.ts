/** The window's side of the worker that compares: one pair at a time, and what was compared is kept. */
import { useEffect, useState } from 'react';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import type { Loading } from '../store/types.ts';
import type { CompareAnswer, Compared, CompareRequest } from './messages.ts';

type Listener = (answer: Loading<Compared>) => void;

/** Comparisons kept, the oldest going first. */
const mostKept = 12;
const kept = new Map<string, Loading<Compared>>();

let worker: Worker | null = null;
let tickets = 0;
let asked: { readonly ticket: number; readonly key: string; readonly listener: Listener } | null = null;

const loading: Loading<Compared> = { status: 'loading' };

/** Null while a run is missing. */
export function useComparison(a: LoadedRun | null, b: LoadedRun | null): Loading<Compared> | null {
  const key = a === null || b === null ? null : `${a.id} ${b.id}`;
  const [answer, setAnswer] = useState<{ readonly key: string; readonly found: Loading<Compared> } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs never change, so their ids say when to compare anew.
  useEffect(() => {
    if (key === null || a === null || b === null) return;
    const known = kept.get(key);
    if (known !== undefined) setAnswer({ key, found: known });
    else ask(key, a, b, (found) => setAnswer({ key, found }));
    return () => drop(key);
  }, [key]);
  if (key === null) return null;
  return answer?.key === key ? answer.found : loading;
}

function ask(key: string, a: LoadedRun, b: LoadedRun, listener: Listener): void {
  tickets += 1;
  asked = { ticket: tickets, key, listener };
  worker ??= started();
  worker.postMessage({ ticket: tickets, a: a.run, b: b.run } satisfies CompareRequest);
}

/** Nobody waits for it any more: the worker is ended, since a long comparison would hold up the next. */
function drop(key: string): void {
  if (asked?.key !== key) return;
  asked = null;
  worker?.terminate();
  worker = null;
}

function started(): Worker {
  const made = new Worker(new URL('./compareWorker.ts', import.meta.url), { type: 'module', name: 'compare' });
  made.onmessage = (event: MessageEvent<CompareAnswer>) => receive(event.data);
  made.onerror = (event) => {
    made.terminate();
    if (worker === made) worker = null;
    const error = {
      code: 'compare.worker-ended',
      message: `The thread that compares runs ended: ${event.message || 'it gave no reason'}.`,
      remedy: 'Choose the runs again; runs this large may need more memory than there is.',
    };
    asked?.listener({ status: 'failed', error });
    asked = null;
  };
  return made;
}

function receive(answer: CompareAnswer): void {
  if (answer.ticket !== asked?.ticket) return;
  const { key, listener } = asked;
  asked = null;
  const found: Loading<Compared> =
    answer.kind === 'failed' ? { status: 'failed', error: answer.error } : { status: 'ready', value: answer };
  if (found.status === 'ready') keep(key, found);
  listener(found);
}

function keep(key: string, found: Loading<Compared>): void {
  kept.set(key, found);
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest);
}
