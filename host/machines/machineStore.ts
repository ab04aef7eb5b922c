/** The machines that this user has set up: a small table in the data folder. It holds no address and no secret: ssh has them. */
import { join } from 'node:path';
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { checkShape } from '../../core/shape/checkShape.ts';
import { readBoundedText, writeWhole } from '../service/files.ts';
import { serial } from '../service/serial.ts';
import { requireHostName } from './ssh.ts';

const maxBytes = 1024 * 1024;
const machineSchema = z.object({
  /** As ssh knows it. */
  name: z.string().min(1).max(200),
  /** Of the program that was put there: version and build. */
  version: z.string().max(40),
  build: z.string().max(80),
  /** As 'Linux x86_64'. */
  system: z.string().max(200),
  addedAt: z.iso.datetime(),
});
const tableSchema = z.object({
  format: z.literal('copyscope/machines'),
  version: z.literal(1),
  machines: z.array(machineSchema).max(1000),
});
export type Machine = z.infer<typeof machineSchema>;

export class MachineStore {
  readonly #file: string;
  readonly #serial = serial();

  constructor(dataFolder: string) {
    this.#file = join(dataFolder, 'machines.json');
  }

  /** By name. Rejects with `host.list` where the table is there and can't be read. */
  async list(): Promise<Machine[]> {
    let text: string;
    try {
      text = await readBoundedText(this.#file, maxBytes);
    } catch (error) {
      if (error instanceof CopyscopeError && error.code === 'file.not-found') return [];
      throw error;
    }
    const shape = checkShape(tableSchema, parsed(text));
    if (!shape.ok) throw damaged(this.#file, `${shape.problems[0].field}: ${shape.problems[0].message}`);
    return shape.value.machines.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Rejects with `host.name` or `host.unknown`. */
  async require(name: string): Promise<Machine> {
    requireHostName(name);
    const found = (await this.list()).find((machine) => machine.name === name);
    if (found !== undefined) return found;
    throw new CopyscopeError({
      code: 'host.unknown',
      field: 'host',
      message: `${name} is not set up for Copyscope.`,
      remedy: `Set it up with: copyscope host add ${name}`,
    });
  }

  put = (machine: Machine): Promise<void> =>
    this.#change((machines) => [...machines.filter(({ name }) => name !== machine.name), machine]);

  remove = (name: string): Promise<void> => this.#change((machines) => machines.filter((one) => one.name !== name));

  #change(change: (machines: Machine[]) => Machine[]): Promise<void> {
    return this.#serial(async () => {
      const table = { format: 'copyscope/machines', version: 1, machines: change(await this.list()) };
      await writeWhole(this.#file, `${JSON.stringify(table, null, 2)}\n`);
    });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const damaged = (file: string, why: string): CopyscopeError =>
  new CopyscopeError({
    code: 'host.list',
    message: `${file} can't be read: ${why}`,
    remedy: 'Repair it, or delete it and add the machines again.',
  });
