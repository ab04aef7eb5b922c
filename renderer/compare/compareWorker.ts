/** Compares two runs away from the window's thread: a million rows take their time. */
import '../common/zodSetup.ts';
import { compareRuns } from '../../core/compare/comparison.ts';
import { bySize } from '../../core/compare/format.ts';
import { toErrorInfo } from '../../core/errors.ts';
import type { CompareAnswer, CompareRequest } from './messages.ts';

/** The worker's own global, as far as this file needs it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<CompareRequest>) => void) | null;
  postMessage(message: CompareAnswer): void;
}

const scope = globalThis as unknown as WorkerScope;

/** Operations that are sent: more than anyone reads, and few enough to be copied between threads at once. */
const mostOperations = 5000;

scope.onmessage = ({ data: { ticket, a, b } }) => {
  try {
    const comparison = compareRuns(a, b);
    const leftOut = Math.max(0, comparison.operations.length - mostOperations);
    const operations = leftOut === 0 ? comparison.operations : bySize(comparison.operations).slice(0, mostOperations);
    scope.postMessage({ kind: 'compared', ticket, comparison: { ...comparison, operations }, leftOut });
  } catch (thrown) {
    scope.postMessage({ kind: 'failed', ticket, error: toErrorInfo(thrown) });
  }
};
