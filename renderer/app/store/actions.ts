/** Everything the window does: asks the host, and writes the answer into the store. Failures become notifications. */
import { summarizeLazily } from '../../../core/analysis/summary.ts';
import { CopyscopeError, toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import {
  type Draft,
  type HostService,
  type Imported,
  type RunSummary,
  runFilePath,
  type StartRun,
  type WindowEvents,
} from '../../../core/service/service.ts';
import { onSweepChanged, onSweepPoint, setSweeps } from '../../sweep/sweeps.ts';
import { announce } from '../announce.ts';
import { attainableFor } from '../attainable.ts';
import { effectiveEngine, parseEngineKey } from '../engines.ts';
import { LoadedRun } from '../loadedRun.ts';
import type { RunAnalysis } from '../loading/messages.ts';
import { openRunFile } from '../loading/openRunFile.ts';
import { notifyError, notifyRunFailed } from '../notify.ts';
import { documentKey, pageHash } from '../page.ts';
import { noteRecent } from '../recent.ts';
import { remember } from '../settings.ts';
import { windowSummary } from '../windowSummary.ts';
import { sendDraftsTo } from './drafts.ts';
import {
  comparedRunIds,
  currentEngineOptions,
  currentExperiment,
  pageDocumentKey,
  runUnderWay,
  shownRunId,
} from './select.ts';
import { assign, put, state, watch } from './store.ts';
import type { Page, Selection } from './types.ts';

let service: HostService | null = null;

/** Told of every document that was read; editing.ts brings back unsaved changes of it. */
type OnDocumentRead = (key: string, experiment: Experiment, draft: Draft | null) => void;
let onDocumentRead: OnDocumentRead | null = null;
export function whenDocumentRead(listener: OnDocumentRead): void {
  onDocumentRead = listener;
}
/** Told of every file that was opened outside the window. */
let onOpened: ((imported: Imported) => void) | null = null;
export function whenOpened(listener: (imported: Imported) => void): void {
  onOpened = listener;
}

/** Told of every change of the notes on a run. */
let onNotesChanged: WindowEvents['notesChanged'] | null = null;
export function whenNotesChanged(listener: WindowEvents['notesChanged']): void {
  onNotesChanged = listener;
}

const experimentPrefix = documentKey({ kind: 'experiment', id: '' });

/** The host for calls; set by the connection, null while there is none. */
export function setService(next: HostService | null): void {
  service = next;
  sendDraftsTo(
    next === null
      ? null
      : async (key, draft) => {
          // What was built in a lesson is the window's alone.
          if (key.startsWith(experimentPrefix)) await next.keepDraft(key.slice(experimentPrefix.length), draft);
        },
  );
}

/** The host, for calls that may fail. Throws `connection.lost` while there is none. */
export function host(): HostService {
  if (service !== null) return service;
  throw new CopyscopeError({
    code: 'connection.lost',
    message: 'There is no connection to the host.',
    remedy: 'Wait for it to come back, or choose Reconnect.',
  });
}

/** Runs an action; what it throws is shown, with its remedy. */
export async function attempt(what: string, action: () => Promise<void>): Promise<void> {
  try {
    await action();
  } catch (thrown) {
    notifyError(what, toErrorInfo(thrown));
  }
}

/** Fills the library and the engine list. Rejects where the host can't answer. */
export async function refreshAll(): Promise<void> {
  const [about, examples, lessons, experiments, runs, profiles, sweeps] = await Promise.all([
    host().about(),
    host().examples(),
    host().lessons(),
    host().experiments(),
    host().runs(),
    host().profiles(),
    host().sweeps(),
  ]);
  setSweeps(sweeps);
  const table = Object.fromEntries(runs.map((run) => [run.id, run]));
  assign({ about, examples, lessons, experiments, runs: table, profiles, progress: {} });
  catchUp();
  assign({ libraryReady: true });
  void refreshDevices(false);
}

/** After the connection was away: what could not be read is forgotten, and runs that ended meanwhile are shown. */
function catchUp(): void {
  const { documents, loadedRuns, pendingRuns, page } = state();
  for (const [key, document] of Object.entries(documents))
    if (document.status !== 'ready') put('documents', key, undefined);
  for (const [id, run] of Object.entries(loadedRuns)) if (run.status !== 'ready') put('loadedRuns', id, undefined);
  for (const id of Object.values(pendingRuns)) if (state().runs[id]?.status !== 'running') void showEnded(id);
  if (page.kind === 'example' || page.kind === 'experiment') void openDocument(page);
}

/** Asking for devices may start the engine process, so nothing waits for it. */
export const refreshDevices = (anew: boolean): Promise<void> =>
  attempt('The devices could not be listed', async () => assign({ devices: await host().devices(anew) }));

export const windowEvents: WindowEvents = {
  runProgress: (id, progress) => put('progress', id, progress),
  runChanged: (id, run) => onRunChanged(id, run),
  experimentsChanged: () =>
    void attempt('The experiments could not be listed', async () =>
      assign({ experiments: await host().experiments() }),
    ),
  notesChanged: (...change) => onNotesChanged?.(...change),
  sweepChanged: (id, sweep) => {
    onSweepChanged(id, sweep);
    if (sweep !== null) return;
    const isGone = (run: string): boolean => state().runs[run]?.sweep === id;
    const left = <Value>(table: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> =>
      Object.fromEntries(Object.entries(table).filter(([run]) => !isGone(run)));
    assign({ runs: left(state().runs), loadedRuns: left(state().loadedRuns) });
  },
  opened: (imported) => onOpened?.(imported),
  sweepPoint: onSweepPoint,
  engineChanged: (report, problem) => {
    assign({ engineProblem: problem });
    if (report !== null) assign({ devices: report });
  },
};

function onRunChanged(id: string, run: RunSummary | null): void {
  const before = state().runs[id];
  put('runs', id, run ?? undefined);
  if (run?.status !== 'running') put('progress', id, undefined);
  if (run === null) put('loadedRuns', id, undefined);
  if (run === null || before?.status === run.status) return;
  // What was read while the run was still going is no longer all of it.
  if (before?.status === 'running') put('loadedRuns', id, undefined);
  // One that comes as a file, a trace that breaks off, is opened and says it itself.
  if (before?.status === 'running' && run.status === 'failed' && !isShownHere(id)) notifyRunFailed(run);
  if (run.status !== 'running') void showEnded(id);
}

/** Whether the page shows this run, or will: it then says itself what became of it. */
function isShownHere(id: string): boolean {
  const document = pageDocumentKey(state());
  return document !== null && (state().pendingRuns[document] === id || shownRunId(state()) === id);
}

/** Shows a run that has ended wherever it was waited for. */
async function showEnded(id: string): Promise<void> {
  const documents = Object.entries(state().pendingRuns).flatMap(([document, pending]) =>
    pending === id ? document : [],
  );
  if (documents.length === 0) return;
  const isCancelled = state().runs[id]?.status === 'cancelled';
  if (!isCancelled) await ensureRun(id);
  for (const document of documents) {
    // Whoever cancels wants back what was there.
    if (!isCancelled) {
      put('pickedRuns', document, id);
      if (document === pageDocumentKey(state())) assign({ selection: null, iteration: null });
    }
    put('pendingRuns', document, undefined);
  }
  const ended = state().runs[id];
  if (ended !== undefined) announce(`Run of ${ended.name}: ${ended.status}`);
}

export function openPage(page: Page): void {
  const unchanged = pageHash(page) === pageHash(state().page);
  if (!unchanged) assign({ page, selection: null, iteration: null });
  if (location.hash !== pageHash(page)) history.pushState(null, '', pageHash(page) || location.pathname);
  remember('page', pageHash(page));
  noteRecent(page);
  if (page.kind === 'example' || page.kind === 'experiment') void openDocument(page);
}

async function openDocument(page: { kind: 'example' | 'experiment'; id: string }): Promise<void> {
  const key = documentKey(page);
  const known = state().documents[key];
  if (known?.status === 'loading' || known?.status === 'ready') return;
  put('documents', key, { status: 'loading' });
  try {
    const [value, draft] = await readDocument(page);
    put('documents', key, { status: 'ready', value });
    onDocumentRead?.(key, value, draft);
  } catch (thrown) {
    put('documents', key, { status: 'failed', error: toErrorInfo(thrown) });
  }
}

async function readDocument({ kind, id }: { kind: 'example' | 'experiment'; id: string }) {
  if (kind === 'example') return [await host().readExample(id), null] as const;
  return Promise.all([host().readExperiment(id), host().readDraft(id)]);
}

/** Reads a run's file once. Does nothing while it is still running. */
export async function ensureRun(id: string): Promise<void> {
  const known = state().loadedRuns[id];
  const summary = state().runs[id];
  if (known !== undefined || summary === undefined || summary.status === 'running') return;
  put('loadedRuns', id, { status: 'loading' });
  try {
    await host().runFile(id);
    const { run, iteration, analysis } = await openRunFile(new URL(runFilePath(id), location.href).href);
    const options = await attainableFor(run.info, state().profiles, host());
    const summary = analysis === null ? windowSummary(summarizeLazily(run, options)) : null;
    const value = new LoadedRun(id, run, iteration, { summary, attainable: options.attainable });
    put('loadedRuns', id, { status: 'ready', value });
    evictRuns(id);
    if (analysis !== null) addAnalysis(value, await analysis);
  } catch (thrown) {
    put('loadedRuns', id, { status: 'failed', error: toErrorInfo(thrown) });
  }
}

/** Unless the run has been forgotten, or read anew, while it was summarised. */
function addAnalysis(value: LoadedRun, { summary, counters }: RunAnalysis): void {
  const known = state().loadedRuns[value.id];
  if (known?.status !== 'ready' || known.value !== value) return;
  put('loadedRuns', value.id, { status: 'ready', value: value.withSummary(summary, counters) });
}

/** Runs that are kept in memory; the host has them all. */
const mostLoadedRuns = 24;

/** Forgets the runs that were read longest ago, but none that is on screen. */
function evictRuns(justRead: string): void {
  const kept = new Set([justRead, shownRunId(state()), ...comparedRunIds(state())]);
  const loaded = Object.keys(state().loadedRuns);
  const spare = loaded.filter((id) => !kept.has(id)).slice(0, Math.max(0, loaded.length - mostLoadedRuns));
  for (const id of spare) put('loadedRuns', id, undefined);
}

/** Forgets what failed, so that it is read again. */
export function retryRun(id: string): void {
  put('loadedRuns', id, undefined);
  void ensureRun(id);
}

export function retryDocument(): void {
  const { page } = state();
  if (page.kind !== 'example' && page.kind !== 'experiment') return;
  put('documents', documentKey(page), undefined);
  void openDocument(page);
}

export function pickEngine(key: string): void {
  assign({ engine: key, selection: null });
  remember('engine', key);
  const document = pageDocumentKey(state());
  const engine = parseEngineKey(key);
  // A recording is shown at once; any other engine shows its own last run.
  if (document !== null) put('pickedRuns', document, engine.kind === 'recorded' ? engine.run : undefined);
}

export function pickRun(id: string): void {
  const document = pageDocumentKey(state());
  if (document !== null) put('pickedRuns', document, id);
  assign({ selection: null, iteration: null });
}

/** Starts a run of an experiment; the id, or null where it could not be started. */
export async function startRun(
  experiment: Experiment,
  engineKey: string,
  options: Pick<StartRun, 'whileRecording'> = {},
): Promise<string | null> {
  const engine = parseEngineKey(engineKey);
  if (engine.kind === 'recorded') return null;
  const run = await host().startRun({
    experiment,
    engine: engine.kind,
    ...(engine.kind === 'sim' ? { profile: engine.profile } : {}),
    ...options,
  });
  // The host may have told us of its end already.
  if (state().runs[run.id] === undefined) put('runs', run.id, run);
  return run.id;
}

export const runCurrent = (): Promise<void> =>
  attempt('The run could not be started', async () => {
    const experiment = currentExperiment(state());
    const engine = effectiveEngine(currentEngineOptions(state()), state().engine);
    const document = pageDocumentKey(state());
    if (experiment === null || engine === null || document === null) return;
    if (runUnderWay(state()) !== undefined) return;
    const shownBefore = shownRunId(state());
    const id = await startRun(experiment, engine);
    if (id === null) return;
    put('pendingRuns', document, id);
    // Its lanes stay until there are new ones.
    put('pickedRuns', document, shownBefore ?? undefined);
    // It may have ended before the host's answer came.
    if (state().runs[id]?.status !== 'running') await showEnded(id);
  });

export const cancelCurrent = (): Promise<void> =>
  attempt('The run could not be cancelled', async () => {
    const running = runUnderWay(state());
    if (running !== undefined) await host().cancelRun(running.id);
  });

/** Runs the given examples one after another on one engine, and compares what comes out. */
export const runAll = (ids: readonly string[], engineKey: string): Promise<void> =>
  attempt('The four cases could not be run', async () => {
    const started: string[] = [];
    for (const id of ids) {
      const run = await startRun(await host().readExample(id), engineKey);
      if (run === null) return;
      started.push(run);
      const end = await finished(run);
      if (end !== 'complete') break;
    }
    if (state().page.kind === 'compare') openPage({ kind: 'compare', runs: started });
  });

/** Resolves when a run has ended, with how. */
export function finished(id: string): Promise<RunSummary['status'] | undefined> {
  return new Promise((resolve) => {
    const look = (): boolean => {
      const status = state().runs[id]?.status;
      if (status !== 'running') resolve(status);
      return status !== 'running';
    };
    if (look()) return;
    const stop = watch(() => {
      if (look()) stop();
    });
  });
}

/** Keeps a copy of what is open among the user's own experiments, and opens it. */
export const saveCopy = (): Promise<void> =>
  attempt('The experiment could not be saved', async () => {
    const experiment = currentExperiment(state());
    if (experiment === null) return;
    const name = `${experiment.name.slice(0, 190)} (copy)`;
    const id = await host().saveExperiment(null, { ...experiment, name });
    assign({ experiments: await host().experiments() });
    openPage({ kind: 'experiment', id });
  });

export const select = (selection: Selection | null): void => assign({ selection });
