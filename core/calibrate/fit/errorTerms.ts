/** How far a profile's predictions are from recorded runs: what a fit makes small. */
import { iterationOf } from '../../analysis/iteration.ts';
import { copyOverlap, overlap } from '../../analysis/overlap.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { whileRecording } from '../../simulator/recorder.ts';
import { simulate } from '../../simulator/simulate.ts';
import type { RecordedRun } from './recordedRun.ts';

export interface Prediction {
  readonly makespanNs: number;
  /** As RecordedRun has it. */
  readonly overlap: number | null;
}

export function predict({ program, filled }: RecordedRun, profile: DeviceProfile): Prediction {
  const { trace, makespanNs } = simulate(program, profile, { filled });
  return { makespanNs, overlap: copyOverlap(overlap(iterationOf(trace, 0))) };
}

/** An error of the makespan, and one of the overlap's share, that count as much as each other. */
const makespanScale = 0.03;
const overlapScale = 0.03;

/** One run's part. An error far beyond the scale counts by its size and not by its square: an outlier pulls no harder. */
export function errorOf(run: RecordedRun, { makespanNs, overlap: share }: Prediction): number {
  const ratio = Math.log(Math.max(makespanNs, 1) / run.makespanNs);
  const apart = run.overlap === null || share === null ? 0 : share - run.overlap;
  return huber(ratio / makespanScale) + huber(apart / overlapScale);
}

export interface FitErrors {
  /** Of the makespan's absolute error, as a part of what was recorded: the median and the 90th percentile. */
  readonly median: number;
  readonly high: number;
  /** Runs that have copies, and those of them whose overlap is within 5 points. */
  readonly overlaps: number;
  readonly close: number;
}

const closeOverlap = 0.05;

/** Over `runs`, of which there is at least one, with what the profile says of the recorder. */
export function fitErrors(runs: readonly RecordedRun[], profile: DeviceProfile): FitErrors {
  const machine = whileRecording(profile);
  return errorsOf(runs.map((run) => ({ ...run, predicted: predict(run, machine) })));
}

export type Predicted = Pick<RecordedRun, 'makespanNs' | 'overlap'> & { readonly predicted: Prediction };

/** The same of runs whose predictions are known. */
export function errorsOf(runs: readonly Predicted[]): FitErrors {
  const errors = runs
    .map(({ makespanNs, predicted }) => Math.abs(predicted.makespanNs / makespanNs - 1))
    .sort((a, b) => a - b);
  const quantile = (part: number): number => errors[Math.ceil(part * errors.length) - 1] ?? Number.NaN;
  const apart = runs.flatMap(({ overlap: recorded, predicted }) =>
    recorded === null || predicted.overlap === null ? [] : Math.abs(recorded - predicted.overlap),
  );
  const close = apart.filter((one) => one <= closeOverlap).length;
  return { median: quantile(0.5), high: quantile(0.9), overlaps: apart.length, close };
}

/** Huber's loss, with its bend at 1. */
function huber(value: number): number {
  const size = Math.abs(value);
  return size <= 1 ? (size * size) / 2 : size - 0.5;
}
