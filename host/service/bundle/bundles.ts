/** Packs things of the library into one file, and unpacks such a file into the library: all of it, or nothing. */

import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { CopyscopeError } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { maxExperimentCharacters, requireExperiment } from '../../../core/experiment/parse.ts';
import type { LibraryItems } from '../../../core/service/service.ts';
import { decodeRun, maxRunFileBytes } from '../../../core/trace/arrow.ts';
import { maxNotesBytes, parseRunNotes, type RunNotes } from '../../../core/trace/notes.ts';
import type { RunInfo } from '../../../core/trace/run.ts';
import type { ExperimentStore } from '../experimentStore.ts';
import { readBounded, readBoundedText } from '../files.ts';
import type { NoteStore } from '../noteStore.ts';
import type { RunStore } from '../runStore.ts';
import type { TitleStore } from '../titleStore.ts';
import { bundleError, bundleFormat, bundleVersion, type Manifest, type RunItem } from './manifest.ts';
import { readBundle, type UnpackedFile } from './readBundle.ts';
import { type PackedFile, writeBundle } from './writeBundle.ts';

/** What a bundle is packed from and unpacked into: see Library. */
interface Parts {
  readonly experiments: ExperimentStore;
  readonly runs: RunStore;
  readonly notes: NoteStore;
  readonly titles: TitleStore;
  newIncoming(): string;
  discard(items: LibraryItems): Promise<void>;
}

/** A bundle that was asked for and not fetched yet is forgotten after this. */
const ticketMs = 60_000;

interface Packed {
  readonly manifest: Manifest;
  readonly files: readonly PackedFile[];
}

interface UnpackedRun {
  readonly item: RunItem;
  readonly path: string;
  readonly info: RunInfo;
  readonly notes: RunNotes | null;
}

export class Bundles {
  readonly #library: Parts;
  readonly #version: string;
  readonly #tickets = new Map<string, Packed>();

  constructor(library: Parts, version: string) {
    this.#library = library;
    this.#version = version;
  }

  /** Looks everything up, and gives a ticket for stream(). Rejects with `experiment.not-found` or `run.not-found`. */
  async pack(items: LibraryItems): Promise<string> {
    const packed = await this.#collect(items);
    const ticket = randomUUID();
    this.#tickets.set(ticket, packed);
    setTimeout(() => this.#tickets.delete(ticket), ticketMs).unref();
    return ticket;
  }

  /** The bundle's bytes, once. Rejects with `bundle.gone`. */
  async stream(ticket: string): Promise<Readable> {
    const packed = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (packed === undefined) throw gone();
    return writeBundle(packed.manifest, packed.files, this.#library.newIncoming());
  }

  /** The same without a ticket, for whoever needs none. */
  async write(items: LibraryItems): Promise<Readable> {
    return this.stream(await this.pack(items));
  }

  /**
   * Everything in the archive under ids of its own, beside what is there already. Validates all of it first; where
   * something can't be kept after that, what was kept of it is taken back. `folder` is a name that nothing has yet.
   */
  async unpack(archive: string, folder: string): Promise<LibraryItems> {
    await mkdir(folder, { recursive: true });
    const { manifest, files } = await readBundle(archive, folder);
    const experiments = await Promise.all(of(files, 'experiment').map(({ path, id }) => readExperiment(path, id)));
    const runs: UnpackedRun[] = [];
    // One after another: each may have a gigabyte.
    for (const item of manifest.runs) runs.push(await readRun(item, files));
    return this.#keep(experiments, runs);
  }

  async #keep(experiments: readonly Experiment[], runs: readonly UnpackedRun[]): Promise<LibraryItems> {
    const kept = { experiments: [] as string[], runs: [] as string[] };
    try {
      for (const experiment of experiments)
        kept.experiments.push(await this.#library.experiments.save(null, experiment));
      for (const run of runs) kept.runs.push(await this.#keepRun(run));
      return kept;
    } catch (thrown) {
      await this.#library.discard(kept).catch(() => {});
      throw thrown;
    }
  }

  async #keepRun({ item, path, info, notes }: UnpackedRun): Promise<string> {
    const name = item.id.slice(item.id.lastIndexOf('/') + 1);
    const { id } = await this.#library.runs.keep(name, info, await readBounded(path, maxRunFileBytes));
    if (notes !== null) await this.#library.notes.save(id, notes);
    if (item.title !== undefined) await this.#library.titles.set(id, item.title);
    return id;
  }

  async #collect({ experiments, runs }: LibraryItems): Promise<Packed> {
    const files: PackedFile[] = [];
    const manifest: Manifest = {
      format: bundleFormat,
      version: bundleVersion,
      createdAt: new Date().toISOString(),
      program: `copyscope ${this.#version}`,
      experiments: [],
      runs: [],
    };
    for (const id of new Set(experiments)) {
      const { name } = await this.#library.experiments.read(id);
      manifest.experiments.push({ id, name });
      files.push({ kind: 'experiment', id, path: await this.#library.experiments.path(id) });
    }
    const titles = await this.#library.titles.all();
    for (const id of new Set(runs)) {
      files.push({ kind: 'run', id, path: (await this.#library.runs.file(id)).path });
      const notes = await this.#library.notes.path(id);
      if (notes !== null) files.push({ kind: 'notes', id, path: notes });
      manifest.runs.push(await this.#runItem(id, titles.get(id), notes !== null));
    }
    return { manifest, files };
  }

  async #runItem(id: string, title: string | undefined, notes: boolean): Promise<RunItem> {
    const { name = '' } = (await this.#library.runs.list()).find((run) => run.id === id) ?? {};
    return { id, name, ...(title === undefined ? {} : { title }), notes };
  }
}

const of = (files: readonly UnpackedFile[], kind: UnpackedFile['kind']): UnpackedFile[] =>
  files.filter((file) => file.kind === kind);

async function readExperiment(path: string, id: string): Promise<Experiment> {
  const text = await readBoundedText(path, maxExperimentCharacters);
  return within(`experiments/${id}.json`, () => requireExperiment(text));
}

async function readRun(item: RunItem, files: readonly UnpackedFile[]): Promise<UnpackedRun> {
  const path = (kind: UnpackedFile['kind']): string | undefined =>
    files.find((file) => file.kind === kind && file.id === item.id)?.path;
  const run = path('run') ?? '';
  const file = await readBounded(run, maxRunFileBytes);
  const info = within(`runs/${item.id}.arrow`, () => decodeRun(file).info);
  const notesPath = path('notes');
  if (notesPath === undefined) return { item, path: run, info, notes: null };
  const text = await readBoundedText(notesPath, maxNotesBytes);
  return { item, path: run, info, notes: within(`notes/${item.id}.json`, () => parseRunNotes(text)) };
}

/** Says which of the bundle's files it is that is wrong. */
function within<Value>(path: string, read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof CopyscopeError)) throw thrown;
    const { field, message } = thrown;
    throw bundleError('damaged', `${path}: ${message}`, {
      field: field === undefined ? path : `${path}: ${field}`,
      cause: thrown,
    });
  }
}

const gone = (): CopyscopeError =>
  new CopyscopeError({
    code: 'bundle.gone',
    message: 'This bundle is no longer there to be fetched.',
    remedy: 'Export it again.',
  });
