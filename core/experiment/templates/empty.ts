/** Where a new experiment begins. */
import type { Experiment } from '../experiment.ts';
import { template } from './build.ts';

/** One host thread that does nothing yet. */
export const emptyExperiment = (name = 'New experiment'): Experiment =>
  template({ name, threads: [{ id: 'main', operations: [] }] });
