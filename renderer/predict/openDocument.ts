/** The window's side of the worker with the open document: sends it the edits, and cancels searches. */
import { create } from 'zustand';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import { afterFrame } from '../common/scheduling.ts';
import { sentDocument } from '../common/sentDocument.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import { currentExperiment } from '../store/select.ts';
import { watch } from '../store/store.ts';
import type { DocumentCalls, DocumentEvents } from './documentCalls.ts';

/** The prediction under way in the worker: its document, its progress, and the actions that wait for its end. */
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
function tellProgress(document: string, progress: SimulationProgress): void {
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

const events: DocumentEvents = { progress: tellProgress };

const worker = new CalledWorker<DocumentCalls>(
  () => new Worker(new URL('./documentWorker.ts', import.meta.url), { type: 'module', name: 'document' }),
  (why) => ({ code: 'document.worker-ended', message: `The thread that predicts ended: ${why}.` }),
  events,
);

/** The document and profile that the running worker has. */
let told: { readonly calls: typeof worker.calls; experiment: Experiment | null; profile: DeviceProfile | null } | null =
  null;

/** Sends the document and profile to the worker if they are new. Returns its calls. */
export function askAbout(experiment: Experiment, profile: DeviceProfile | null = null): typeof worker.calls {
  const { calls } = worker;
  if (told?.calls !== calls) told = { calls, experiment: null, profile: null };
  if (told.experiment !== experiment) void calls.take.asEvent(sentDocument(told.experiment, experiment));
  if (profile !== null && told.profile !== profile) void calls.use.asEvent(profile);
  told.experiment = experiment;
  told.profile = profile ?? told.profile;
  return calls;
}

/** Cancels the prediction under way. */
export function dropLanes(): void {
  if (worker.isRunning) void worker.calls.dropLanes.asEvent();
}

// A search for the previous document would delay that of the new one.
watch((now, before) => {
  if (worker.isRunning && currentExperiment(now) !== currentExperiment(before)) {
    void worker.calls.dropSearches.asEvent();
  }
});
