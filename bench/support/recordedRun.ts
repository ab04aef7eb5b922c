/** A recorded run as a fit needs it: what was executed, how long it took, and what it overlapped. */

import { CopyscopeError } from '../../core/errors.ts';
import { copyOverlap, overlap } from '../../core/explain/figures/overlap.ts';
import { lower } from '../../core/program/lower.ts';
import type { Program } from '../../core/program/program.ts';
import { spread } from '../../core/statistics.ts';
import { type Iteration, iterationOf } from '../../core/trace/iteration.ts';
import { iterationsOf } from '../../core/trace/rows.ts';
import type { Run, RunInfo } from '../../core/trace/run.ts';

export interface RecordedRun {
  /** File name without extension. */
  readonly id: string;
  readonly program: Program;
  readonly iterations: readonly Iteration[];
  /** The median of the recorded iterations. */
  readonly makespanNs: number;
  /** The part of the copies' time in which kernels ran, 0 to 1, the median of the iterations; null without copies. */
  readonly overlap: number | null;
}

/** Throws `fit.not-usable` where the run can't be simulated, or isn't whole. */
export function recordedRun(id: string, { info, trace }: Run): RecordedRun {
  if (info.experiment === null) throw notUsable(id, 'it was imported, and no experiment says what was executed.');
  if (info.status !== 'complete') throw notUsable(id, 'it did not come to its end.');
  if (info.engine === 'cpu') throw notUsable(id, 'it was made on the CPU engine, which has no GPU.');
  const iterations = iterationsOf(trace).map((number) => iterationOf(trace, number));
  const makespanNs = spread(info.iterations.recordedMakespanNs)?.median ?? null;
  if (makespanNs === null || makespanNs <= 0 || iterations.length === 0) throw notUsable(id, 'nothing was recorded.');
  const overlaps = iterations.flatMap((one) => copyOverlap(overlap(one)) ?? []);
  const program = lower(info.experiment);
  return { id, program, iterations, makespanNs, overlap: spread(overlaps)?.median ?? null };
}

const notUsable = (id: string, reason: string): CopyscopeError =>
  new CopyscopeError({
    code: 'fit.not-usable',
    field: id,
    message: `The run ${id} tells nothing of a machine: ${reason}`,
    remedy: 'Record the experiment on the GPU, to its end.',
  });

/** Returns the median of the iterations with recording off; null if none. Clock overhead is the same as recorded. */
export function plainMakespan({ iterations }: RunInfo): number | null {
  const { plainWallNs, recordedWallNs, recordedMakespanNs } = iterations;
  const [plain, wall, makespan] = [plainWallNs, recordedWallNs, recordedMakespanNs].map((one) => spread(one)?.median);
  if (plain === undefined || makespan === undefined) return null;
  return plain - Math.max(0, (wall ?? makespan) - makespan);
}
