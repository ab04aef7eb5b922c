/** The prediction under way in the worker: its document, its progress, and the actions that wait for its end. */
import { create } from 'zustand';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import { afterFrame } from '../common/afterFrame.ts';

interface Predicting {
  /** Key of the document. */
  readonly document: string;
  /** Null until the simulation has begun. */
  readonly progress: SimulationProgress | null;
}

/** Null if no prediction is under way. */
export const usePredicting = create<{ readonly predicting: Predicting | null }>()(() => ({ predicting: null }));

export const tellPredicting = (predicting: Predicting | null): void => usePredicting.setState({ predicting });

/** Sets the progress of a document's prediction, unless another prediction is under way by now. */
export function tellProgress(document: string, progress: SimulationProgress): void {
  if (usePredicting.getState().predicting?.document === document) tellPredicting({ document, progress });
}

/**
 * Calls `action` if this document is not being predicted: at once, or when its lanes are drawn, since other work would
 * delay them.
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
