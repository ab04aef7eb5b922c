/**
 * The host in memory: answers a window's calls of core/service without a server, a disk or an engine process. Examples,
 * lessons, profiles and recorded runs are those of assets/. Runs are simulated in place.
 */
/// <reference types="vite/client" />

import { requireFigure } from '../../../core/apps/lessons/figure.ts';
import { requireLesson } from '../../../core/apps/lessons/parse.ts';
import { tasksOf } from '../../../core/apps/lessons/results.ts';
import { runFigures } from '../../../core/apps/sweep/metrics.ts';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { originalName } from '../../../core/experiment/nameOfContent.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { changedWords } from '../../../core/explain/compare/programs.ts';
import { predictedIntervals } from '../../../core/explain/summary/predictedIntervals.ts';
import type { ImportOptions } from '../../../core/import/importedRun.ts';
import { readPyTorchTrace } from '../../../core/import/kineto/pytorchTrace.ts';
import { areRanks, jobName, MergedRanks } from '../../../core/import/mergedRanks.ts';
import { readRecording } from '../../../core/import/recorded/recording.ts';
import { looksLikeRecording } from '../../../core/import/recorded/recordingFile.ts';
import {
  looksLikeArrow,
  looksLikeExperiment,
  looksLikeTrace,
  traceName,
  unknownKind,
} from '../../../core/import/sniff.ts';
import { defaultProfile, simEngine } from '../../../core/machine/cost/simEngine.ts';
import { parseProfile, profileDeviceName, simulatedDevice } from '../../../core/machine/profile/profile.ts';
import { requireCapable } from '../../../core/program/capabilities.ts';
import type { DeviceReport, RunHooks } from '../../../core/program/engine.ts';
import { linkBytesPerSecond } from '../../../core/program/engine.ts';
import { lower } from '../../../core/program/lower.ts';
import {
  type ExperimentSummary,
  type HostService,
  type Imported,
  type KeptDraft,
  type LessonSummary,
  type LibraryItems,
  type ProfileSummary,
  type RunSummary,
  recordedPrefix,
  type StartRun,
  type StartSweep,
  type Sweep,
  type SweepOutcome,
  type WindowEvents,
} from '../../../core/service/service.ts';
import type { SettledPrediction } from '../../../core/service/settled.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { type RunNotes, runNotes } from '../../../core/trace/notes.ts';
import { type Run, runName } from '../../../core/trace/run.ts';
import { slug } from '../../../host/files/ids.ts';
import { summaryOf } from '../../../host/library/runSummaries.ts';

const version = '0.0.0';
const json = <Value>(files: Record<string, unknown>, folder: string): Map<string, Value> =>
  new Map(
    Object.entries(files).map(([path, value]) => [
      path.slice(`/assets/${folder}/`.length).replace(/\.\w+$/, ''),
      value as Value,
    ]),
  );
const examples = json<Experiment>(
  import.meta.glob('/assets/examples/**/*.json', { eager: true, import: 'default' }),
  'examples',
);
const profiles = json<unknown>(
  import.meta.glob('/assets/profiles/*.json', { eager: true, import: 'default' }),
  'profiles',
);
const figures = json<unknown>(
  import.meta.glob('/assets/lessons/figures/*.json', { eager: true, import: 'default' }),
  'lessons/figures',
);
const lessons = json<string>(
  import.meta.glob('/assets/lessons/*.md', { eager: true, import: 'default', query: '?raw' }),
  'lessons',
);

/** Returns the bytes of a file of this repository. */
export async function fileBytes(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(`/${path}`);
  if (!answer.ok) throw new Error(`there is no file ${path}`);
  return new Uint8Array(await answer.arrayBuffer());
}

/** Returns an experiment that ships with the program. */
export const example = (id: string): Experiment => structuredClone(entry(examples, 'example', id));

const notFound = (what: string, id: string): CopyscopeError =>
  new CopyscopeError({ code: `${what}.not-found`, message: `There is no ${what} ${id}.`, remedy: 'Choose another.' });

/** Returns the entry of a table. Throws if there is none. */
function entry<Value>(table: ReadonlyMap<string, Value>, what: string, id: string): Value {
  const found = table.get(id);
  if (found === undefined) throw notFound(what, id);
  return found;
}

const report: DeviceReport = {
  devices: [],
  driverVersion: null,
  runtimeVersion: null,
  cupti: { found: false, detail: 'no libcupti', version: null },
  engines: [
    { kind: 'cuda', available: false, problem: { code: 'engine.no-driver', message: 'There is no NVIDIA driver.' } },
    { kind: 'cpu', available: false, problem: { code: 'engine.no-addon', message: 'There is no addon.' } },
    { kind: 'sim', available: true },
  ],
};

interface StoredRun {
  readonly summary: RunSummary;
  readonly file: Uint8Array<ArrayBuffer> | null;
}

/** Contents of the library. */
export interface Contents {
  /** Listed examples, such as 'overlap/pinned-side-stream'; all of them can be read. */
  readonly examples?: readonly string[];
  /** Documents of experiments by id. */
  readonly experiments?: Readonly<Record<string, unknown>>;
  /** Recorded runs that ship with the program, such as 'overlap/pinned-side-stream'. */
  readonly recorded?: readonly string[];
  /** Runs of an earlier host, from its `runs`. */
  readonly runs?: readonly StoredRun[];
  /** Markdown of the user's lessons by name. */
  readonly lessons?: Readonly<Record<string, string>>;
}

/** Ids continue from test to test, since the window caches some state by id. */
let made = 0;

const shipped = new Map<string, StoredRun>();

async function shippedRun(name: string): Promise<StoredRun> {
  const known = shipped.get(name);
  if (known !== undefined) return known;
  const file = await fileBytes(`assets/runs/${name}.arrow`);
  const { info } = decodeRun(file);
  const summary = summaryOf(info, { id: recordedPrefix + name, madeHere: false, builtIn: true });
  const run = { summary, file };
  shipped.set(name, run);
  return run;
}

export class MemoryHost {
  readonly experiments = new Map<string, Experiment>();
  /** Errors of experiments that can't be opened, by id. */
  readonly problems = new Map<string, ErrorInfo>();
  readonly drafts = new Map<string, KeptDraft>();
  readonly runs = new Map<string, StoredRun>();
  readonly sweeps = new Map<string, Sweep>();
  readonly notes = new Map<string, RunNotes>();
  readonly settled: SettledPrediction[] = [];
  /** Names of the functions that the window has called, in order. */
  readonly asked: string[] = [];
  /** Errors with which functions reject, by the function's name. */
  readonly refusals = new Map<keyof HostService, ErrorInfo>();
  /** Promises for which functions wait before they answer. */
  readonly holds = new Map<keyof HostService, Promise<unknown>>();
  /** Returns a promise for which a point of a sweep waits. */
  beforePoint: (point: number) => Promise<void> | undefined = () => undefined;
  events: WindowEvents | null = null;
  readonly #lessons: ReadonlyMap<string, string>;
  readonly #examples: readonly string[];
  readonly #recorded: readonly string[];
  readonly #running = new Map<string, AbortController>();
  readonly #deleted = new Map<string, () => void>();
  readonly #imports = new Map<
    string,
    { readonly name: string; readonly modifiedAt: string; readonly parts: Uint8Array<ArrayBuffer>[] }
  >();

  private constructor({ examples: listed = [], lessons: own = {}, recorded = [] }: Contents) {
    this.#examples = listed;
    this.#lessons = new Map([...lessons, ...Object.entries(own).map(([name, text]) => [`own/${name}`, text] as const)]);
    this.#recorded = recorded;
  }

  static async with(contents: Contents): Promise<MemoryHost> {
    const host = new MemoryHost(contents);
    for (const [id, document] of Object.entries(contents.experiments ?? {}))
      host.experiments.set(id, requireExperiment(document));
    for (const run of [...(contents.runs ?? []), ...(await Promise.all((contents.recorded ?? []).map(shippedRun)))])
      host.runs.set(run.summary.id, run);
    return host;
  }

  /** Adds a run to the library. */
  addRun(run: Run, { madeHere = true, id = this.#newId(run.info.experiment?.name ?? 'run') } = {}): RunSummary {
    const summary = summaryOf(run.info, { id, madeHere, builtIn: false });
    this.runs.set(id, { summary, file: encodeRun(run) as Uint8Array<ArrayBuffer> });
    this.events?.runChanged(id, summary);
    return summary;
  }

  /** The service for the window. */
  get service(): HostService {
    return new Proxy(this.#service as HostService, {
      get:
        (service, name: keyof HostService) =>
        async (...args: never[]) => {
          this.asked.push(name);
          await this.holds.get(name);
          const refusal = this.refusals.get(name);
          if (refusal !== undefined) throw new CopyscopeError(refusal);
          const call = service[name] as ((...args: never[]) => unknown) | undefined;
          if (call === undefined) throw new Error(`the host in memory has no ${name}`);
          return call(...args);
        },
    });
  }

  readonly #service: Partial<HostService> = {
    about: async () => ({ version, shell: 'browser', platform: 'linux', dataFolder: '/memory' }),
    devices: async () => report,
    remotes: async () => [],
    // Tests report the state of a connection with host.events.remoteChanged().
    connectRemote: async () => {},
    answerRemote: async () => {},
    endRemote: async () => {},
    slurm: async () => null,
    recording: async () => null,
    profiles: async () => [...profiles].map(([name, profile]) => profileSummary(name, profile)).sort(byRank),
    readProfile: async (name) => entry(profiles, 'profile', name),
    settled: async (profile) => this.settled.filter((one) => one.profile === profile),
    keepSettled: async (prediction) => void this.settled.push(prediction),
    examples: async () =>
      this.#examples.map((id) => ({
        ...{ id, name: example(id).name, description: example(id).description },
        recordedRuns: this.#recorded.filter((run) => run === id).map((run) => recordedPrefix + run),
      })),
    readExample: async (id) => requireExperiment(example(id)),
    lessons: async () => [...this.#lessons].map(([id, text]) => lessonSummary(id, text)).sort(inOrder),
    readLesson: async (id) => {
      const lesson = requireLesson(id, entry(this.#lessons, 'lesson', id));
      const wanted = [...new Set(lesson.steps.flatMap(({ figure }) => figure ?? []))];
      return { lesson, figures: Object.fromEntries(wanted.map((name) => [name, requireFigure(figures.get(name))])) };
    },
    experiments: async () => this.#experiments(),
    readExperiment: async (id) => {
      const problem = this.problems.get(id);
      if (problem !== undefined) throw new CopyscopeError(problem);
      return JSON.stringify(entry(this.experiments, 'experiment', id));
    },
    saveExperiment: async (id, document) => {
      const experiment = requireExperiment(document);
      const saved = id ?? this.#newId(experiment.name);
      this.experiments.set(saved, experiment);
      this.events?.experimentsChanged();
      return saved;
    },
    readDraft: async (id) => this.drafts.get(id) ?? null,
    keepDraft: async (id, draft) => {
      if (draft === null) this.drafts.delete(id);
      else this.drafts.set(id, { ...draft, experiment: JSON.stringify(requireExperiment(draft.experiment)) });
    },
    startRun: async (request) => this.#startRun(request),
    cancelRun: async (id) => this.#running.get(id)?.abort(),
    runs: async () => [...this.runs.values()].map(({ summary }) => summary).sort(newestFirst),
    runFile: async (id) => {
      const { file } = entry(this.runs, 'run', id);
      if (file === null) throw notFound('file of a run', id);
      return { bytes: file.length, address: URL.createObjectURL(new Blob([file])) };
    },
    renameRun: async (id, title) =>
      this.#changeRun(id, ({ title: _, ...summary }) => ({ ...summary, ...(title === '' ? {} : { title }) })),
    deleteItems: async (items) => this.#delete(items),
    restoreItems: async (ticket) => this.#deleted.get(ticket)?.(),
    readNotes: async (id) => this.notes.get(id) ?? runNotes(),
    saveNotes: async (id, { notes, by }) => {
      this.notes.set(id, notes);
      this.events?.notesChanged(id, notes, by);
    },
    sweeps: async () => [...this.sweeps.values()].map(({ summary }) => summary),
    readSweep: async (id) => entry(this.sweeps, 'sweep', id),
    startSweep: async (request) => this.#startSweep(request),
    cancelSweep: async (id) => this.#running.get(id)?.abort(),
    continueSweep: async (id, again) => this.#continueSweep(id, again),
    renameSweep: async (id, name) => {
      const sweep = entry(this.sweeps, 'sweep', id);
      this.#setSweep({ ...sweep, summary: { ...sweep.summary, name }, document: { ...sweep.document, name } });
    },
    beginImport: async ({ name, modifiedAt }) => {
      const ticket = crypto.randomUUID();
      this.#imports.set(ticket, { name, modifiedAt, parts: [] });
      return ticket;
    },
    importPart: async (ticket, part) => void this.#imports.get(ticket)?.parts.push(part as Uint8Array<ArrayBuffer>),
    cancelImport: async (ticket) => void this.#imports.delete(ticket),
    joinRanks: async (ids) => {
      const runs = ids.map((id) => decodeRun(entry(this.runs, 'run', id).file ?? new Uint8Array()));
      if (!areRanks(runs.map(({ info }) => info))) return null;
      const merged = new MergedRanks();
      for (const run of runs) merged.add(run);
      return this.#imported(merged.finish(jobName(runs.map(({ info }) => runName(info)))));
    },
    endImport: async (ticket) => {
      const { name, modifiedAt, parts } = entry(this.#imports, 'import', ticket);
      const bytes = new Uint8Array(await new Blob(parts).arrayBuffer());
      return this.import(bytes, { name, version, modifiedAt: new Date(modifiedAt) });
    },
  };

  /** Adds a file to the library, by its content as the host does. */
  async import(bytes: Uint8Array<ArrayBuffer>, options: ImportOptions): Promise<Imported> {
    const named = { ...options, name: traceName(options.name) };
    if (looksLikeArrow(bytes)) return this.#imported(decodeRun(bytes));
    if (looksLikeTrace(bytes)) return this.#imported(await traceOf(bytes, named));
    if (looksLikeRecording(bytes)) return this.#imported(readRecording([bytes], named));
    if (!looksLikeExperiment(options.name, bytes.subarray(0, 100))) throw unknownKind(options.name);
    const experiment = requireExperiment(new TextDecoder().decode(bytes));
    const id = this.#newId(experiment.name);
    this.experiments.set(id, experiment);
    this.events?.experimentsChanged();
    return { kind: 'experiment', id, name: experiment.name, isNew: true };
  }

  #imported(run: Run): Imported {
    return { kind: 'run', run: this.addRun(run, { madeHere: false }), isNew: true };
  }

  #newId(name: string): string {
    made += 1;
    return `${slug(name, 'thing')}-${made}`;
  }

  #experiments(): ExperimentSummary[] {
    const modifiedAt = new Date().toISOString();
    return [
      ...[...this.experiments].map(([id, { name }]) => ({ id, name, modifiedAt, hasDraft: this.drafts.has(id) })),
      ...[...this.problems].map(([id, problem]) => ({ id, name: id, modifiedAt, hasDraft: false, problem })),
    ];
  }

  #changeRun(id: string, change: (summary: RunSummary) => RunSummary): void {
    const run = entry(this.runs, 'run', id);
    const changed = { ...run, summary: change(run.summary) };
    this.runs.set(id, changed);
    this.events?.runChanged(id, changed.summary);
  }

  #startRun(request: StartRun): RunSummary {
    const experiment = requireExperiment(request.experiment);
    requireCapable(experiment, request.engine);
    const id = this.#newId(experiment.name);
    const summary: RunSummary = {
      ...{ id, name: experiment.name, origin: 'simulated', engine: request.engine, status: 'running' },
      ...{ createdAt: new Date().toISOString(), makespanNs: null, builtIn: false },
      device: simulatedDevice(profiles.get(request.profile ?? defaultProfile)),
    };
    this.runs.set(id, { summary, file: null });
    this.events?.runChanged(id, summary);
    const controller = new AbortController();
    this.#running.set(id, controller);
    void this.#simulate(experiment, request, {
      signal: controller.signal,
      onProgress: (progress) => this.events?.runProgress(id, progress),
    }).then(
      (run) => this.addRun({ ...run, info: { ...run.info, ...this.#changed(experiment) } }, { id }),
      (thrown) => {
        const error = toErrorInfo(thrown);
        const status = error.code === 'run.cancelled' ? 'cancelled' : 'failed';
        this.#changeRun(id, (before) => ({ ...before, status, error }));
      },
    );
    return summary;
  }

  /** Returns the difference to the last run of the experiment, as the host does. */
  #changed(experiment: Experiment): { readonly changed?: string } {
    const isOf = ({ builtIn, name, status }: RunSummary): boolean =>
      !builtIn && status === 'complete' && originalName(name) === originalName(experiment.name);
    const last = [...this.runs.values()].filter(({ summary }) => isOf(summary)).at(-1);
    const before = last?.file == null ? null : decodeRun(last.file).info.experiment;
    const changed = before === null ? undefined : changedWords(before, experiment);
    return changed === undefined ? {} : { changed };
  }

  async #simulate(
    experiment: Experiment,
    { engine, profile: name = defaultProfile, iterations, whileRecording }: Omit<StartRun, 'experiment'>,
    hooks: RunHooks,
  ): Promise<Run> {
    // The answer that the run has begun comes first.
    await new Promise((resolve) => setTimeout(resolve));
    await this.holds.get('startRun');
    const { problem, available } = report.engines.find(({ kind }) => kind === engine) ?? { available: false };
    if (!available || engine !== 'sim')
      throw new CopyscopeError({ code: 'engine.unavailable', message: problem?.message ?? `There is no ${engine}.` });
    const environment = { ...experiment.environment, ...(iterations === undefined ? {} : { iterations }) };
    const document = { ...experiment, environment };
    const profile = parseProfile(profiles.get(name));
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
    const simulator = simEngine(async () => profile, { machine: null, version, pause });
    const program = lower(document);
    const run = await simulator.run({ experiment: document, program, profile: name, whileRecording }, hooks);
    const work = predictedIntervals(run, program, profile);
    for (;;) {
      const step = work.next();
      if (step.done === true) return { ...run, info: { ...run.info, ...step.value } };
    }
  }

  #startSweep({ sweep, engine, profile = defaultProfile, iterations }: StartSweep) {
    const plan = requireSweep(sweep);
    const id = this.#newId(plan.document.name);
    const summary: Sweep['summary'] = {
      ...{ id, name: plan.document.name, createdAt: new Date().toISOString(), engine, origin: 'simulated' },
      ...{ device: simulatedDevice(profiles.get(profile)), status: 'running' },
      ...{ points: plan.count, done: 0, failed: 0 },
    };
    this.#setSweep({ summary, document: plan.document, profile, iterations: iterations ?? null, outcomes: [] });
    void this.#runPoints(id, false);
    return summary;
  }

  #continueSweep(id: string, again: boolean) {
    const sweep = entry(this.sweeps, 'sweep', id);
    const summary = { ...sweep.summary, status: 'running' } as const;
    this.#setSweep({ ...sweep, summary });
    void this.#runPoints(id, again);
    return summary;
  }

  #setSweep(sweep: Sweep): void {
    this.sweeps.set(sweep.summary.id, sweep);
    this.events?.sweepChanged(sweep.summary.id, sweep.summary);
  }

  async #runPoints(id: string, again: boolean): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const plan = requireSweep(this.#sweep(id).document);
    const settled = new Set(
      this.#sweep(id)
        .outcomes.filter(({ status }) => !again || status === 'done')
        .map(({ point }) => point),
    );
    for (let point = 0; point < plan.count && !controller.signal.aborted; point += 1) {
      if (settled.has(point)) continue;
      await this.beforePoint(point);
      if (controller.signal.aborted) break;
      const outcome = await this.#runPoint(id, plan, point);
      const { outcomes, summary, ...sweep } = this.#sweep(id);
      const reached = [...outcomes.filter((one) => one.point !== point), outcome];
      const done = reached.filter(({ status }) => status === 'done').length;
      this.events?.sweepPoint(id, outcome);
      this.#setSweep({ ...sweep, outcomes: reached, summary: { ...summary, done, failed: reached.length - done } });
    }
    const sweep = this.#sweep(id);
    const status = sweep.outcomes.length === plan.count ? 'complete' : 'stopped';
    this.#setSweep({ ...sweep, summary: { ...sweep.summary, status } });
  }

  #sweep(id: string): Sweep {
    return entry(this.sweeps, 'sweep', id);
  }

  async #runPoint(id: string, plan: ReturnType<typeof requireSweep>, point: number): Promise<SweepOutcome> {
    const { summary, profile, iterations } = this.#sweep(id);
    const planned = plan.at(point);
    if (!planned.ok) return { point, status: 'failed', error: planned.problem };
    try {
      const settings = { engine: summary.engine, profile: profile ?? undefined, iterations: iterations ?? undefined };
      const run = await this.#simulate(requireExperiment(planned.experiment), settings, {});
      const runId = `sweep/${id}/${point}`;
      const found = { ...summaryOf(run.info, { id: runId, madeHere: true, builtIn: false }), sweep: id };
      this.runs.set(runId, { summary: found, file: encodeRun(run) as Uint8Array<ArrayBuffer> });
      const link = linkBytesPerSecond(run.info.device);
      return { point, status: 'done', run: found, figures: runFigures(run), linkBytesPerSecond: link };
    } catch (thrown) {
      return { point, status: 'failed', error: toErrorInfo(thrown) };
    }
  }

  #delete({ experiments, runs, sweeps }: LibraryItems): string {
    const undo = [
      ...experiments.map((id) => taken(this.experiments, id)),
      ...runs.map((id) => taken(this.runs, id)),
      ...sweeps.map((id) => taken(this.sweeps, id)),
    ];
    const tell = (): void => {
      this.events?.experimentsChanged();
      for (const id of runs) this.events?.runChanged(id, this.runs.get(id)?.summary ?? null);
      for (const id of sweeps) this.events?.sweepChanged(id, this.sweeps.get(id)?.summary ?? null);
    };
    tell();
    const ticket = crypto.randomUUID();
    this.#deleted.set(ticket, () => {
      for (const back of undo) back();
      tell();
    });
    return ticket;
  }
}

/** Deletes an entry, and returns a function that restores it. */
function taken<Value>(table: Map<string, Value>, id: string): () => void {
  const value = table.get(id);
  table.delete(id);
  return () => void (value !== undefined && table.set(id, value));
}

const traces = new Map<string, ReturnType<typeof readPyTorchTrace>>();

/** Reads a trace once for all tests of the page. Its last bytes are a checksum if it is compressed. */
function traceOf(bytes: Uint8Array<ArrayBuffer>, options: ImportOptions): Promise<Run> {
  if (bytes[0] !== 0x1f) return readPyTorchTrace(unpacked(bytes), options);
  const key = JSON.stringify([options, ...bytes.subarray(-8)]);
  const read = traces.get(key) ?? readPyTorchTrace(unpacked(bytes), options);
  traces.set(key, read);
  return read;
}

async function* unpacked(bytes: Uint8Array<ArrayBuffer>): AsyncGenerator<Uint8Array> {
  if (bytes[0] !== 0x1f) yield bytes;
  else
    yield new Uint8Array(
      await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer(),
    );
}

const summaries = new Map<string, LessonSummary>();

function lessonSummary(id: string, text: string): LessonSummary {
  const known = summaries.get(id + text) ?? summarized(id, text);
  summaries.set(id + text, known);
  return known;
}

function summarized(id: string, text: string): LessonSummary {
  const own = id.startsWith('own/');
  try {
    const { title, summary, group, order, minutes, steps } = requireLesson(id, text);
    return { id, title, summary, group, order, minutes, steps: steps.length, tasks: tasksOf(steps), own };
  } catch (thrown) {
    const nothing = {
      title: id.slice(4),
      summary: '',
      group: 'Your lessons',
      order: 0,
      minutes: 0,
      steps: 0,
      tasks: [],
    };
    return { id, own, ...nothing, problem: toErrorInfo(thrown) };
  }
}

function profileSummary(name: string, value: unknown): ProfileSummary {
  const profile = parseProfile(value);
  const { source, basis, host } = profile;
  return {
    name,
    device: profileDeviceName(profile),
    source,
    basis,
    own: false,
    ...(host === undefined ? {} : { host }),
  };
}

const inOrder = (a: LessonSummary, b: LessonSummary): number =>
  Number(a.own) - Number(b.own) || a.order - b.order || (a.id < b.id ? -1 : 1);
const rank = ({ name, basis }: ProfileSummary): number => (name === defaultProfile ? 1 : basis === 'measured' ? 2 : 3);
const byRank = (a: ProfileSummary, b: ProfileSummary): number => rank(a) - rank(b);
const newestFirst = (a: RunSummary, b: RunSummary): number => (a.createdAt < b.createdAt ? 1 : -1);
