/** Simulates and checks a lesson's step away from the window's thread. */
import '../common/zodSetup.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { evaluateStep } from '../../core/lessons/evaluate.ts';
import type { CheckAnswer, CheckRequest } from './checkMessages.ts';

/** The worker's own global, as far as this file needs it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<CheckRequest>) => void) | null;
  postMessage(message: CheckAnswer): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data: { ticket, request } }) => {
  evaluateStep(request).then(
    (result) => scope.postMessage({ kind: 'checked', ticket, result }),
    (thrown: unknown) => scope.postMessage({ kind: 'failed', ticket, error: toErrorInfo(thrown) }),
  );
};
