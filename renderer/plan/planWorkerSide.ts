/** The window's side of the worker that works out plans: one worker, for the trace that is shown. */
import { CalledWorker } from '../common/workerCalls.ts';
import type { PlanCalls } from './messages.ts';

const worker = new CalledWorker<PlanCalls>(
  () => new Worker(new URL('./planWorker.ts', import.meta.url), { type: 'module', name: 'plan' }),
  (why) => ({
    code: 'plan.worker-ended',
    message: `The thread that works out the plan ended: ${why}.`,
    remedy: 'Try again; a trace this large may need more memory than there is.',
  }),
);

/** What it asks rejects with what the worker threw, with `plan.cancelled`, or with `plan.worker-ended`. */
export const planCalls = (): typeof worker.calls => worker.calls;

/** Ends what is under way: one simulation after another would go on. */
export const endPlanWorker = (): void => worker.end({ code: 'plan.cancelled', message: 'It was cancelled.' });
