/**
 * Unsaved changes of windows: a file for each experiment, named after its id. They are on the disk before keep()
 * resolves, since a killed browser loses the last seconds of its own storage.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { maxExperimentCharacters, parseExperiment, requireExperiment } from '../../core/experiment/parse.ts';
import type { Draft, SentDraft } from '../../core/service/service.ts';
import { findFiles, privately, removeFile, serial, writeWhole } from '../files/files.ts';
import { isId, requireTopLevelId } from '../files/ids.ts';
import { readIfSound } from '../files/stored.ts';

const draftFormat = 'copyscope/draft';

const draftSchema = z.object({
  format: z.literal(draftFormat),
  version: z.literal(1),
  changedAt: z.iso.datetime(),
  experiment: z.unknown(),
});

export class DraftStore {
  readonly #folder: string;
  readonly #serial = serial();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the ids of experiments with a draft. */
  async ids(): Promise<ReadonlySet<string>> {
    return new Set((await findFiles(this.#folder, '.json', false)).map(({ name }) => name).filter(isId));
  }

  /** Returns null if there is no draft, or it can't be read: then only the saved document exists. */
  async read(id: string): Promise<Draft | null> {
    if (!(await this.ids()).has(id)) return null;
    const draft = await readIfSound(draftSchema, this.#path(id), 2 * maxExperimentCharacters);
    const parsed = parseExperiment(draft?.experiment);
    return draft !== null && parsed.ok ? { changedAt: draft.changedAt, experiment: parsed.experiment } : null;
  }

  /** Rejects with `experiment.invalid` or a file error, and then keeps the previous draft. */
  keep(id: string, { changedAt, experiment }: SentDraft) {
    return this.#serial(async () => {
      const document = { format: draftFormat, version: 1, changedAt, experiment: requireExperiment(experiment) };
      await writeWhole(this.#path(id), `${JSON.stringify(document)}\n`, privately);
    });
  }

  drop(id: string): Promise<void> {
    return this.#serial(async () => {
      if ((await this.ids()).has(id)) await removeFile(this.#path(id));
    });
  }

  /** Returns the draft's path, or null if there is none. */
  async path(id: string): Promise<string | null> {
    return (await this.ids()).has(id) ? this.#path(id) : null;
  }

  #path(id: string): string {
    return join(this.#folder, `${requireTopLevelId(id)}.json`);
  }
}
