/** The host: everything a window or the command line can ask for, without Electron and without a network. */
import { join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import type { About, HostService, WindowEvents } from '../../core/service/service.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import type { SpawnEngine } from '../engine/child.ts';
import { EngineSupervisor } from '../engine/supervisor.ts';
import { ownProfilesFolder } from '../paths.ts';
import { Assets } from './assets.ts';
import { DraftStore } from './draftStore.ts';
import { ExperimentStore } from './experimentStore.ts';
import { readBounded } from './files.ts';
import { Lessons } from './lessons.ts';
import { NoteStore } from './noteStore.ts';
import { prepareRun } from './prepareRun.ts';
import { type RunFile, RunStore } from './runStore.ts';
import { SessionRuns } from './sessionRuns.ts';
import { SessionSweeps } from './sessionSweeps.ts';
import { isSweepRun, SweepStore } from './sweepStore.ts';
import { Windows } from './windows.ts';

export interface HostOptions {
  readonly about: About;
  readonly assetsFolder: string;
  readonly spawnEngine: SpawnEngine;
}

export interface Host {
  readonly service: HostService;
  /** From now on the window hears what happens. Returns what takes it off again. */
  addWindow(events: WindowEvents): () => void;
  /** The file of a run, to be streamed: rejects as the service's runFile() does. */
  runFile(id: string): Promise<RunFile>;
  /** Ends the engine process. */
  close(): void;
}

export function createHost({ about, assetsFolder, spawnEngine }: HostOptions): Host {
  const windows = new Windows();
  const assets = new Assets(assetsFolder, ownProfilesFolder(about.dataFolder));
  const engine = new EngineSupervisor({
    spawn: spawnEngine,
    onChange: (report, problem) => windows.engineChanged(report, problem),
  });
  const drafts = new DraftStore(join(about.dataFolder, 'drafts'));
  const lessons = new Lessons(assetsFolder, about.dataFolder);
  const experiments = new ExperimentStore(join(about.dataFolder, 'experiments'), drafts);
  const runs = new RunStore(join(about.dataFolder, 'runs'), assets, about.version);
  const notes = new NoteStore(join(about.dataFolder, 'notes'));
  const session = new SessionRuns(runs, engine, windows);
  const sweepStore = new SweepStore(join(about.dataFolder, 'sweeps'));
  const sweeps = new SessionSweeps(sweepStore, engine, assets, windows);
  const runFile = async (id: string): Promise<RunFile> => {
    if (isSweepRun(id)) return sweepStore.runFile(id);
    const unsaved = session.unsaved(id);
    if (unsaved !== null) return { path: '', bytes: unsaved.byteLength, content: unsaved };
    const problem = session.problem(id);
    if (problem !== null) throw problem;
    return runs.file(id);
  };
  const service: HostService = {
    about: async () => about,
    devices: (refresh) => engine.report(refresh),
    profiles: () => assets.profiles(),
    readProfile: (name) => assets.readProfile(name),
    examples: () => assets.examples(),
    readExample: (id) => assets.readExample(id),
    lessons: () => lessons.list(),
    readLesson: (id) => lessons.read(id),
    experiments: () => experiments.list(),
    readExperiment: (id) => experiments.read(id),
    saveExperiment: async (id, experiment) => {
      const saved = await experiments.save(id, experiment);
      windows.experimentsChanged();
      return saved;
    },
    readDraft: (id) => drafts.read(id),
    keepDraft: (id, draft) => (draft === null ? drafts.drop(id) : drafts.keep(id, draft)),
    deleteExperiment: async (id) => {
      await experiments.delete(id);
      windows.experimentsChanged();
    },
    startRun: async (request) => session.start(await prepareRun(request, assets), engine.lastReport),
    cancelRun: (id) => session.cancel(id),
    runs: async () => {
      const kept = await runs.list();
      const own = session.list();
      const ids = new Set(own.map((run) => run.id));
      return [...own, ...kept.filter((run) => !ids.has(run.id)), ...(await sweepStore.runs())];
    },
    runFile: async (id) => ({ bytes: (await runFile(id)).bytes }),
    readRun: async (id) => {
      const unsaved = session.unsaved(id);
      if (unsaved !== null) return unsaved;
      const problem = session.problem(id);
      if (problem !== null) throw problem;
      if (isSweepRun(id)) return readBounded((await sweepStore.runFile(id)).path, maxRunFileBytes);
      return runs.read(id);
    },
    importRun: async (name, file) => {
      const summary = await runs.import(name, file);
      windows.runChanged(summary.id, summary);
      return summary;
    },
    deleteRun: async (id) => {
      if (isSweepRun(id)) throw ofSweep();
      if (!session.forget(id)) await runs.delete(id);
      windows.runChanged(id, null);
      await notes.delete(id);
    },
    readNotes: (id) => notes.read(id),
    saveNotes: async (id, changed) => {
      await (isSweepRun(id) ? sweepStore.runFile(id) : runs.file(id));
      await notes.save(id, changed);
    },
    sweeps: () => sweeps.list(),
    readSweep: (id) => sweeps.read(id),
    startSweep: (request) => sweeps.start(request),
    continueSweep: (id, again) => sweeps.resume(id, again),
    cancelSweep: (id) => sweeps.cancel(id),
    deleteSweep: async (id) => {
      const points = (await sweepStore.runs()).filter(({ sweep }) => sweep === id);
      await sweeps.delete(id);
      for (const run of points) await notes.delete(run.id);
    },
  };
  const close = (): void => {
    sweeps.close();
    engine.close();
  };
  return { service, addWindow: (events) => windows.add(events), runFile, close };
}

const ofSweep = (): CopyscopeError =>
  new CopyscopeError({
    code: 'run.of-sweep',
    message: 'This run is a point of a sweep.',
    remedy: 'Delete the sweep: its runs go with it.',
  });
