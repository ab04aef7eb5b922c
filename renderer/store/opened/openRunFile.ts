/** The window's side of the worker that opens run files. One worker, which opens one file after another. */
import { CopyscopeError } from '../../../core/errors.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { IterationData } from './iterationData.ts';
import type { OpenAnswer, OpenRequest, RunAnalysis } from './messages.ts';

export interface OpenedRun {
  readonly run: Run;
  readonly iteration: IterationData;
  /** Follows the lanes of a large run; null where the window makes it. */
  readonly analysis: Promise<RunAnalysis> | null;
}

interface Waiting {
  readonly resolve: (opened: OpenedRun) => void;
  readonly reject: (error: Error) => void;
  readonly analysis: Deferred<RunAnalysis>;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let tickets = 0;

interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: Error) => void;
}

function deferred<Value>(): Deferred<Value> {
  let settle: Omit<Deferred<Value>, 'promise'> = { resolve: () => {}, reject: () => {} };
  const promise = new Promise<Value>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}

/** Rejects with a CopyscopeError `run-file.*` or `run.*`. */
export function openRunFile(address: string): Promise<OpenedRun> {
  const ticket = tickets;
  tickets += 1;
  return new Promise((resolve, reject) => {
    const analysis = deferred<RunAnalysis>();
    // Whoever waits for it hears; nobody does where the run itself can't be opened.
    analysis.promise.catch(() => {});
    waiting.set(ticket, { resolve, reject, analysis });
    started().postMessage({ ticket, address } satisfies OpenRequest);
  });
}

/** Starts the worker ahead of the first run, when there is nothing else to do. */
export const prepareToOpen = (): void => void started();

function started(): Worker {
  if (worker !== null) return worker;
  const made = new Worker(new URL('./runWorker.ts', import.meta.url), { type: 'module', name: 'runs' });
  made.onmessage = (event: MessageEvent<OpenAnswer>) => receive(event.data);
  made.onerror = (event) => {
    worker = null;
    failAll(event.message);
    made.terminate();
  };
  worker = made;
  return made;
}

function receive(answer: OpenAnswer): void {
  const asked = waiting.get(answer.ticket);
  if (asked === undefined) return;
  if (answer.kind === 'opened') {
    const { run, iteration } = answer;
    asked.resolve({ run, iteration, analysis: answer.analysis === 'later' ? asked.analysis.promise : null });
    if (answer.analysis === 'later') return;
  } else if (answer.kind === 'summarized') {
    asked.analysis.resolve({ summary: answer.summary, counters: answer.counters });
  } else {
    fail(asked, new CopyscopeError(answer.error));
  }
  waiting.delete(answer.ticket);
}

function fail({ reject, analysis }: Waiting, error: Error): void {
  reject(error);
  analysis.reject(error);
}

function failAll(why: string): void {
  const error = new CopyscopeError({
    code: 'run.worker-ended',
    message: `The thread that opens runs ended: ${why || 'it gave no reason'}.`,
    remedy: 'Try again; a run this large may need more memory than there is.',
  });
  for (const asked of waiting.values()) fail(asked, error);
  waiting.clear();
}
