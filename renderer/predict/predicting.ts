/** The prediction under way in the worker: of which document, how far it is, and what waits for it. */
import { create } from 'zustand';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import { afterFrame } from '../common/afterFrame.ts';

interface Predicting {
  /** Key of the document. */
  readonly document: string;
  /** Null until something has been simulated. */
  readonly progress: SimulationProgress | null;
}

/** Null where none is under way. */
export const usePredicting = create<{ readonly predicting: Predicting | null }>()(() => ({ predicting: null }));

export const tellPredicting = (predicting: Predicting | null): void => usePredicting.setState({ predicting });

/** How far the prediction of a document is; another one may be waiting by now. */
export function tellProgress(document: string, progress: SimulationProgress): void {
  if (usePredicting.getState().predicting?.document === document) tellPredicting({ document, progress });
}

/**
 * Calls `action` when this document is not being predicted: at once, or when its lanes have been drawn, which anything else
 * that takes a processor would hold up.
 */
export function whenPredicted(document: string, action: () => void): void {
  const isOver = (): boolean => usePredicting.getState().predicting?.document !== document;
  if (isOver()) {
    action();
    return;
  }
  const stop = usePredicting.subscribe(() => {
    if (!isOver()) return;
    stop();
    afterFrame(action);
  });
}
