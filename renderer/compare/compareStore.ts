/** How the compared runs are laid out. Kept while the user is elsewhere, but not longer than the window. */
import { create } from 'zustand';
import type { AnchorEdge } from '../../core/explain/compare/anchor.ts';
import type { RunComparison } from '../../core/explain/compare/comparison.ts';
import type { StepsCompared } from '../../core/lift/settle.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { Run } from '../../core/trace/run.ts';

/** Requests of the window to the worker that compares runs. */
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

/** An operation of the first run, or the begin of a step, counted from 0. */
export type Alignment = { readonly op: number; readonly edge: AnchorEdge } | { readonly step: number };

interface CompareState {
  /** Alignment of the runs; null for the start of the iteration. */
  readonly alignment: Alignment | null;
  /** Shown iteration by run, if it isn't the representative one. */
  readonly iterations: Readonly<Record<string, number>>;
  /** Run whose differences to the first one are listed; null for the second. */
  readonly other: string | null;
  readonly lanes: 'engines' | 'all';
  /** Chosen list. Null before a choice: steps for traces of a program, operations for other runs. */
  readonly by: 'steps' | 'operations' | 'lanes' | null;
  readonly chooserOpen: boolean;
  /** Starts of steps by run, for traces whose differences were listed. */
  readonly steps: Readonly<Record<string, readonly number[]>>;
}

/** In most experiments the iteration begins at the first operation's call. */
const initial: CompareState = {
  alignment: { op: 0, edge: 'issue' },
  iterations: {},
  other: null,
  lanes: 'engines',
  by: null,
  chooserOpen: false,
  steps: {},
};

export const useCompare = create<CompareState>()(() => initial);

export const setCompare = (change: Partial<CompareState>): void => useCompare.setState(change);
