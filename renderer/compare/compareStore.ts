/** How the runs that are compared are laid beside one another. Kept while one looks elsewhere, and not longer. */
import { create } from 'zustand';
import type { AnchorEdge } from '../../core/compare/anchor.ts';

/** An operation of the first run, or the begin of a step, counted from 0. */
export type Alignment = { readonly op: number; readonly edge: AnchorEdge } | { readonly step: number };

interface CompareState {
  /** Null for the start of the iteration. */
  readonly alignment: Alignment | null;
  /** By run, where another than its representative iteration is shown. */
  readonly iterations: Readonly<Record<string, number>>;
  /** The run whose differences to the first one are listed; null for the second. */
  readonly other: string | null;
  readonly lanes: 'engines' | 'all';
  /** Null before one is chosen: steps of traces of a program, operations of other runs. */
  readonly by: 'steps' | 'operations' | 'lanes' | null;
  readonly chooserOpen: boolean;
  /** By run, when its steps begin: of traces whose differences were listed. */
  readonly steps: Readonly<Record<string, readonly number[]>>;
}

/** The first operation's call is, in most experiments, where the iteration begins. */
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
