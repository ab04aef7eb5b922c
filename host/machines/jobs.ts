/** Runs of this machine that were asked for from another one: kept until they were fetched. */
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { checkShape } from '../../core/shape/checkShape.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import { readBounded, readBoundedText, writeWhole } from '../service/files.ts';
import { isAlive } from '../service/thisProcess.ts';
import type { Job } from './protocol.ts';
import type { NotedProgram } from './rescue.ts';

const metaSchema = z.object({
  name: z.string(),
  engine: z.string(),
  startedAt: z.string(),
  /** The process that runs it, and where: a home may be that of many machines. */
  pid: z.number().int(),
  node: z.string(),
});
type Meta = z.infer<typeof metaSchema>;

/** A note holds a few names and numbers. */
const maxNoteBytes = 65_536;

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

  /** Notes a program that the run is recorded from, for whoever looks for it once this process has been killed. */
  noteProgram(id: string, program: NotedProgram): void {
    try {
      writeFileSync(this.#program(id), JSON.stringify(program));
    } catch {
      // The disk is full: it is recorded all the same.
    }
  }

  keep = (id: string, file: Uint8Array): Promise<void> => writeWhole(join(this.#path(id), 'run.arrow'), file);

  read = (id: string): Promise<Uint8Array> => readBounded(join(this.#path(id), 'run.arrow'), maxRunFileBytes);

  drop = (id: string): Promise<void> => rm(this.#path(id), { recursive: true, force: true });

  /** Whether one of these is still here. */
  async hasAny(ids: Iterable<string>): Promise<boolean> {
    const names = new Set(await readdir(this.#folder).catch(() => []));
    return [...ids].some((id) => names.has(id));
  }

  /** Oldest first. Those whose process has ended without a result are taken away, but for what was recorded by then. */
  async list(): Promise<Job[]> {
    const names = await readdir(this.#folder).catch(() => []);
    const jobs = await Promise.all(names.filter((name) => idPattern.test(name)).map((id) => this.#job(id)));
    return jobs.filter((job) => job !== null).sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
  }

  async #job(id: string): Promise<Job | null> {
    const meta = await this.#meta(id);
    if (meta === null) return null;
    const { name, engine, startedAt, pid, node } = meta;
    // Before its result is looked for: it may keep that now, and end.
    const hasEnded = node === hostname() && !isAlive(pid);
    const running: Job = { id, name, engine, startedAt, status: 'running', bytes: 0 };
    const done = async (): Promise<Job | null> => {
      const file = await stat(join(this.#path(id), 'run.arrow')).catch(() => null);
      return file === null ? null : { ...running, status: 'done', bytes: file.size };
    };
    const kept = await done();
    if (kept !== null) return kept;
    if (!hasEnded || (await this.#rescue(id))) return running;
    // Kept from the program that goes on no more, be it by somebody else who looked meanwhile.
    const rescued = await done();
    if (rescued === null) await this.drop(id);
    return rescued;
  }

  /** Keeps the run of a program whose keeper was killed, where there is one. True while that program goes on. */
  async #rescue(id: string): Promise<boolean> {
    const noted = await readBoundedText(this.#program(id), maxNoteBytes).catch(() => null);
    if (noted === null) return false;
    const { rescue } = await import('./rescue.ts');
    return rescue(noted, (run) => this.keep(id, run));
  }

  /** Null where it is half written, or damaged. */
  async #meta(id: string): Promise<Meta | null> {
    try {
      const shape = checkShape(
        metaSchema,
        JSON.parse(await readBoundedText(join(this.#path(id), 'meta.json'), maxNoteBytes)),
      );
      return shape.ok ? shape.value : null;
    } catch {
      return null;
    }
  }

  #program(id: string): string {
    return join(this.#path(id), 'program.json');
  }

  #path(id: string): string {
    if (!idPattern.test(id)) throw new Error(`${JSON.stringify(id)} is no job`);
    return join(this.#folder, id);
  }
}
