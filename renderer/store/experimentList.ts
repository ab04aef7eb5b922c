/** The list of the user's experiments. */
import { host } from './host.ts';
import { newestAnswer } from './newestAnswer.ts';
import { assign } from './store.ts';

/** Reads the list again. */
export const listExperiments = newestAnswer(
  () => host().experiments(),
  (experiments) => assign({ experiments }),
);
