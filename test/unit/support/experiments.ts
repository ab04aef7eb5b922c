/** Experiments for tests, in the form of a document. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';

/**
 * Returns an experiment of a document's parts, with a host thread for each list of operations: main, then thread1,
 * thread2… Throws if it is not valid.
 */
export function experimentOf(parts: object, ...threads: (readonly object[])[]): Experiment {
  const document = {
    ...{ format: 'copyscope/experiment', version: 2, name: 'test', ...parts },
    threads: threads.map((operations, index) => ({ id: index === 0 ? 'main' : `thread${index}`, operations })),
  };
  return requireExperiment(JSON.stringify(document));
}

/** Returns a fixture: an experiment modelled on a public report (test/fixtures/experiment-faults). */
export const fault = (name: string): Experiment =>
  requireExperiment(readFileSync(join(import.meta.dirname, `../../fixtures/experiment-faults/${name}.json`), 'utf8'));
