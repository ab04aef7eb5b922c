/** Stand-ins for either side of a worker, which record the calls or the answers of the tested side. */
import { vi } from 'vitest';
import { CalledWorker } from '../../../renderer/common/workerCalls.ts';

type Listener = (event: { readonly data?: unknown; readonly message?: string }) => void;

/** birpc's message of a call. A call without a number has no answer. */
export interface Call {
  readonly m: string;
  readonly a: readonly unknown[];
  readonly i?: string;
}

/** Replaces the browser's Worker: keeps its calls, and answers on a test's request. */
export class FakeWorker {
  readonly sent: Call[] = [];
  isEnded = false;
  readonly #listeners = new Map<string, Listener>();

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, listener);
  }

  postMessage(message: Call): void {
    this.sent.push(structuredClone(message));
  }

  terminate(): void {
    this.isEnded = true;
  }

  /** Returns the calls of a function so far. */
  calls(name: string): readonly Call[] {
    return this.sent.filter(({ m }) => m === name);
  }

  /** Answers the last call of a function, or the given one. */
  async answer(name: string, result: unknown, call = this.calls(name).at(-1)): Promise<void> {
    if (call?.i === undefined) throw new Error(`nothing waits for ${name}`);
    this.#listeners.get('message')?.({ data: structuredClone({ t: 's', i: call.i, r: result }) });
    await settled();
  }

  async fail(): Promise<void> {
    this.#listeners.get('error')?.({ message: 'it broke' });
    await settled();
  }
}

/** Resolves after all pending microtasks. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** Returns every worker that the window starts from now on, the last one last. */
export function fakeWorkers(): FakeWorker[] {
  const made: FakeWorker[] = [];
  vi.stubGlobal(
    'Worker',
    class extends FakeWorker {
      constructor() {
        super();
        made.push(this);
      }
    },
  );
  return made;
}

/** Returns the worker that runs now. */
export function lastOf(workers: readonly FakeWorker[]): FakeWorker {
  const last = workers.at(-1);
  if (last === undefined) throw new Error('no worker was started');
  return last;
}

/** Runs a worker's module in this thread, and returns the window's side of it. */
export async function workerOf<Functions extends object>(
  load: () => Promise<unknown>,
  events: object = {},
): Promise<CalledWorker<Functions>['calls']> {
  let [toWorker, toWindow]: Listener[] = [];
  vi.stubGlobal('self', {
    addEventListener: (_: string, listener: Listener) => {
      toWorker = listener;
    },
    postMessage: (message: unknown) => toWindow?.({ data: structuredClone(message) }),
  });
  await load();
  const worker = {
    addEventListener: (type: string, listener: Listener) => {
      if (type === 'message') toWindow = listener;
    },
    postMessage: (message: unknown) => toWorker?.({ data: structuredClone(message) }),
  } as unknown as Worker;
  const ended = (message: string) => ({ code: 'test.worker-ended', message });
  return new CalledWorker<Functions>(() => worker, ended, events).calls;
}
