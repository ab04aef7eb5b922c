/** The window's side of the worker that checks lessons. */
import { CopyscopeError } from '../../core/errors.ts';
import type { StepRequest, StepResult } from '../../core/lessons/evaluate.ts';
import type { CheckAnswer, CheckRequest } from './checkMessages.ts';

interface Waiting {
  readonly resolve: (result: StepResult) => void;
  readonly reject: (error: Error) => void;
}

const waiting = new Map<number, Waiting>();
let worker: Worker | null = null;
let tickets = 0;

/** Rejects with a CopyscopeError where an experiment can't be executed, or the worker ended. */
export function askChecks(request: StepRequest): Promise<StepResult> {
  tickets += 1;
  const ticket = tickets;
  return new Promise((resolve, reject) => {
    waiting.set(ticket, { resolve, reject });
    worker ??= started();
    worker.postMessage({ ticket, request } satisfies CheckRequest);
  });
}

function started(): Worker {
  const made = new Worker(new URL('./checkWorker.ts', import.meta.url), { type: 'module', name: 'lessons' });
  made.onmessage = ({ data }: MessageEvent<CheckAnswer>) => {
    const asked = waiting.get(data.ticket);
    waiting.delete(data.ticket);
    if (data.kind === 'checked') asked?.resolve(data.result);
    else asked?.reject(new CopyscopeError(data.error));
  };
  made.onerror = ({ message }) => {
    made.terminate();
    if (worker === made) worker = null;
    for (const { reject } of waiting.values()) {
      reject(new CopyscopeError({ code: 'lesson.worker-ended', message: `The checks ended early: ${message}.` }));
    }
    waiting.clear();
  };
  return made;
}
