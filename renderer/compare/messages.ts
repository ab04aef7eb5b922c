/** Requests of the window to the worker that compares runs. */
import type { RunComparison } from '../../core/compare/comparison.ts';
import type { StepsCompared } from '../../core/lift/settle.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import type { Run } from '../../core/trace/run.ts';

export interface Compared {
  readonly comparison: RunComparison;
  /** Number of operations left out because the comparison would be too long: those that differ least. */
  readonly leftOut: number;
  /** Starts of the steps of each run from the iteration's start; empty if it has none. */
  readonly stepStarts: { readonly a: readonly number[]; readonly b: readonly number[] };
}

export interface CompareCalls {
  compare(a: Run, b: Run): Compared;
  /** Throws `lift.*` if one of the runs lacks what a replay needs. */
  steps(a: Run, b: Run, profile: DeviceProfile): StepsCompared;
}
