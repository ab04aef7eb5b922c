/** Names and local ports of the remote hosts that this user connected to. ssh keeps addresses and secrets. */
import { join } from 'node:path';
import { z } from 'zod';
import { serial, writeWhole } from '../files/files.ts';
import { readIfSound } from '../files/stored.ts';

const maxBytes = 1024 * 1024;
const tableSchema = z.object({
  format: z.literal('copyscope/remote-hosts'),
  version: z.literal(1),
  hosts: z.array(z.object({ name: z.string().min(1).max(200), port: z.number().int().min(1).max(65_535) })).max(1000),
});
type KnownHost = z.infer<typeof tableSchema>['hosts'][number];

export class RemoteHosts {
  readonly #file: string;
  readonly #serial = serial();

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, 'remote-hosts.json');
  }

  /** Returns the names, the last one first. Empty if the table is damaged, since it is only a convenience. */
  async names(): Promise<string[]> {
    return (await this.#list()).map(({ name }) => name);
  }

  async port(name: string): Promise<number | null> {
    return (await this.#list()).find((host) => host.name === name)?.port ?? null;
  }

  note = (name: string, port: number): Promise<void> =>
    this.#change((hosts) => [{ name, port }, ...hosts.filter((host) => host.name !== name)].slice(0, 100));

  forget = (name: string): Promise<void> => this.#change((hosts) => hosts.filter((host) => host.name !== name));

  async #list(): Promise<readonly KnownHost[]> {
    return (await readIfSound(tableSchema, this.#file, maxBytes))?.hosts ?? [];
  }

  #change(change: (hosts: readonly KnownHost[]) => readonly KnownHost[]): Promise<void> {
    return this.#serial(async () => {
      const table = { format: 'copyscope/remote-hosts', version: 1, hosts: change(await this.#list()) };
      await writeWhole(this.#file, `${JSON.stringify(table, null, 2)}\n`);
    });
  }
}
