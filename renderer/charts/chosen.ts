/** What the page of charts shows; kept while the window is open. */
import { create } from 'zustand';

interface Chosen {
  /** Null: those that the comparison begins with. */
  readonly runs: readonly string[] | null;
}

export const useChosen = create<Chosen>()(() => ({ runs: null }));
