import type { Experiment } from '../experiment.ts';
import { template } from './build.ts';

/** Returns a new experiment: one host thread that does nothing yet. */
export const emptyExperiment = (name = 'New experiment'): Experiment =>
  template({ name, threads: [{ id: 'main', operations: [] }] });
