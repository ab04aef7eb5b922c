/** Predictions checked on this machine: a table in the data folder, shared by all windows and the command line. */
import { join } from 'node:path';
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { type SettledPrediction, settledPredictionSchema } from '../../core/service/settled.ts';
import { privately, readBoundedText, serial, writeWhole } from '../files/files.ts';
import { readShape } from '../slurm/settingsStore.ts';

const maxBytes = 4 * 1024 * 1024;
/** Limit of entries; the oldest go first. */
const mostKept = 2000;
const tableSchema = z.object({
  format: z.literal('copyscope/settled'),
  version: z.literal(1),
  predictions: z.array(settledPredictionSchema).max(mostKept),
});

export class SettledStore {
  readonly #file: string;
  readonly #serial = serial();

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, 'settled.json');
  }

  /** Returns those of a profile, newest first. Rejects with `settled.invalid` if the table can't be read. */
  async of(profile: string): Promise<readonly SettledPrediction[]> {
    return (await this.#all()).filter((one) => one.profile === profile);
  }

  /** Stores one in place of an earlier one of the same traces. Rejects as of() does. */
  keep(prediction: SettledPrediction): Promise<void> {
    return this.#serial(async () => {
      const others = (await this.#all()).filter((one) => keyOf(one) !== keyOf(prediction));
      const predictions = [prediction, ...others].slice(0, mostKept);
      const table = { format: 'copyscope/settled', version: 1, predictions };
      await writeWhole(this.#file, `${JSON.stringify(table, null, 2)}\n`, privately);
    });
  }

  async #all(): Promise<readonly SettledPrediction[]> {
    const text = await readBoundedText(this.#file, maxBytes).catch((error: unknown) => {
      if (error instanceof CopyscopeError && error.code === 'file.not-found') return null;
      throw error;
    });
    if (text === null) return [];
    const remedy = 'Repair it, or delete it: predictions that are settled from then on are kept.';
    return readShape(tableSchema, text, { code: 'settled.invalid', what: this.#file, remedy }).predictions;
  }
}

const keyOf = ({ profile, before, after }: SettledPrediction): string => JSON.stringify([profile, before, after]);
