/** The user's library on the disk, and its actions on whole items: open, delete, pack, unpack. */
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { maxExperimentCharacters, requireExperiment } from '../../core/experiment/parse.ts';
import { areRanks, jobName, MergedRanks } from '../../core/import/mergedRanks.ts';
import { looksLikeArrow, looksLikeExperiment, looksLikeTrace, unknownKind } from '../../core/import/sniff.ts';
import {
  type Imported,
  type LibraryItems,
  libraryItems,
  type RunSummary,
  type SentDraft,
} from '../../core/service/service.ts';
import { decodeRun, encodeRun, maxRunFileBytes, readRunInfo } from '../../core/trace/arrow.ts';
import { runName } from '../../core/trace/run.ts';
import { readBounded, readBoundedText, readPart, serial } from '../files/files.ts';
import { clearUnfinished, closeOwnFolders } from '../files/ownFolders.ts';
import { SeenFiles } from '../files/seenFiles.ts';
import { processFolder } from '../files/thisProcess.ts';
import { Trash } from '../files/trash.ts';
import type { Assets } from './assets.ts';
import { Bundles } from './bundle/bundles.ts';
import { looksLikeBundle, mostBundleBytes } from './bundle/readBundle.ts';
import { DraftStore } from './draftStore.ts';
import { ExperimentStore } from './experimentStore.ts';
import { FileSink } from './imports/fileSink.ts';
import { Imports, type IncomingFile } from './imports/imports.ts';
import { type Sink, SniffingSink } from './imports/sink.ts';
import { TraceSink } from './imports/traceSink.ts';
import { importTraceFile, isTraceFile } from './importTrace.ts';
import { runsOfSweep } from './keptSweep.ts';
import { NoteStore } from './noteStore.ts';
import { RunStore } from './runStore.ts';
import { SweepStore } from './sweepStore.ts';
import { TitleStore } from './tables.ts';

/** Limit for exports and reports of Nsight Systems, which hold much that no trace has, such as processor samples. */
const mostDatabaseBytes = 16 * 2 ** 30;

export interface LibraryOptions {
  readonly dataFolder: string;
  readonly assets: Assets;
  /** Version of this program. */
  readonly version: string;
  readonly seen?: SeenFiles;
}

export class Library {
  readonly drafts: DraftStore;
  readonly experiments: ExperimentStore;
  readonly runs: RunStore;
  readonly notes: NoteStore;
  readonly titles: TitleStore;
  readonly sweeps: SweepStore;
  readonly imports: Imports;
  readonly bundles: Bundles;
  readonly #trash: Trash;
  readonly #data: string;
  /** Stores a draft or deletes experiments, one after another. */
  readonly #drafting = serial();
  /** Resolves when files left half written by killed processes are deleted. */
  readonly ready: Promise<void>;
  readonly #incoming: string;
  readonly #version: string;

  constructor({ dataFolder, assets, version, seen = new SeenFiles(null) }: LibraryOptions) {
    this.#version = version;
    closeOwnFolders(dataFolder);
    this.#incoming = processFolder(join(dataFolder, 'incoming'));
    this.drafts = new DraftStore(join(dataFolder, 'drafts'));
    this.experiments = new ExperimentStore(join(dataFolder, 'experiments'), this.drafts, seen);
    this.runs = new RunStore(join(dataFolder, 'runs'), assets, seen);
    this.notes = new NoteStore(join(dataFolder, 'notes'));
    this.titles = new TitleStore(join(dataFolder, 'titles.json'));
    this.sweeps = new SweepStore(join(dataFolder, 'sweeps'));
    this.imports = new Imports(this.#incoming, (file) => this.#sinkFor(file));
    this.bundles = new Bundles(this, version);
    this.#data = dataFolder;
    this.#trash = new Trash(dataFolder);
    this.ready = Promise.all([this.#tidyTrash().catch(() => {}), clearUnfinished(dataFolder)]).then(() => {});
  }

  /** Returns the stored runs, newest first, with their titles. */
  async listRuns(): Promise<RunSummary[]> {
    const [runs, titles] = await Promise.all([this.runs.list(), this.titles.all()]);
    return runs.map((run) => withTitle(run, titles.get(run.id)));
  }

  /** Rejects with `run.not-found`. An empty title removes the previous one. */
  async rename(id: string, title: string): Promise<RunSummary> {
    const run = (await this.runs.list()).find((one) => one.id === id);
    // Throws the reason why there is none.
    if (run === undefined) await this.runs.file(id);
    const given = title.trim() === run?.name ? '' : title.trim();
    await this.titles.set(id, given);
    return withTitle(run as RunSummary, given === '' ? undefined : given);
  }

  /** See HostService.keepDraft(). Drops a draft whose experiment was deleted in the meantime. */
  keepDraft(id: string, draft: SentDraft): Promise<void> {
    return this.#drafting(async () => {
      if (await this.experiments.has(id)) await this.drafts.keep(id, draft);
    });
  }

  /** See HostService.deleteItems(). */
  delete(items: LibraryItems): Promise<string> {
    const deleted = (): Promise<string> => this.#delete(items);
    return items.experiments.length === 0 ? deleted() : this.#drafting(deleted);
  }

  async #delete(items: LibraryItems): Promise<string> {
    const { experiments, runs, sweeps } = items;
    const found = await Promise.all([
      ...experiments.flatMap((id) => [this.experiments.path(id), this.drafts.path(id)]),
      ...runs.flatMap((id) => [this.runs.ownPath(id), this.notes.path(id)]),
      ...sweeps.flatMap((id) => [this.sweeps.folder(id), this.notes.folder(runsOfSweep(id))]),
    ]);
    const files = found.flatMap((path) => (path === null ? [] : relative(this.#data, path)));
    const titles = Object.fromEntries([...(await this.titles.all())].filter(([id]) => runs.includes(id)));
    const ticket = await this.#trash.put({ items, titles, files });
    // The files are gone already, even if the disk has no room for a new table of titles.
    await this.#forgetTitles(runs).catch(() => {});
    return ticket;
  }

  /** Undoes a deletion, and returns its items. */
  async restore(ticket: string): Promise<LibraryItems> {
    let restored = libraryItems({});
    await this.#trash.restore(ticket, async ({ items, titles }) => {
      for (const [id, title] of Object.entries(titles)) await this.titles.set(id, title);
      restored = items;
    });
    return restored;
  }

  async #tidyTrash(): Promise<void> {
    for (const { items } of await this.#trash.tidy()) await this.#forgetTitles(items.runs);
  }

  /** Drops the titles of runs that don't exist. */
  async #forgetTitles(runs: readonly string[]): Promise<void> {
    const titles = await this.titles.all();
    for (const id of runs) {
      const isGone = titles.has(id) && (await this.runs.ownPath(id).catch(() => null)) === null;
      if (isGone) await this.titles.set(id, '');
    }
  }

  /** See HostService.joinRanks(). Memory holds the rows of all ranks, and those of one run again. */
  async joinRanks(ids: readonly string[]): Promise<Imported | null> {
    const files = await Promise.all(ids.map((id) => this.runs.file(id)));
    const infos = await Promise.all(
      files.map(({ path, bytes }) => readRunInfo((offset, length) => readPart(path, offset, length), bytes)),
    );
    if (!areRanks(infos)) return null;
    const merged = new MergedRanks();
    for (const file of files) merged.add(decodeRun(await readBounded(file.path, maxRunFileBytes)));
    const run = merged.finish(jobName(infos.map(runName)) || 'ranks');
    return this.#keepRun(`${runName(run.info)}.arrow`, encodeRun(run));
  }

  /** Returns an unused name in the folder of incomplete files. */
  newIncoming(): string {
    return join(this.#incoming, randomUUID());
  }

  close(): void {
    this.imports.close();
  }

  #sinkFor(file: IncomingFile): Sink {
    return new SniffingSink((head) => {
      if (looksLikeBundle(head)) return new FileSink(this.#incoming, mostBundleBytes, (path) => this.#keepBundle(path));
      if (looksLikeTrace(head)) {
        return new TraceSink({ ...file, version: this.#version }, (run) => this.#keepRun(file.name, encodeRun(run)));
      }
      if (isTraceFile(file.name, head)) {
        return new FileSink(this.#incoming, mostDatabaseBytes, async (path) =>
          this.#keepRun(file.name, encodeRun(await importTraceFile(path, this.#version, { named: file }))),
        );
      }
      if (looksLikeExperiment(file.name, head)) {
        return new FileSink(this.#incoming, maxExperimentCharacters, (path) => this.#keepExperiment(path));
      }
      // A run truncated at its beginning reports that itself.
      if (!looksLikeArrow(head) && !/\.arrow$/i.test(file.name)) throw unknownKind(file.name);
      return new FileSink(this.#incoming, maxRunFileBytes, async (path) =>
        this.#keepRun(file.name, await readBounded(path, maxRunFileBytes)),
      );
    });
  }

  async #keepRun(name: string, file: Uint8Array): Promise<Imported> {
    const { run, isNew } = await this.runs.import(name, file);
    return { kind: 'run', run: withTitle(run, (await this.titles.all()).get(run.id)), isNew };
  }

  async #keepExperiment(path: string): Promise<Imported> {
    const experiment = requireExperiment(await readBoundedText(path, maxExperimentCharacters));
    const same = await this.experiments.same(experiment);
    const id = same ?? (await this.experiments.save(null, experiment));
    return { kind: 'experiment', id, name: experiment.name, isNew: same === null };
  }

  async #keepBundle(path: string): Promise<Imported> {
    const folder = this.newIncoming();
    try {
      return await this.bundles.unpack(path, folder);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

const withTitle = (run: RunSummary, title: string | undefined): RunSummary =>
  title === undefined ? run : { ...run, title };
