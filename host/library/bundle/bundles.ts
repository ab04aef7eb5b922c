/**
 * Packs library items into one file, and unpacks such a file into the library: all of it, or nothing. Only a damaged
 * sweep is left out, with a message.
 */

import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { maxExperimentCharacters, requireExperiment } from '../../../core/experiment/parse.ts';
import type { Imported, LibraryItems } from '../../../core/service/service.ts';
import { decodeRun, maxRunFileBytes } from '../../../core/trace/arrow.ts';
import { maxNotesBytes, parseRunNotes, type RunNotes } from '../../../core/trace/notes.ts';
import type { RunInfo } from '../../../core/trace/run.ts';
import { makeFolder, privately, readBounded, readBoundedText } from '../../files/files.ts';
import type { ExperimentStore } from '../experimentStore.ts';
import { sweepRunId } from '../keptSweep.ts';
import type { NoteStore } from '../noteStore.ts';
import type { RunStore } from '../runStore.ts';
import type { SweepStore } from '../sweepStore.ts';
import type { TitleStore } from '../tables.ts';
import { type Places, packSweep, readSweep, sweepDamaged, type UnpackedSweep } from './bundledSweep.ts';
import {
  bundleFormat,
  bundleVersion,
  type EntryKind,
  type Manifest,
  manifestText,
  mostManifestBytes,
  pathOf,
  type RunItem,
  within,
} from './manifest.ts';
import { readBundle } from './readBundle.ts';
import { type PackedFile, writeBundle } from './writeBundle.ts';

/** Stores that a bundle is packed from and unpacked into: see Library. */
interface Parts {
  readonly experiments: ExperimentStore;
  readonly runs: RunStore;
  readonly notes: NoteStore;
  readonly titles: TitleStore;
  readonly sweeps: SweepStore;
  newIncoming(): string;
  delete(items: LibraryItems): Promise<string>;
}

/** Time after which a requested bundle is dropped if it was not fetched. */
const ticketMs = 60_000;

interface Packed {
  readonly manifest: Manifest;
  readonly files: readonly PackedFile[];
}

type Bundle = Extract<Imported, { readonly kind: 'bundle' }>;

interface Unpacked {
  readonly experiments: readonly Experiment[];
  readonly runs: readonly UnpackedRun[];
  readonly sweeps: readonly UnpackedSweep[];
}

type Kept = Record<keyof LibraryItems, string[]>;

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

  /** Looks everything up, and returns a ticket for stream(). Rejects if an item is missing or unreadable. */
  async pack(items: LibraryItems): Promise<string> {
    const packed = await this.#collect(items);
    const ticket = randomUUID();
    this.#tickets.set(ticket, packed);
    setTimeout(() => this.#tickets.delete(ticket), ticketMs).unref();
    return ticket;
  }

  /** Returns the bundle's bytes, once per ticket. Rejects with `bundle.gone`. */
  async stream(ticket: string): Promise<Readable> {
    const packed = this.#tickets.get(ticket);
    this.#tickets.delete(ticket);
    if (packed === undefined) throw gone();
    return writeBundle(packed.manifest, packed.files, this.#library.newIncoming());
  }

  /** Returns the bundle's bytes without a ticket. */
  async write(items: LibraryItems): Promise<Readable> {
    return this.stream(await this.pack(items));
  }

  /**
   * Adds everything in the archive under new ids. Validates all of it first; if storing fails later, removes what was
   * stored. `folder` is an unused name.
   */
  async unpack(archive: string, folder: string): Promise<Bundle> {
    await makeFolder(folder, privately.folder);
    const { manifest, files } = await readBundle(archive, folder);
    const places: Places = new Map(files.map((file) => [pathOf(file), file.path]));
    const experiments = await Promise.all(manifest.experiments.map(({ id }) => readExperiment(places, id)));
    const runs: UnpackedRun[] = [];
    // One after another, since each may have a gigabyte.
    for (const item of manifest.runs) runs.push(await readRun(places, item));
    const { sweeps, problems } = await readSweeps(places, manifest);
    const items = await this.#keep({ experiments, runs, sweeps }, folder);
    return { kind: 'bundle', items, ...(problems.length === 0 ? {} : { problem: inPart(problems) }) };
  }

  /** Keeps everything, or moves what was kept into the trash. */
  async #keep({ experiments, runs, sweeps }: Unpacked, folder: string): Promise<LibraryItems> {
    const kept: Kept = { experiments: [], runs: [], sweeps: [] };
    try {
      for (const experiment of experiments)
        kept.experiments.push(await this.#library.experiments.save(null, experiment));
      for (const run of runs) kept.runs.push(await this.#keepRun(run));
      for (const sweep of sweeps)
        kept.sweeps.push(await this.#keepSweep(sweep, join(folder, `sweep-${sweep.kept.id}`)));
      return kept;
    } catch (thrown) {
      await this.#library.delete(kept).catch(() => {});
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

  async #keepSweep({ kept: sweep, runs, notes }: UnpackedSweep, folder: string): Promise<string> {
    const id = await this.#library.sweeps.keep(sweep, runs, folder);
    for (const [point, of] of notes) await this.#library.notes.save(sweepRunId(id, point), of);
    return id;
  }

  async #collect({ experiments, runs, sweeps }: LibraryItems): Promise<Packed> {
    const files: PackedFile[] = [];
    const manifest: Manifest = {
      format: bundleFormat,
      version: bundleVersion,
      createdAt: new Date().toISOString(),
      program: `copyscope ${this.#version}`,
      experiments: [],
      runs: [],
      sweeps: [],
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
    for (const id of new Set(sweeps)) {
      const [item, parts] = await packSweep(this.#library, id);
      manifest.sweeps.push(item);
      files.push(...parts);
    }
    requireReadable(manifest);
    return { manifest, files };
  }

  async #runItem(id: string, title: string | undefined, notes: boolean): Promise<RunItem> {
    const { name = '' } = (await this.#library.runs.list()).find((run) => run.id === id) ?? {};
    return { id, name, ...(title === undefined ? {} : { title }), notes };
  }
}

async function readExperiment(places: Places, id: string): Promise<Experiment> {
  const path = pathOf({ kind: 'experiment', id });
  const text = await readBoundedText(places.get(path) ?? '', maxExperimentCharacters);
  return within(path, () => requireExperiment(text));
}

async function readRun(places: Places, item: RunItem): Promise<UnpackedRun> {
  const place = (kind: EntryKind): string => places.get(pathOf({ kind, id: item.id })) ?? '';
  const path = place('run');
  const file = await readBounded(path, maxRunFileBytes);
  const info = within(pathOf({ kind: 'run', id: item.id }), () => decodeRun(file).info);
  if (!item.notes) return { item, path, info, notes: null };
  const text = await readBoundedText(place('notes'), maxNotesBytes);
  return { item, path, info, notes: within(pathOf({ kind: 'notes', id: item.id }), () => parseRunNotes(text)) };
}

async function readSweeps(places: Places, manifest: Manifest) {
  const sweeps: UnpackedSweep[] = [];
  const problems: ErrorInfo[] = [];
  for (const item of manifest.sweeps) {
    try {
      sweeps.push(await readSweep(item, places));
    } catch (thrown) {
      const problem = toErrorInfo(thrown);
      if (problem.code !== sweepDamaged) throw thrown;
      problems.push({ ...problem, message: `“${item.name}”: ${problem.message}` });
    }
  }
  return { sweeps, problems };
}

const mostNamed = 3;

function inPart(problems: readonly ErrorInfo[]): ErrorInfo {
  const [first] = problems;
  const named = problems.slice(0, mostNamed).map(({ message }) => message);
  const more = problems.length > mostNamed ? [`And ${problems.length - mostNamed} more.`] : [];
  return {
    code: 'bundle.in-part',
    ...(first?.field === undefined ? {} : { field: first.field }),
    message: [
      `${problems.length === 1 ? 'A sweep is' : `${problems.length} sweeps are`} damaged:`,
      ...named,
      ...more,
    ].join(' '),
    remedy: 'All else of the bundle was imported. Export it again where it came from.',
  };
}

function requireReadable(manifest: Manifest): void {
  if (Buffer.byteLength(manifestText(manifest)) <= mostManifestBytes) return;
  throw new CopyscopeError({
    code: 'bundle.too-large',
    message: 'These are more items than a bundle can have.',
    remedy: 'Export them in parts.',
  });
}

const gone = (): CopyscopeError =>
  new CopyscopeError({
    code: 'bundle.gone',
    message: 'This bundle no longer exists.',
    remedy: 'Export it again.',
  });
