/** The settings of each machine whose jobs Slurm starts: a table in the data folder. It holds nothing secret. */
import { join } from 'node:path';
import { z } from 'zod';
import type { CopyscopeError } from '../../core/errors.ts';
import { noSettings, type SlurmSettings, slurmSettingsSchema } from '../../core/slurm/settings.ts';
import { privately, readBoundedText, writeWhole } from '../service/files.ts';
import { readShape } from './readShape.ts';

const maxBytes = 1024 * 1024;
const tableSchema = z.object({
  format: z.literal('copyscope/slurm'),
  version: z.literal(1),
  machines: z.array(z.object({ host: z.string().min(1).max(200).nullable(), settings: slurmSettingsSchema })).max(1000),
});
type Row = z.infer<typeof tableSchema>['machines'][number];

export class SlurmSettingsStore {
  readonly #file: string;

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, 'slurm.json');
  }

  /** Of another machine, or with null of this one. Rejects with `slurm.list` where the table can't be read. */
  async get(host: string | null): Promise<SlurmSettings> {
    return (await this.#rows()).find((row) => row.host === host)?.settings ?? noSettings;
  }

  /** Other machines that were set, by name. */
  async all(): Promise<ReadonlyMap<string, SlurmSettings>> {
    const rows = await this.#rows();
    return new Map(rows.flatMap(({ host, settings }) => (host === null ? [] : [[host, settings] as const])));
  }

  async put(host: string | null, settings: SlurmSettings): Promise<void> {
    await this.#write([...(await this.#rows()).filter((row) => row.host !== host), { host, settings }]);
  }

  async remove(host: string | null): Promise<void> {
    const rows = await this.#rows();
    if (rows.some((row) => row.host === host)) await this.#write(rows.filter((row) => row.host !== host));
  }

  #write(machines: readonly Row[]): Promise<void> {
    const table = { format: 'copyscope/slurm', version: 1, machines };
    return writeWhole(this.#file, `${JSON.stringify(table, null, 2)}\n`, privately);
  }

  async #rows(): Promise<readonly Row[]> {
    const text = await readBoundedText(this.#file, maxBytes).catch((error: CopyscopeError) => {
      if (error.code === 'file.not-found') return null;
      throw error;
    });
    if (text === null) return [];
    return readSettingsTable(text, this.#file);
  }
}

/** Throws `slurm.list`. */
export const readSettingsTable = (text: string, path: string): readonly Row[] =>
  readShape(tableSchema, text, {
    code: 'slurm.list',
    what: path,
    remedy: 'Repair it, or delete it and set the clusters again.',
  }).machines;
