/** Runs that were recorded before, in the place of an engine: so a gain is judged again with another profile. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';

export class KeptRuns {
  readonly #runs: readonly Run[];
  /** How many of an experiment were given out, by its first run. */
  readonly #given = new Map<Run, number>();

  /** All run files below `folder`, in the order of their names. */
  constructor(folder: string) {
    this.#runs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.arrow'))
      .sort()
      .map((file) => decodeRun(readFileSync(join(folder, file))));
  }

  get first(): Run | undefined {
    return this.#runs[0];
  }

  /** Returns the next run of exactly this experiment, the first one after the last; undefined if there is none. */
  of(experiment: Experiment): Run | undefined {
    const wanted = once(experiment);
    const found = this.#runs.filter(
      ({ info }) => info.experiment !== null && isDeepStrictEqual(once(info.experiment), wanted),
    );
    const [first] = found;
    if (first === undefined) return undefined;
    const given = this.#given.get(first) ?? 0;
    this.#given.set(first, given + 1);
    return found[given % found.length];
  }
}

const once = (experiment: Experiment): Experiment => ({
  ...experiment,
  environment: { ...experiment.environment, iterations: 1, warmups: 0 },
});
