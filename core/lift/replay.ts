/** Simulates a lifted experiment with the trace's own costs. */
import type { CostModel } from '../machine/costModel.ts';
import { simulate } from '../machine/simulate.ts';
import { lowerToSimulate } from '../program/lower.ts';
import { lowerMedian } from '../statistics.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { Trace } from '../trace/trace.ts';
import { experimentOf, type LiftedExperiment } from './experimentOf.ts';
import type { Script } from './script.ts';

export interface Replayed {
  readonly lifted: LiftedExperiment;
  readonly trace: Trace;
  /** Time at which host and device have finished each step. */
  readonly endsNs: readonly number[];
  /** Duration of a step in the long run. */
  readonly stepNs: number;
}

export function replay(script: Script, costs: CostModel): Replayed {
  const lifted = experimentOf(script, null);
  const { trace } = simulate(lowerToSimulate(lifted.experiment), costs);
  const endsNs = stepEnds(trace, lifted, script.steps.length);
  return { lifted, trace, endsNs, stepNs: longRunNs(endsNs) };
}

function stepEnds(trace: Trace, { steps }: LiftedExperiment, count: number): number[] {
  const ends = new Array<number>(count).fill(0);
  const { op, correlation } = trace.columns;
  // Graph nodes were declared before all steps; they belong to the step that launched the graph.
  const launching = new Map<number, number>();
  for (let row = 0; row < trace.count; row += 1) {
    const own = steps[op[row] ?? -1] ?? -1;
    if (own >= 0) launching.set(correlation[row] ?? 0, own);
  }
  for (let row = 0; row < trace.count; row += 1) {
    const own = steps[op[row] ?? -1] ?? -1;
    const number = correlation[row] ?? 0;
    const step = own >= 0 ? own : number > 0 ? (launching.get(number) ?? -1) : -1;
    if (step >= 0) ends[step] = Math.max(ends[step] ?? 0, rowEndNs(trace, row));
  }
  return ends;
}

/** Returns the lower median time between ends of steps: the first step fills queues that later ones find full. */
export function longRunNs(endsNs: readonly number[]): number {
  if (endsNs.length < 2) return endsNs[0] ?? 0;
  return lowerMedian(endsNs.slice(1).map((end, index) => Math.max(0, end - (endsNs[index] ?? 0))));
}
