/** Runs of this machine that were asked for from another one: kept until they were fetched. */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { checkShape } from '../../core/shape/checkShape.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import { readBounded, writeWhole } from '../service/files.ts';
import type { Job } from './protocol.ts';

const metaSchema = z.object({
  name: z.string(),
  engine: z.string(),
  startedAt: z.string(),
  /** The process that runs it, and where: a home may be that of many machines. */
  pid: z.number().int(),
  node: z.string(),
});
type Meta = z.infer<typeof metaSchema>;

/** Of a folder's name, since what is asked for comes from elsewhere. */
const idPattern = /^[0-9a-f-]{36}$/;

export class Jobs {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Notes that a run has begun, and gives what keeps its result. */
  async begin(meta: Pick<Meta, 'name' | 'engine'>): Promise<string> {
    const id = randomUUID();
    await mkdir(this.#path(id), { recursive: true, mode: 0o700 });
    const full: Meta = { ...meta, startedAt: new Date().toISOString(), pid: process.pid, node: hostname() };
    await writeFile(join(this.#path(id), 'meta.json'), JSON.stringify(full));
    return id;
  }

  keep = (id: string, file: Uint8Array): Promise<void> => writeWhole(join(this.#path(id), 'run.arrow'), file);

  read = (id: string): Promise<Uint8Array> => readBounded(join(this.#path(id), 'run.arrow'), maxRunFileBytes);

  drop = (id: string): Promise<void> => rm(this.#path(id), { recursive: true, force: true });

  /** Whether one of these is still here. */
  async hasAny(ids: Iterable<string>): Promise<boolean> {
    const names = new Set(await readdir(this.#folder).catch(() => []));
    return [...ids].some((id) => names.has(id));
  }

  /** Oldest first. Those whose process has ended without a result are taken away. */
  async list(): Promise<Job[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const jobs = await Promise.all(names.filter((name) => idPattern.test(name)).map((id) => this.#job(id)));
    return jobs.filter((job) => job !== null).sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  }

  async #job(id: string): Promise<Job | null> {
    const meta = await this.#meta(id);
    if (meta === null) return null;
    const { name, engine, startedAt, pid, node } = meta;
    const file = await stat(join(this.#path(id), 'run.arrow')).catch(() => null);
    if (file !== null) return { id, name, engine, startedAt, status: 'done', bytes: file.size };
    if (node !== hostname() || isAlive(pid)) return { id, name, engine, startedAt, status: 'running', bytes: 0 };
    await this.drop(id);
    return null;
  }

  /** Null where it is half written, or damaged. */
  async #meta(id: string): Promise<Meta | null> {
    try {
      const shape = checkShape(metaSchema, JSON.parse(await readFile(join(this.#path(id), 'meta.json'), 'utf8')));
      return shape.ok ? shape.value : null;
    } catch {
      return null;
    }
  }

  #path(id: string): string {
    if (!idPattern.test(id)) throw new Error(`${JSON.stringify(id)} is no job`);
    return join(this.#folder, id);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
