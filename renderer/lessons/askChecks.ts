/** The window's side of the worker that checks lessons. */
import type { StepRequest, StepResult } from '../../core/lessons/evaluate.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import type { CheckCalls } from './checkWorker.ts';

const worker = new CalledWorker<CheckCalls>(
  () => new Worker(new URL('./checkWorker.ts', import.meta.url), { type: 'module', name: 'lessons' }),
  (why) => ({ code: 'lesson.worker-ended', message: `The checks ended early: ${why}.` }),
);

/** Rejects with a CopyscopeError where an experiment can't be executed, or the worker ended. */
export const askChecks = (request: StepRequest): Promise<StepResult> => worker.calls.evaluateStep(request);
