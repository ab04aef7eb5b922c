/** Compares runs away from the window's thread. */
import { rememberedBy } from '../../core/rememberedBy.ts';
import '../common/zodSetup.ts';
import { runSteps } from '../../core/apps/gate/steps.ts';
import { compareRuns } from '../../core/explain/compare/comparison.ts';
import { bySize } from '../../core/explain/compare/format.ts';
import { compareSteps } from '../../core/lift/settle.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import type { Run } from '../../core/trace/run.ts';
import { serveCalls } from '../common/workerCalls.ts';
import type { CompareCalls } from './compareStore.ts';

/** Number of operations sent: more than anyone reads, and few enough to copy between threads at once. */
const mostOperations = 5000;

/** Steps by run, since finding them visits every row. */
const stepsIn = rememberedBy((run: Run) => runSteps(run));

const calls: CompareCalls = {
  compare(a, b) {
    const comparison = compareRuns(a, b, stepsIn);
    const leftOut = Math.max(0, comparison.operations.length - mostOperations);
    const operations = leftOut === 0 ? comparison.operations : bySize(comparison.operations).slice(0, mostOperations);
    const stepStarts = { a: stepsIn(a)?.startNs ?? [], b: stepsIn(b)?.startNs ?? [] };
    return { comparison: { ...comparison, operations }, leftOut, stepStarts };
  },
  steps: (a, b, profile) => compareSteps(a, b, profileCosts(profile)),
};

serveCalls(calls);
