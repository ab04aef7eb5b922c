/** The window's side of the worker that works out plans: one worker, for the trace that is shown. */
import { CopyscopeError, type ErrorInfo } from '../../core/errors.ts';
import type { PlanAnswer, PlanQuestion, PlanRequest, PlanResults } from './messages.ts';

interface Waiting {
  readonly resolve: (result: never) => void;
  readonly reject: (error: CopyscopeError) => void;
}

let worker: Worker | null = null;
let tickets = 0;
const waiting = new Map<number, Waiting>();

/** Rejects with what the worker threw, with `plan.cancelled`, or with `plan.worker-ended`. */
export function askPlan<Kind extends PlanQuestion['kind']>(
  question: Extract<PlanQuestion, { kind: Kind }>,
): Promise<PlanResults[Kind]> {
  worker ??= started();
  tickets += 1;
  const ticket = tickets;
  const request = { ...(question as PlanQuestion), ticket } satisfies PlanRequest;
  worker.postMessage(request);
  return new Promise((resolve, reject) => waiting.set(ticket, { resolve, reject }));
}

/** Ends what is under way: one simulation after another would go on. */
export function endPlanWorker(error: ErrorInfo = { code: 'plan.cancelled', message: 'It was cancelled.' }): void {
  worker?.terminate();
  worker = null;
  const ended = [...waiting.values()];
  waiting.clear();
  for (const { reject } of ended) reject(new CopyscopeError(error));
}

function started(): Worker {
  const made = new Worker(new URL('./planWorker.ts', import.meta.url), { type: 'module', name: 'plan' });
  made.onmessage = ({ data }: MessageEvent<PlanAnswer>) => {
    const asked = waiting.get(data.ticket);
    waiting.delete(data.ticket);
    if ('error' in data) asked?.reject(new CopyscopeError(data.error));
    else asked?.resolve(data.result as never);
  };
  made.onerror = (event) => {
    if (worker !== made) return;
    endPlanWorker({
      code: 'plan.worker-ended',
      message: `The thread that works out the plan ended: ${event.message || 'it gave no reason'}.`,
      remedy: 'Try again; a trace this large may need more memory than there is.',
    });
  };
  return made;
}
