/** The steps of a trace for a comparison: which row belongs to which. */
import type { RunSteps } from '../compare/steps.ts';
import { lowerBound } from '../lowerBound.ts';
import { rowStart } from '../trace/iteration.ts';
import type { Run } from '../trace/run.ts';
import { gateSteps } from './steps.ts';

/** Null of a run that is no trace of a program, or in which nothing repeats. */
export function runSteps(run: Run): RunSteps | null {
  const { lanes, count } = run.trace;
  const has = (kind: string): boolean => lanes.some((lane) => lane.kind === kind);
  if (run.info.imported === undefined || !has('stream') || !has('host-thread')) return null;
  const { steps } = gateSteps(run, null);
  if (steps.length < 2) return null;
  const stepOf = new Int32Array(count);
  const starts = steps.map(({ fromNs }) => fromNs);
  const end = steps.at(-1)?.toNs ?? 0;
  for (let row = 0; row < count; row += 1) {
    const at = rowStart(run.trace, row);
    stepOf[row] = at >= end ? -1 : lowerBound(0, starts.length, (index) => (starts[index] ?? 0) <= at) - 1;
  }
  for (const [number, { device, calls }] of steps.entries()) {
    for (const row of device) stepOf[row] = number;
    for (const row of calls) stepOf[row] = number;
  }
  return {
    count: steps.length,
    startNs: starts,
    durationNs: steps.map(({ fromNs, toNs }) => toNs - fromNs),
    stepOf,
  };
}
