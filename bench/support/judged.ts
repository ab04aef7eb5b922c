/** Recorded runs with what is held against a prediction: makespan, overlap, causes of verdicts, and what decides each run. */

import type { Experiment } from '../../core/experiment/experiment.ts';
import { copyOverlap, overlap } from '../../core/explain/figures/overlap.ts';
import { verdicts } from '../../core/explain/verdicts/verdicts.ts';
import { recordingCosts } from '../../core/machine/cost/profileCosts.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { simulate } from '../../core/machine/simulate.ts';
import type { Program } from '../../core/program/program.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { length, union } from '../../core/trace/intervals.ts';
import { activity, type Iteration, iterationOf } from '../../core/trace/iteration.ts';
import type { Run } from '../../core/trace/run.ts';
import { recordings } from '../../test/support/recordings.ts';
import { plainMakespan, type RecordedRun, recordedRun } from './recordedRun.ts';

export interface JudgedRun extends RecordedRun {
  readonly experiment: Experiment;
  /** By operation, as the representative iteration has them. */
  readonly causes: ReadonlyMap<number, string>;
  /** Host memory decides how long it takes. */
  readonly isHostBound: boolean;
  /** CUDA events around each operation cost more than CUPTI: such a run is compared without them. */
  readonly timing: Run['info']['timing'];
  readonly plainNs: number | null;
}

/** Result of a prediction for a run. */
export interface Judged {
  readonly run: JudgedRun;
  readonly makespanNs: number;
  /** Error of the makespan, relative to the recorded one; negative if predicted too short. */
  readonly error: number;
  /** Difference of the shares of copy time overlapped by kernels; null without copies. */
  readonly apart: number | null;
  readonly causes: number;
  readonly right: number;
}

export interface Figures {
  readonly runs: number;
  readonly median: number;
  readonly high: number;
  readonly overlaps: number;
  readonly close: number;
  readonly causes: number;
  readonly right: number;
}

/** Operations on host memory take at least this part of a run that host memory decides. */
const hostBoundPart = 0.1;
const closeOverlap = 0.05;

/** Runs of a set that the CUDA engine recorded, in the order of their names. */
export function readJudged(set: string): JudgedRun[] {
  return [...recordings(set)].flatMap(([id, bytes]) => {
    const run = decodeRun(bytes);
    const { engine, experiment, iterations } = run.info;
    if (engine !== 'cuda' || experiment === null) return [];
    const recorded = recordedRun(id, run);
    const iteration = iterationOf(run.trace, iterations.representative);
    const isHostBound = hostMemoryPart(iteration, recorded.program) >= hostBoundPart;
    const how = { timing: run.info.timing, plainNs: plainMakespan(run.info) };
    return [{ ...recorded, ...how, experiment, isHostBound, causes: causesOf(iteration, experiment) }];
  });
}

export function judge(run: JudgedRun, profile: DeviceProfile): Judged {
  const { trace, makespanNs } = simulate(run.program, recordingCosts(profile));
  const iteration = iterationOf(trace, 0);
  const share = copyOverlap(overlap(iteration));
  const predicted = causesOf(iteration, run.experiment);
  const right = [...run.causes].filter(([op, cause]) => predicted.get(op) === cause).length;
  const apart = share === null || run.overlap === null ? null : Math.abs(share - run.overlap);
  return { run, makespanNs, error: makespanNs / run.makespanNs - 1, apart, causes: run.causes.size, right };
}

export function figuresOf(judged: readonly Judged[]): Figures {
  const errors = judged.map(({ error }) => Math.abs(error)).sort((a, b) => a - b);
  const quantile = (part: number): number => errors[Math.ceil(part * errors.length) - 1] ?? Number.NaN;
  const apart = judged.flatMap((one) => one.apart ?? []);
  const sum = (key: 'causes' | 'right'): number => judged.reduce((all, one) => all + one[key], 0);
  return {
    ...{ runs: judged.length, median: quantile(0.5), high: quantile(0.9) },
    ...{ overlaps: apart.length, close: apart.filter((one) => one <= closeOverlap).length },
    ...{ causes: sum('causes'), right: sum('right') },
  };
}

const causesOf = (iteration: Iteration, experiment: Experiment): ReadonlyMap<number, string> =>
  new Map(verdicts(iteration, experiment).map(({ op, cause }) => [op, cause]));

/** The part of an iteration in which something copies, pins, fills or reads host memory that is not page-locked. */
function hostMemoryPart(iteration: Iteration, program: Program): number {
  const operations = hostMemoryOperations(program);
  const [starts, ends]: [number[], number[]] = [[], []];
  let [firstNs, lastNs] = [Number.POSITIVE_INFINITY, 0];
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const { op, startNs, endNs } = activity(iteration.trace, row);
    firstNs = Math.min(firstNs, startNs);
    lastNs = Math.max(lastNs, endNs);
    if (!operations.has(op)) continue;
    starts.push(startNs);
    ends.push(endNs);
  }
  return length(union(starts, ends)) / (lastNs - firstNs);
}

/** Pageable copies, copies on the host, pinning, page-locked allocations, reads, writes, and multi-tensor copies by the host. */
function hostMemoryOperations({ threads, buffers, multiCopies }: Program): ReadonlySet<number> {
  const memoryOf = (buffer: number): string => buffers[buffer]?.memory ?? 'unknown';
  const found = new Set<number>();
  for (const { instructions } of threads) {
    for (const one of instructions) {
      const isHostMemory =
        one.code === 'write' ||
        one.code === 'read' ||
        one.code === 'pin' ||
        (one.code === 'copy' &&
          (memoryOf(one.src) === 'pageable' ||
            memoryOf(one.dst) === 'pageable' ||
            (memoryOf(one.src) !== 'device' && memoryOf(one.dst) !== 'device'))) ||
        ((one.code === 'allocate' || one.code === 'free') && memoryOf(one.buffer) !== 'device') ||
        (one.code === 'multiCopy' && multiCopies[one.plan]?.direction !== 'd2d');
      if (isHostMemory) found.add(one.op);
    }
  }
  return found;
}
