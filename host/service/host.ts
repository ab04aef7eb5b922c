/** The host: everything that a window or the command line can request, without Electron and without a network. */
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { describedSubmission } from '../../core/apps/slurm/submission.ts';
import { CopyscopeError } from '../../core/errors.ts';
import {
  type About,
  type HostService,
  type Imported,
  type LibraryItems,
  runFilePath,
  type WindowEvents,
} from '../../core/service/service.ts';
import type { SpawnEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { watchFolder } from '../files/ownFolders.ts';
import { SeenFiles } from '../files/seenFiles.ts';
import { Assets } from '../library/assets.ts';
import { isSweepRun } from '../library/keptSweep.ts';
import { Lessons } from '../library/lessons.ts';
import { Library } from '../library/library.ts';
import { type RunFile, readRunFile } from '../library/runStore.ts';
import { SettledStore } from '../library/tables.ts';
import { ownProfilesFolder } from '../paths.ts';
import { Recordings } from '../record/recordings.ts';
import { hasSlurm, readSettings } from '../slurm/programs.ts';
import { prepareRun } from './prepareRun.ts';
import { Remotes } from './remotes.ts';
import { SessionRuns } from './sessionRuns.ts';
import { SessionSweeps } from './sessionSweeps.ts';
import { Windows } from './windows.ts';

export interface HostOptions {
  readonly about: About;
  readonly assetsFolder: string;
  readonly spawnEngine: SpawnEngine;
  /** Environment of recorded programs; by default this process's own. */
  readonly environment?: NodeJS.ProcessEnv;
  /** Opens the window of a remote host; left out if the requesting page goes there. */
  readonly openRemote?: (address: string) => void;
}

export interface Host {
  readonly service: HostService;
  /** Resolves when files left half written by a killed host are deleted. */
  readonly ready: Promise<void>;
  /** Resolves when recordings of a killed host are in the library. */
  readonly recovered: Promise<void>;
  /** Sends events to the window from now on. Returns a function that ends that. */
  addWindow(events: WindowEvents): () => void;
  /** Returns the file of a run for streaming. Rejects as the service's runFile() does. */
  runFile(id: string): Promise<RunFile>;
  /** Returns a bundle's bytes, once, by the ticket of the service's packBundle(). Rejects with `bundle.gone`. */
  bundle(ticket: string): Promise<Readable>;
  /** Adds a file to the library, and has a window show it. Rejects if the file is unreadable or of an unknown kind. */
  openFile(path: string): Promise<void>;
  /** Ends the engine process. */
  close(): void;
}

export function createHost({
  about,
  assetsFolder,
  spawnEngine,
  environment = process.env,
  openRemote,
}: HostOptions): Host {
  const windows = new Windows();
  const seen = new SeenFiles(join(about.dataFolder, 'cache/seen-files.json'), about.version);
  const ownProfiles = ownProfilesFolder(about.dataFolder);
  const assets = new Assets(assetsFolder, ownProfiles, seen);
  // The command line writes profiles.
  const unwatch = watchFolder(ownProfiles, () => windows.profilesChanged());
  const engine = new EngineSupervisor({
    spawn: spawnEngine,
    onChange: (report, problem) => windows.engineChanged(report, problem),
  });
  const lessons = new Lessons(assetsFolder, about.dataFolder, seen);
  const library = new Library({ dataFolder: about.dataFolder, assets, version: about.version, seen });
  const { drafts, experiments, runs, notes, imports, bundles } = library;
  const settled = new SettledStore(about.dataFolder);
  const session = new SessionRuns(runs, windows);
  const { dataFolder } = about;
  const program = dirname(assetsFolder);
  const remotes = new Remotes({ dataFolder, program, environment, events: windows, openWindow: openRemote });
  const sweeps = new SessionSweeps({
    store: library.sweeps,
    engine,
    assets,
    events: windows,
    slurm: { program, environment, dataFolder },
  });
  const recordings = new Recordings({
    folder: join(about.dataFolder, 'recordings'),
    runs,
    version: about.version,
    events: windows,
    environment,
  });
  const runFile = async (id: string): Promise<RunFile> => {
    if (isSweepRun(id)) return library.sweeps.runFile(id);
    const content = session.unsaved(id);
    if (content !== null) return { path: '', bytes: content.byteLength, content };
    const problem = session.problem(id);
    if (problem !== null) throw problem;
    return runs.file(id);
  };
  const tellRuns = async (ids: readonly string[]): Promise<void> => {
    for (const run of await library.listRuns()) if (ids.includes(run.id)) windows.runChanged(run.id, run);
  };
  /** Functions that list deleted runs without a file again, by the ticket of their deletion. */
  const unsaved = new Map<string, readonly (() => void)[]>();
  /** Leaves out runs of this session without a file, which are only removed from its list. */
  const withoutUnsaved = ({ runs, ...others }: LibraryItems) => {
    const known = runs.map((id) => ({ id, back: session.forget(id) }));
    const files = { ...others, runs: known.flatMap(({ id, back }) => (back === null ? id : [])) };
    return { files, putBack: known.flatMap(({ back }) => back ?? []) };
  };
  const tellImported = async (imported: Imported): Promise<Imported> => {
    if (imported.kind === 'run') windows.runChanged(imported.run.id, imported.run);
    else if (imported.kind === 'experiment') windows.experimentsChanged();
    else {
      windows.experimentsChanged();
      await tellRuns(imported.items.runs);
      for (const id of imported.items.sweeps) await sweeps.tell(id);
    }
    return imported;
  };
  const openFile = async (path: string): Promise<void> => windows.opened(await tellImported(await imports.file(path)));
  const service: HostService = {
    about: async () => about,
    devices: (refresh) => engine.report(refresh),
    remotes: () => remotes.list(),
    connectRemote: (name) => remotes.connect(name),
    answerRemote: async (name, isAgreed) => remotes.answer(name, isAgreed),
    endRemote: (name, ending) => remotes.end(name, ending),
    slurm: async () => (hasSlurm(environment) ? describedSubmission(await readSettings(dataFolder)) : null),
    profiles: () => assets.profiles(),
    readProfile: (name) => assets.readProfile(name),
    settled: (profile) => settled.of(profile),
    keepSettled: (prediction) => settled.keep(prediction),
    examples: () => assets.examples(),
    readExample: (id) => assets.readExample(id),
    lessons: () => lessons.list(),
    readLesson: (id) => lessons.read(id),
    experiments: () => experiments.list(),
    readExperiment: async (id) => JSON.stringify(await experiments.read(id)),
    saveExperiment: async (id, experiment) => {
      const saved = await experiments.save(id, experiment);
      windows.experimentsChanged();
      return saved;
    },
    readDraft: async (id) => {
      const draft = await drafts.read(id);
      return draft && { ...draft, experiment: JSON.stringify(draft.experiment) };
    },
    keepDraft: (id, draft) => (draft === null ? drafts.drop(id) : library.keepDraft(id, draft)),
    startRun: async (request) => session.start(await prepareRun(request, assets), engine),
    cancelRun: (id) => session.cancel(id),
    startRecording: (request) => recordings.start(request),
    stopRecording: async (id, atOnce) => recordings.stop(id, atOnce),
    recording: async () => recordings.status,
    runs: async () => {
      const kept = await library.listRuns();
      const own = session.list();
      const ids = new Set(own.map((run) => run.id));
      return [...own, ...kept.filter((run) => !ids.has(run.id)), ...(await library.sweeps.runs())];
    },
    runFile: async (id) => ({ bytes: (await runFile(id)).bytes, address: runFilePath(id) }),
    readRun: async (id) => readRunFile(await runFile(id)),
    renameRun: async (id, title) => {
      if (isSweepRun(id)) throw ofSweep();
      windows.runChanged(id, await library.rename(id, title));
    },
    deleteItems: async (items) => {
      if (items.runs.some(isSweepRun)) throw ofSweep();
      return sweeps.whileStill(items.sweeps, async () => {
        const { files, putBack } = withoutUnsaved(items);
        const ticket = await library.delete(files);
        if (ticket !== '') unsaved.set(ticket, putBack);
        for (const id of items.runs) windows.runChanged(id, null);
        if (items.experiments.length > 0) windows.experimentsChanged();
        for (const id of items.sweeps) await sweeps.tell(id);
        return ticket;
      });
    },
    restoreItems: async (ticket) => {
      const items = await library.restore(ticket);
      for (const back of unsaved.get(ticket) ?? []) back();
      unsaved.delete(ticket);
      if (items.experiments.length > 0) windows.experimentsChanged();
      void tellRuns(items.runs);
      for (const id of items.sweeps) void sweeps.tell(id);
    },
    beginImport: async ({ name, modifiedAt }) => imports.begin({ name, modifiedAt: new Date(modifiedAt) }),
    importPart: (ticket, part) => imports.part(ticket, part),
    endImport: async (ticket) => tellImported(await imports.finish(ticket)),
    joinRanks: async (ids) => {
      const joined = await library.joinRanks(ids);
      return joined === null ? null : tellImported(joined);
    },
    cancelImport: (ticket) => imports.cancel(ticket),
    packBundle: (items) => bundles.pack(items),
    readNotes: (id) => notes.read(id),
    saveNotes: async (id, { notes: saved, by }) => {
      await (isSweepRun(id) ? library.sweeps.runFile(id) : runs.file(id));
      await notes.save(id, saved);
      windows.notesChanged(id, saved, by);
    },
    sweeps: () => sweeps.list(),
    readSweep: (id) => sweeps.read(id),
    startSweep: (request) => sweeps.start(request),
    continueSweep: (id, again) => sweeps.resume(id, again),
    cancelSweep: (id) => sweeps.cancel(id),
    renameSweep: (id, name) => sweeps.rename(id, name),
  };
  return {
    service,
    ready: library.ready,
    recovered: recordings.recovered,
    addWindow: (events) => windows.add(events),
    runFile,
    bundle: (ticket) => bundles.stream(ticket),
    openFile,
    close: () => {
      unwatch();
      recordings.close();
      sweeps.close();
      remotes.close();
      engine.close();
      library.close();
      seen.close();
    },
  };
}

const ofSweep = (): CopyscopeError =>
  new CopyscopeError({
    code: 'run.of-sweep',
    message: 'This run is a point of a sweep.',
    remedy: 'Delete the sweep: its runs go with it.',
  });
