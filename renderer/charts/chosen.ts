/** What the page of charts shows; kept while the window is open. */
import { create } from 'zustand';
import type { BenchFile } from '../../core/bench/parse.ts';

interface Chosen {
  /** Null: those that the comparison begins with. */
  readonly runs: readonly string[] | null;
  readonly bench: { readonly name: string; readonly file: BenchFile } | null;
}

export const useChosen = create<Chosen>()(() => ({ runs: null, bench: null }));

export const setBench = (bench: Chosen['bench']): void => useChosen.setState({ bench });
