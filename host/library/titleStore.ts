/** Titles of runs, if they differ from the experiment's name: one small table next to the runs. */
import { z } from 'zod';
import { privately, readBoundedText, serial, writeWhole } from '../files/files.ts';

const maxBytes = 16 * 1024 * 1024;
const titlesSchema = z.object({
  format: z.literal('copyscope/titles'),
  version: z.literal(1),
  titles: z.record(z.string().max(240), z.string().min(1).max(200)),
});

export class TitleStore {
  readonly #file: string;
  readonly #serial = serial();

  constructor(file: string) {
    this.#file = file;
  }

  /** Returns titles by run id; empty if the table can't be read. */
  async all(): Promise<ReadonlyMap<string, string>> {
    try {
      return new Map(
        Object.entries(titlesSchema.parse(JSON.parse(await readBoundedText(this.#file, maxBytes))).titles),
      );
    } catch {
      return new Map();
    }
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
