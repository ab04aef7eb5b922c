/** Small tables in the data folder, which all windows and the command line share. */
import { join } from 'node:path';
import { z } from 'zod';
import { type SettledPrediction, settledPredictionSchema } from '../../core/service/settled.ts';
import { privately, serial, writeWhole } from '../files/files.ts';
import { readIfSound, readShape, readTextIfThere } from '../files/stored.ts';

const maxBytes = 16 * 1024 * 1024;

const titlesSchema = z.object({
  format: z.literal('copyscope/titles'),
  version: z.literal(1),
  titles: z.record(z.string().max(240), z.string().min(1).max(200)),
});

/** Titles of runs, if they differ from the experiment's name. */
export class TitleStore {
  readonly #file: string;
  readonly #serial = serial();

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns titles by run id; empty if the table can't be read. */
  async all(): Promise<ReadonlyMap<string, string>> {
    const table = await readIfSound(titlesSchema, this.#file, maxBytes);
    return new Map(Object.entries(table?.titles ?? {}));
  }

  /** Sets a title; an empty one removes it. */
  set(id: string, title: string): Promise<void> {
    return this.#serial(async () => {
      const titles = new Map(await this.all());
      if ((titles.get(id) ?? '') === title) return;
      if (title === '') titles.delete(id);
      else titles.set(id, title);
      const table = { format: 'copyscope/titles', version: 1, titles: Object.fromEntries(titles) };
      await writeWhole(this.#file, `${JSON.stringify(table, null, 2)}\n`, privately);
    });
  }
}

/** Limit of entries; the oldest go first. */
const mostKept = 2000;
const settledSchema = z.object({
  format: z.literal('copyscope/settled'),
  version: z.literal(1),
  predictions: z.array(settledPredictionSchema).max(mostKept),
});

/** Predictions checked on this machine. */
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
    const text = await readTextIfThere(this.#file, maxBytes);
    if (text === null) return [];
    const remedy = 'Repair it, or delete it: predictions that are settled from then on are kept.';
    return readShape(settledSchema, text, { code: 'settled.invalid', what: this.#file, remedy }).predictions;
  }
}

const keyOf = ({ profile, before, after }: SettledPrediction): string => JSON.stringify([profile, before, after]);
