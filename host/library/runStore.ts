/**
 * The stored runs: an Arrow file each and nothing else, so that the list always agrees with the files. Runs made here
 * are in the folder itself, imported ones in imported/, and built-in ones with the program.
 */
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { originalName } from '../../core/experiment/nameOfContent.ts';
import { traceName } from '../../core/import/sniff.ts';
import { type RunSummary, recordedPrefix } from '../../core/service/service.ts';
import { decodeRun, maxRunFileBytes, readRunInfo } from '../../core/trace/arrow.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { findFiles, privately, readBounded, serial, writeNew } from '../files/files.ts';
import { type BeforeKept, isId, keepUnderUnused, slug, timedId, unused } from '../files/ids.ts';
import { type FileState, SeenFiles, type SeenList } from '../files/seenFiles.ts';
import type { Assets } from './assets.ts';
import { type Place, runSummarySchema, summaryOf, unreadable } from './runSummaries.ts';

const importedPrefix = 'imported/';

interface Entry extends Place {
  readonly path: string;
}

export interface RunFile {
  readonly path: string;
  readonly bytes: number;
  /** Content of a run for which the disk had no room. */
  readonly content?: Uint8Array;
}

const partBytes = 1024 * 1024;

/** Returns the file in parts. A file that changes or disappears ends early, which its length then shows. */
export function streamRunFile({ path, bytes, content }: RunFile): Readable {
  if (content === undefined) return createReadStream(path, { highWaterMark: partBytes, end: bytes - 1 });
  const parts = Math.ceil(bytes / partBytes);
  return Readable.from(
    Array.from({ length: parts }, (_, part) => content.subarray(part * partBytes, (part + 1) * partBytes)),
    { objectMode: false },
  );
}

/** Returns all of its bytes. Rejects with a file error. */
export const readRunFile = async ({ path, content }: RunFile): Promise<Uint8Array> =>
  content ?? readBounded(path, maxRunFileBytes);

/** Cached facts about a file. */
const indexedSchema = z.object({ bytes: z.number(), summary: runSummarySchema });
type Indexed = z.infer<typeof indexedSchema>;

/** A file that can't be read now may be readable later. */
const isReadable = ({ summary }: Indexed): boolean => summary.engine !== null;

export class RunStore {
  readonly #folder: string;
  readonly #assets: Assets;
  readonly #serial = serial();
  readonly #reserved = new Set<string>();
  readonly #seen: SeenList<Indexed>;

  constructor(folder: string, assets: Assets, seen = new SeenFiles(null)) {
    this.#folder = folder;
    this.#assets = assets;
    this.#seen = seen.list('runs', indexedSchema, isReadable);
  }

  /** Returns the runs, newest first. An unreadable file is listed as failed, with the reason. */
  async list(): Promise<RunSummary[]> {
    const entries = await this.#entries();
    const summaries: RunSummary[] = [];
    // One after the other, since each may be read whole.
    for (const entry of entries) summaries.push((await this.#indexed(entry)).summary);
    this.#seen.keepOnly(entries.map(({ path }) => path));
    return summaries.sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1));
  }

  /** Returns the run's file. Rejects with `run.not-found`, a file error, or the file's problem (`run-file.*`). */
  async file(id: string): Promise<RunFile> {
    const entry = await this.#find(id);
    const { summary, bytes } = await this.#indexed(entry);
    if (summary.engine === null && summary.error !== undefined) throw new CopyscopeError(summary.error);
    return { path: entry.path, bytes };
  }

  /** Returns the experiment of the last complete run made here of this experiment, or of what it is a copy of. */
  async experimentBefore(name: string): Promise<Experiment | null> {
    const last = (await this.list()).find(
      (run) =>
        run.status === 'complete' &&
        !run.builtIn &&
        !run.id.startsWith(importedPrefix) &&
        originalName(run.name) === originalName(name),
    );
    if (last === undefined) return null;
    const { path, bytes } = await this.file(last.id);
    return (await readInfo(path, bytes)).experiment;
  }

  /** Returns an id for a run that begins now. The id stays reserved for this session. */
  newId(at: Date, name: string): Promise<string> {
    return this.#serial(() => this.#unusedId(timedId(at, name)));
  }

  /** Stores a run made here under an id from newId(), or another if that is taken by now. */
  async add(reserved: string, info: RunInfo, file: Uint8Array): Promise<RunSummary> {
    let next = reserved;
    const newId = async (): Promise<string> => {
      const id = next;
      // Another process with the same folder began one of this name in the same second.
      next = await this.#serial(() => this.#unusedId(reserved));
      return id;
    };
    const id = await keepUnderUnused(newId, (free) => writeNew(this.#path(free), file, privately));
    return summaryOf(info, { id, madeHere: true, builtIn: false });
  }

  /**
   * Stores a run file from elsewhere byte for byte, after validating all of it; a file that is here already is not
   * stored again. Writes nothing if it is invalid.
   */
  async import(name: string, file: Uint8Array): Promise<{ readonly run: RunSummary; readonly isNew: boolean }> {
    const { info } = decodeRun(file);
    const same = await this.#same(file);
    if (same !== null) return { run: same, isNew: false };
    return { run: await this.keep(name, info, file), isNew: true };
  }

  /** Stores a run from elsewhere under an id made from `name`. */
  keep(name: string, info: RunInfo, file: Uint8Array, before?: BeforeKept): Promise<RunSummary> {
    return this.#serial(async () => {
      const base = importedPrefix + slug(traceName(name.replace(/\.arrow$/i, '')), 'run');
      const newId = (): Promise<string> => this.#unusedId(base);
      const id = await keepUnderUnused(newId, (free) => writeNew(this.#path(free), file, privately), before);
      return summaryOf(info, { id, madeHere: false, builtIn: false });
    });
  }

  /** Returns the run with exactly this file. */
  async #same(file: Uint8Array): Promise<RunSummary | null> {
    for (const entry of await this.#entries()) {
      const { size } = await stat(entry.path).catch(() => ({ size: -1 }));
      if (size !== file.byteLength || !isId(entry.id)) continue;
      const known = await readBounded(entry.path, maxRunFileBytes);
      if (Buffer.compare(known, file) === 0) return (await this.#indexed(entry)).summary;
    }
    return null;
  }

  /** Returns the path of a run that can be deleted. Rejects with `run.not-found` or `run.built-in`. */
  async ownPath(id: string): Promise<string> {
    const entry = await this.#find(id);
    if (entry.builtIn) throw builtIn();
    return entry.path;
  }

  async #unusedId(base: string): Promise<string> {
    const used = new Set((await this.#entries()).map((entry) => entry.id));
    const id = unused(base, (candidate) => used.has(candidate) || this.#reserved.has(candidate));
    this.#reserved.add(id);
    return id;
  }

  #path(id: string): string {
    if (!isId(id)) throw notFound(id);
    return join(this.#folder, ...id.split('/')).concat('.arrow');
  }

  async #entries(): Promise<Entry[]> {
    const [own, imported, recorded] = await Promise.all([
      findFiles(this.#folder, '.arrow', false),
      findFiles(join(this.#folder, importedPrefix), '.arrow', false),
      this.#assets.recordedRuns(),
    ]);
    return [
      ...own.map(({ name, path }) => ({ id: name, path, madeHere: true, builtIn: false })),
      ...imported.map(({ name, path }) => ({ id: importedPrefix + name, path, madeHere: false, builtIn: false })),
      ...recorded.map(({ name, path }) => ({ id: recordedPrefix + name, path, madeHere: false, builtIn: true })),
    ];
  }

  /** Finds only files from a listing of the folders, so that no id becomes a path here. */
  async #find(id: string): Promise<Entry> {
    const found = isId(id) ? (await this.#entries()).find((entry) => entry.id === id) : undefined;
    if (found === undefined) throw notFound(id);
    return found;
  }

  async #indexed(entry: Entry): Promise<Indexed> {
    const { bytes, summary } = await this.#seen.of(entry.path, async (file) => ({
      bytes: file.bytes,
      summary: await readSummary(entry, file),
    }));
    return { bytes, summary: { ...summary, id: entry.id, builtIn: entry.builtIn } };
  }
}

async function readSummary(entry: Entry, { bytes, modifiedAt }: FileState): Promise<RunSummary> {
  if (!isId(entry.id)) return unreadable(entry, entry.id, modifiedAt, badName(entry.path));
  try {
    return summaryOf(await readInfo(entry.path, bytes), entry);
  } catch (error) {
    return unreadable(entry, entry.id, modifiedAt, toErrorInfo(error));
  }
}

/** Larger files are not read whole for a list: opening them validates their rows. */
const mostValidatedBytes = 4 * 1024 * 1024;

async function readInfo(path: string, bytes: number): Promise<RunInfo> {
  if (bytes <= mostValidatedBytes || bytes > maxRunFileBytes) {
    return decodeRun(await readBounded(path, maxRunFileBytes)).info;
  }
  const file = await open(path);
  try {
    return await readRunInfo(async (offset, length) => {
      const { bytesRead, buffer } = await file.read(new Uint8Array(length), 0, length, offset);
      return buffer.subarray(0, bytesRead);
    }, bytes);
  } finally {
    await file.close();
  }
}

const badName = (path: string): ErrorInfo => ({
  code: 'run.file-name',
  message: `${path} can't be opened by its name.`,
  remedy: 'Rename the file so that only a-z, 0-9, "-" and "_" are in its name, or import it.',
});

const notFound = (id: string): CopyscopeError =>
  new CopyscopeError({
    code: 'run.not-found',
    message: `There is no run ${JSON.stringify(id.slice(0, 240))}.`,
    remedy: 'It may have been deleted: choose another.',
  });

const builtIn = (): CopyscopeError =>
  new CopyscopeError({
    code: 'run.built-in',
    message: 'This recorded run ships with Copyscope and is not deleted.',
  });
