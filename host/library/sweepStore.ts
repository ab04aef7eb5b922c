/**
 * The stored sweeps: a folder each, with the sweep, the outcomes of its points, and the runs of those that succeeded. A
 * finished point becomes a run file first and a line second, so that it survives any end of the host.
 */
import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { RunSummary, SweepOutcome, SweepSummary } from '../../core/service/service.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import {
  makeFolder,
  privately,
  readBounded,
  readBoundedText,
  serial,
  storageError,
  writeWhole,
} from '../files/files.ts';
import { isId, keepUnderUnused, timedId, unused } from '../files/ids.ts';
import { type KeptSweep, keptText, outcomeLine, readKept, sweepSummary } from './keptSweep.ts';
import type { RunFile } from './runStore.ts';

/** Limit of the sweep's document, and of its outcomes. */
export const maxSweepBytes = 128 * 1024 * 1024;

type NewSweep = Omit<KeptSweep, 'id' | 'imported' | 'outcomes'>;

export class SweepStore {
  readonly #folder: string;
  readonly #serial = serial();
  readonly #known = new Map<string, { readonly stamp: string; readonly kept: KeptSweep }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the sweeps, newest first; `running` are those in progress. An unreadable one has its problem. */
  async list(running: ReadonlySet<string>): Promise<SweepSummary[]> {
    const found: SweepSummary[] = [];
    for (const id of await this.#ids()) {
      try {
        found.push(sweepSummary(await this.read(id), running.has(id)));
      } catch (error) {
        const problem = toErrorInfo(error);
        // A folder without a sweep doesn't count.
        if (problem.code !== 'sweep.not-found') found.push(unreadable(id, problem));
      }
    }
    return found.sort((a, b) => b.createdAt.localeCompare(a.createdAt));
  }

  /** Returns the runs of all points that succeeded; an unreadable sweep has none. */
  async runs(): Promise<RunSummary[]> {
    const kept = await Promise.all((await this.#ids()).map((id) => this.read(id).catch(() => null)));
    return kept.flatMap((sweep) =>
      (sweep?.outcomes ?? []).flatMap((outcome) => (outcome.status === 'done' ? [outcome.run] : [])),
    );
  }

  /** Rejects with `sweep.not-found`, `sweep.damaged` or a file error. */
  async read(id: string): Promise<KeptSweep> {
    const [sweep, points] = [this.#path(id, 'sweep.json'), this.#path(id, 'points.jsonl')];
    const stamp = `${await stampOf(sweep)} ${await stampOf(points)}`;
    const known = this.#known.get(id);
    if (known?.stamp === stamp) return known.kept;
    const json = await readBoundedText(sweep, maxSweepBytes).catch((error: CopyscopeError) => {
      throw error.code === 'file.not-found' ? notFound(id) : error;
    });
    const lines = await readBoundedText(points, maxSweepBytes).catch(() => '');
    try {
      const kept = readKept(id, json, lines);
      this.#known.set(id, { stamp, kept });
      return kept;
    } catch (error) {
      throw damaged(sweep, error);
    }
  }

  /** Stores a sweep that begins now. */
  create(kept: NewSweep): Promise<KeptSweep> {
    return this.#serial(async () => {
      const base = timedId(new Date(kept.createdAt), kept.sweep.name);
      const id = await keepUnderUnused(
        (tried) => this.#unusedId(base, tried),
        (free) => this.#taken(() => mkdir(this.#path(free, ''), { mode: privately.folder })),
      );
      const made: KeptSweep = { ...kept, id, imported: false, outcomes: [] };
      await writeWhole(this.#path(id, 'sweep.json'), keptText(made), privately);
      return made;
    });
  }

  /**
   * Stores a whole sweep from elsewhere, under its own id if that is free. `runs` has the paths of its points' files;
   * `folder` is an unused name on the same disk, in which it is assembled, so that it is stored whole or not at all.
   */
  async keep(kept: KeptSweep, runs: ReadonlyMap<number, string>, folder: string): Promise<string> {
    for (const [point, path] of runs) {
      await writeWhole(join(folder, `${point}.arrow`), await readBounded(path, maxRunFileBytes), privately);
    }
    await writeWhole(join(folder, 'points.jsonl'), kept.outcomes.map(outcomeLine).join(''), privately);
    // Another user's cluster ran it.
    const { slurm: _, ...points } = kept;
    await writeWhole(join(folder, 'sweep.json'), keptText({ ...points, imported: true }), privately);
    return this.#serial(() =>
      keepUnderUnused(
        (tried) => this.#unusedId(kept.id, tried),
        (free) => this.#taken(() => rename(folder, this.#path(free, ''))),
      ),
    );
  }

  /** Rejects as read() does. */
  rename(id: string, name: string): Promise<KeptSweep> {
    return this.#serial(async () => {
      const kept = await this.read(id);
      const renamed: KeptSweep = { ...kept, sweep: { ...kept.sweep, name } };
      await writeWhole(this.#path(id, 'sweep.json'), keptText(renamed), privately);
      this.#known.delete(id);
      return renamed;
    });
  }

  /** Stores the run of a point; addOutcome() then lists it. */
  async addRun(id: string, point: number, file: Uint8Array): Promise<void> {
    await writeWhole(this.#path(id, `${point}.arrow`), file, privately);
  }

  async addOutcome(id: string, outcome: SweepOutcome): Promise<void> {
    const path = this.#path(id, 'points.jsonl');
    try {
      const file = await open(path, 'a', privately.file);
      try {
        await file.writeFile(outcomeLine(outcome));
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw storageError(`${path} could not be written`, error as NodeJS.ErrnoException);
    }
  }

  /** Returns the run file of a point. Rejects with `run.not-found`. */
  async runFile(runId: string): Promise<RunFile> {
    const [, id = '', point = ''] = /^sweep\/([^/]+)\/(\d+)$/.exec(runId) ?? [];
    const kept = isId(id) ? await this.read(id).catch(() => null) : null;
    const isDone = kept?.outcomes.some((outcome) => outcome.status === 'done' && outcome.point === Number(point));
    const path = this.#path(id === '' ? 'none' : id, `${point}.arrow`);
    const size = isDone === true ? await stat(path).catch(() => null) : null;
    if (size !== null) return { path, bytes: size.size };
    throw new CopyscopeError({
      code: 'run.not-found',
      message: `There is no run ${JSON.stringify(runId.slice(0, 240))}.`,
      remedy: 'Its sweep may have been deleted: choose another.',
    });
  }

  /** Returns the folder of a sweep, damaged or not. Rejects with `sweep.not-found`. */
  async folder(id: string): Promise<string> {
    if ((await this.#ids()).includes(id)) return this.#path(id, '');
    throw notFound(id);
  }

  async #unusedId(base: string, tried: ReadonlySet<string>): Promise<string> {
    const used = new Set([...(await this.#ids()), ...tried]);
    return unused(base, (candidate) => used.has(candidate));
  }

  /** Returns true if `take` took a name in the folder. `take` must fail if the name exists. */
  async #taken(take: () => Promise<void>): Promise<boolean> {
    try {
      await makeFolder(this.#folder, privately.folder);
      await take();
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // ENOTDIR: a folder would have replaced a file.
      if (code === 'EEXIST' || code === 'ENOTEMPTY' || code === 'ENOTDIR') return false;
      throw storageError(`${this.#folder} could not be written`, error as NodeJS.ErrnoException);
    }
  }

  /** Returns only ids from a listing of the folder. */
  async #ids(): Promise<string[]> {
    const entries = await readdir(this.#folder, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw storageError(`${this.#folder} could not be read`, error);
    });
    return entries.filter((entry) => entry.isDirectory() && isId(entry.name)).map(({ name }) => name);
  }

  #path(id: string, name: string): string {
    if (!isId(id) || id.includes('/')) throw notFound(id);
    return join(this.#folder, id, name);
  }
}

const stampOf = (path: string): Promise<string> =>
  stat(path).then(
    ({ size, mtimeMs }) => `${size}:${mtimeMs}`,
    () => '',
  );

const unreadable = (id: string, problem: ErrorInfo): SweepSummary => ({
  id,
  name: id,
  createdAt: new Date(0).toISOString(),
  engine: 'sim',
  origin: 'recorded',
  device: '',
  status: 'stopped',
  points: 0,
  done: 0,
  failed: 0,
  problem,
});

const notFound = (id: string): CopyscopeError =>
  new CopyscopeError({
    code: 'sweep.not-found',
    message: `There is no sweep ${JSON.stringify(id.slice(0, 240))}.`,
    remedy: 'It may have been deleted: choose another.',
  });

const damaged = (path: string, cause: unknown): CopyscopeError =>
  new CopyscopeError(
    {
      ...toErrorInfo(cause),
      code: 'sweep.damaged',
      message: `${path} can’t be read as a sweep: ${toErrorInfo(cause).message}`,
      remedy: 'Delete this sweep; the runs of its points are in that file’s folder.',
    },
    { cause },
  );
