/** How the compared runs are laid out. Kept while the user is elsewhere, but not longer than the window. */
import { create } from 'zustand';
import type { AnchorEdge } from '../../core/compare/anchor.ts';

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
