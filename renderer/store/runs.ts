/** Runs: read from the host, picked to be shown, started and cancelled. */

import { toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { type SummaryOptions, summarizeLazily } from '../../core/explain/summary/summary.ts';
import { type WindowSummary, windowSummary } from '../../core/explain/summary/windowSummary.ts';
import { type RunSummary, runTitle, type StartRun } from '../../core/service/service.ts';
import type { Run } from '../../core/trace/run.ts';
import { type HostFile, hostFile } from '../common/session.ts';
import { attainableFor } from './attainable.ts';
import { effectiveEngine, parseEngineKey } from './engines.ts';
import { attempt, host } from './host.ts';
import { announce } from './notify.ts';
import { isDetailed, LoadedRun, type RunAnalysis } from './opened/loadedRun.ts';
import { openRunFile } from './opened/openRunFile.ts';
import {
  comparedRunIds,
  currentEngineOptions,
  currentExperiment,
  isPrediction,
  pageDocumentKey,
  runUnderWay,
  shownRunId,
} from './select.ts';
import { remember } from './settings.ts';
import { assign, put, state, watch } from './store.ts';
import type { AppState, Selection } from './types.ts';

/** Returns the file of a run in the library or of a built-in run. */
export const fileOfRun = async (id: string): Promise<HostFile> => hostFile((await host().runFile(id)).address);

/** Reads a run's file once. Does nothing while the run is under way. */
export async function ensureRun(id: string): Promise<void> {
  const known = state().loadedRuns[id];
  const summary = state().runs[id];
  if (known !== undefined || summary === undefined || summary.status === 'running') return;
  put('loadedRuns', id, { status: 'loading' });
  try {
    const onJudged = (share: number): void => put('judged', id, share);
    const { run, iteration, analysis, verdictOf } = await openRunFile(await fileOfRun(id), onJudged);
    const options = await attainableFor(run.info, state().profiles, host());
    const summary = analysis === null ? summarized(run, options) : null;
    const value = new LoadedRun(id, run, iteration, { summary, attainable: options.attainable, verdictOf });
    put('loadedRuns', id, { status: 'ready', value });
    evictRuns(id);
    if (analysis !== null) addAnalysis(value, await analysis);
  } catch (thrown) {
    put('loadedRuns', id, { status: 'failed', error: toErrorInfo(thrown) });
  } finally {
    put('judged', id, undefined);
  }
}

const summarized = (run: Run, options: SummaryOptions): WindowSummary => windowSummary(summarizeLazily(run, options));

/** Updates results that depend on the changed profiles of the runs' machines, without reading files again. */
export async function renewRuns(): Promise<void> {
  for (const [id, loaded] of Object.entries(state().loadedRuns)) {
    // Predictions are made again anyway, and a pending summary would come for a replaced run.
    if (loaded.status !== 'ready' || loaded.value.summary === null || isPrediction(id)) continue;
    const { run } = loaded.value;
    const options = await attainableFor(run.info, state().profiles, host());
    // The run may have been dropped or read again by now.
    if (state().loadedRuns[id] !== loaded) continue;
    const summary = isDetailed(loaded.value.view(null).rows) ? summarized(run, options) : loaded.value.summary;
    put('loadedRuns', id, { status: 'ready', value: loaded.value.withAttainable(options.attainable, summary) });
  }
}

/** Adds the analysis, unless the run was dropped or read again in between. */
function addAnalysis(value: LoadedRun, { summary, counters }: RunAnalysis): void {
  const known = state().loadedRuns[value.id];
  if (known?.status !== 'ready' || known.value !== value) return;
  put('loadedRuns', value.id, { status: 'ready', value: value.withSummary(summary, counters) });
}

/** Runs kept in memory; the host has them all. */
const mostLoadedRuns = 24;

/** Runs that parts of the window show besides the page and its picked runs. */
const held = new Set<readonly string[]>();

/** Keeps runs in memory while a part of the window shows them. Returns a function that releases them. */
export function holdRuns(ids: readonly string[]): () => void {
  held.add(ids);
  return () => void held.delete(ids);
}

function evictRuns(justRead: string): void {
  for (const id of spareRuns(state(), [...held].flat(), justRead)) put('loadedRuns', id, undefined);
}

/** Returns the loaded runs to drop: those read longest ago, but none on screen. */
export function spareRuns(all: AppState, held: readonly string[], justRead: string): string[] {
  // A run's page takes its document from the run, whichever run is shown.
  const ofPage = all.page.kind === 'run' ? all.page.id : null;
  const kept = new Set([justRead, ofPage, shownRunId(all), ...comparedRunIds(all), ...held]);
  const loaded = Object.keys(all.loadedRuns);
  return loaded.filter((id) => !kept.has(id)).slice(0, Math.max(0, loaded.length - mostLoadedRuns));
}

/** Drops a failed run, so that it is read again. */
export function retryRun(id: string): void {
  put('loadedRuns', id, undefined);
  void ensureRun(id);
}

/** Keeps the document's selection when another run is shown, since the user may be typing in its fields. */
function keptSelection(): Selection | null {
  const { selection } = state();
  return selection !== null && 'run' in selection ? null : selection;
}

/** Shows a run that has ended in every document that waits for it. */
export async function showEnded(id: string): Promise<void> {
  const documents = Object.entries(state().pendingRuns).flatMap(([document, pending]) =>
    pending === id ? document : [],
  );
  if (documents.length === 0) return;
  const isCancelled = state().runs[id]?.status === 'cancelled';
  if (!isCancelled) await ensureRun(id);
  for (const document of documents) {
    // After a cancelled run the previous one stays.
    if (!isCancelled) {
      put('pickedRuns', document, id);
      if (document === pageDocumentKey(state())) assign({ selection: keptSelection(), iteration: null });
    }
    put('pendingRuns', document, undefined);
  }
  const ended = state().runs[id];
  if (ended !== undefined) announce(`Run of ${runTitle(ended)}: ${ended.status}`);
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

/** Starts a run of an experiment. Returns its id, or null if it could not be started. */
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
  // The run's end may have arrived before this answer.
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
    // The old lanes stay until there are new ones.
    put('pickedRuns', document, shownBefore ?? undefined);
    // The run may have ended before the host's answer came.
    if (state().runs[id]?.status !== 'running') await showEnded(id);
  });

export const cancelRun = (id: string): Promise<void> =>
  attempt('The run could not be cancelled', () => host().cancelRun(id));

export async function cancelCurrent(): Promise<void> {
  const running = runUnderWay(state());
  if (running !== undefined) await cancelRun(running.id);
}

/** Runs the given examples one after another on one engine. */
export const runAll = (ids: readonly string[], engineKey: string): Promise<void> =>
  attempt('The four cases could not be run', async () => {
    for (const id of ids) {
      const run = await startRun(await host().readExample(id), engineKey);
      if (run === null) return;
      if ((await finished(run)) !== 'complete') return;
    }
  });

/** Resolves with the status of a run when it has ended. */
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
