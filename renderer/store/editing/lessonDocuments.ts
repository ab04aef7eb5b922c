/** The experiments of lessons, which are there to be changed. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { put, state } from '../store.ts';
import { forgetDocument } from './histories.ts';
import { takeDraft } from './save.ts';

/** Shows the experiment of a lesson's step as it was left, or as the lesson gives it. */
export function openLessonDocument(key: string, experiment: Experiment): void {
  if (state().documents[key]?.status === 'ready') return;
  put('documents', key, { status: 'ready', value: experiment });
  takeDraft(key, 'Changes of last time', experiment, null);
}

/** Gives the experiment of a lesson's step back as the lesson has it. */
export function resetLessonDocument(key: string, experiment: Experiment): void {
  forgetDocument(key);
  put('pickedRuns', key, undefined);
  put('documents', key, { status: 'ready', value: experiment });
}
