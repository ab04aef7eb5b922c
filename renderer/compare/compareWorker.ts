/** Compares two runs away from the window's thread: a million rows take their time. */
import '../common/zodSetup.ts';
import { compareRuns } from '../../core/compare/comparison.ts';
import { bySize } from '../../core/compare/format.ts';
import { serveCalls } from '../common/workerCalls.ts';
import type { CompareCalls } from './messages.ts';

/** Operations that are sent: more than anyone reads, and few enough to be copied between threads at once. */
const mostOperations = 5000;

const calls: CompareCalls = {
  compare(a, b) {
    const comparison = compareRuns(a, b);
    const leftOut = Math.max(0, comparison.operations.length - mostOperations);
    const operations = leftOut === 0 ? comparison.operations : bySize(comparison.operations).slice(0, mostOperations);
    return { comparison: { ...comparison, operations }, leftOut };
  },
};

serveCalls(calls);
