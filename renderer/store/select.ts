/** What follows from the state. Pure, so that components and actions agree on it. */
import { shallow } from 'zustand/shallow';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { programText } from '../../core/experiment/programText.ts';
import { type ExampleSummary, type RunSummary, runTitle } from '../../core/service/service.ts';
import { runName } from '../../core/trace/run.ts';
import { type EngineOption, effectiveEngine, engineOptions, parseEngineKey } from './engines.ts';
import { inOrder } from './exampleGroups.ts';
import type { LoadedRun } from './opened/loadedRun.ts';
import { documentKey } from './page.ts';
import type { AppState, Loading } from './types.ts';

export const byNewest = (a: RunSummary, b: RunSummary): number => b.createdAt.localeCompare(a.createdAt);

/** Key of the open document; null on pages that have none. */
export function pageDocumentKey({ page, lessonDocument }: Pick<AppState, 'page' | 'lessonDocument'>): string | null {
  if (page.kind === 'lesson') return lessonDocument;
  return page.kind === 'example' || page.kind === 'experiment' || page.kind === 'run' ? documentKey(page) : null;
}

/** The open experiment; a run's own one where a run was opened. Null while it is being read. */
export function currentExperiment(state: AppState): Experiment | null {
  const { page } = state;
  if (page.kind === 'run') return loadedRun(state, page.id)?.run.info.experiment ?? null;
  const key = pageDocumentKey(state);
  const document = key === null ? undefined : state.documents[key];
  return document?.status === 'ready' ? document.value : null;
}

export function loadedRun(state: AppState, id: string | null): LoadedRun | null {
  const loaded: Loading<LoadedRun> | undefined = id === null ? undefined : state.loadedRuns[id];
  return loaded?.status === 'ready' ? loaded.value : null;
}

/** What the library calls a run that was opened. */
export function titleOfLoaded({ runs }: Pick<AppState, 'runs'>, { id, run }: LoadedRun): string {
  const summary = runs[id];
  return summary === undefined ? runName(run.info) : runTitle(summary);
}

/** The prediction of an open document, which is no run of the library. */
const predictionPrefix = 'predicted:';
export const predictionId = (key: string): string => `${predictionPrefix}${key}`;
export const isPrediction = (id: string): boolean => id.startsWith(predictionPrefix);

/** Whether a run was made from what is open as it is now. A prediction is made anew with each change. */
export function isOfPresent(state: AppState, run: LoadedRun): boolean {
  const present = currentExperiment(state);
  return present !== null && isRunOf(run, present);
}

/** Whether a run was made from a program: numbers of operations mean others in any other one. */
export function isRunOf({ id, run }: LoadedRun, program: Experiment): boolean {
  const { experiment } = run.info;
  if (experiment === null) return false;
  return program === experiment || (!isPrediction(id) && programText(program) === programText(experiment));
}

/** Recorded runs that ship for what is open. */
function recordedRuns(state: AppState): RunSummary[] {
  const { page } = state;
  if (page.kind !== 'example') return [];
  const ids = state.examples.find((example) => example.id === page.id)?.recordedRuns ?? [];
  return ids.flatMap((id) => state.runs[id] ?? []);
}

let lastOptions: { readonly from: readonly unknown[]; readonly made: readonly EngineOption[] } | null = null;

/** The same list as long as it would hold the same. */
export function currentEngineOptions(state: AppState): readonly EngineOption[] {
  const recorded = recordedRuns(state);
  const from = [state.devices, state.profiles, ...recorded];
  if (lastOptions !== null && shallow(lastOptions.from, from)) return lastOptions.made;
  lastOptions = { from, made: engineOptions(state.devices, state.profiles, recorded) };
  return lastOptions.made;
}

/** Runs of the open experiment, newest first: told by its name, which every run carries. */
export function runsOfPage(state: AppState): RunSummary[] {
  const { page } = state;
  if (page.kind === 'run') {
    const own = state.runs[page.id];
    const rest = Object.values(state.runs).filter((run) => run.id !== page.id && run.name === own?.name);
    return own === undefined ? [] : [own, ...rest.sort(byNewest)];
  }
  const name = currentExperiment(state)?.name;
  return name === undefined
    ? []
    : Object.values(state.runs)
        .filter((run) => run.name === name && !isPrediction(run.id))
        .sort(byNewest);
}

let lastShown: { readonly state: AppState; readonly id: string | null } | null = null;

/**
 * The run to show: the one that was picked, else the newest one of the chosen engine, else the recorded one, else any.
 */
export function shownRunId(state: AppState): string | null {
  // Many parts of the window ask for it with each change.
  if (lastShown?.state !== state) lastShown = { state, id: findShownRun(state) };
  return lastShown.id;
}

function findShownRun(state: AppState): string | null {
  const key = pageDocumentKey(state);
  if (key === null || (state.page.kind === 'lesson' && state.lessonWaits)) return null;
  const picked = state.pickedRuns[key];
  if (picked !== undefined && state.runs[picked] !== undefined) return picked;
  if (state.page.kind === 'run') return state.page.id;
  // A lesson begins with a simulation of what it shows; other runs are picked.
  if (state.page.kind === 'lesson') return state.runs[predictionId(key)] === undefined ? null : predictionId(key);
  const engine = effectiveEngine(currentEngineOptions(state), state.engine);
  const runs = runsOfPage(state);
  const recorded = recordedRuns(state)[0];
  const shown = runs.filter((run) => run.status === 'complete' || run.status === 'failed');
  const found =
    (
      shown.find((run) => engine !== null && ranOn(run, engine)) ??
      recorded ??
      shown[0] ??
      runs.find((run) => run.status === 'running')
    )?.id ?? null;
  return predictedInstead(state, key, found) ?? found;
}

/** The prediction, where there is one and the run that was found is not of the present document. */
function predictedInstead(state: AppState, key: string, found: string | null): string | null {
  const id = predictionId(key);
  if (state.page.kind === 'run' || state.runs[id] === undefined) return null;
  const run = loadedRun(state, found);
  return found === null || (run !== null && !isOfPresent(state, run)) ? id : null;
}

/** The run that is under way, where there are several the one that is shown; undefined where none is. */
export function runUnderWay(state: AppState): RunSummary | undefined {
  const running = Object.values(state.runs).filter((run) => run.status === 'running');
  return running.length > 1 ? (running.find(({ id }) => id === shownRunId(state)) ?? running[0]) : running[0];
}

/** Why what is open can't be run; null where it can. */
export function whyNoRun(state: AppState): string | null {
  const engine = effectiveEngine(currentEngineOptions(state), state.engine);
  if (state.connection.status !== 'open') return 'There is no connection to the host.';
  if (engine === null) return 'No engine is available here: see the list beside this button.';
  const isRecording = parseEngineKey(engine).kind === 'recorded';
  return isRecording ? 'This is a recording. Pick another engine to run the experiment yourself.' : null;
}

/** The shown run, where it can be compared with others. */
export function comparableRun(state: AppState): RunSummary | undefined {
  const id = shownRunId(state);
  const run = id === null || isPrediction(id) ? undefined : state.runs[id];
  return run?.status === 'complete' ? run : undefined;
}

/** Whether a run was made with the engine of this key. Built-in recordings belong to their own key only. */
export function ranOn(run: RunSummary, key: string): boolean {
  const engine = parseEngineKey(key);
  if (engine.kind === 'recorded') return run.id === engine.run;
  return run.engine === engine.kind && run.host === undefined && run.origin !== 'recorded';
}

/** The examples that are compared four at a time. */
const caseFolder = 'overlap/';
export const caseExamples = (state: AppState): ExampleSummary[] =>
  inOrder(state.examples.filter((example) => example.id.startsWith(caseFolder)));

/** Two runs are compared, or three if one of them is simulated. */
export const fitsComparison = (runs: readonly Pick<RunSummary, 'origin'>[]): boolean =>
  runs.length <= 2 || (runs.length === 3 && runs.some(({ origin }) => origin === 'simulated'));

/** Runs to compare: those picked, as many as fit, else for each case its newest run on the chosen engine, else its recorded one. */
export function comparedRunIds(state: AppState): string[] {
  const { page } = state;
  const picked = page.kind === 'compare' ? page.runs : undefined;
  if (picked !== undefined) {
    const known = picked.flatMap((id) => state.runs[id] ?? []).slice(0, 3);
    return (fitsComparison(known) ? known : known.slice(0, 2)).map(({ id }) => id);
  }
  const engine = effectiveEngine(engineOptions(state.devices, state.profiles, []), state.engine);
  const complete = Object.values(state.runs)
    .filter((run) => run.status === 'complete' && !isPrediction(run.id))
    .sort(byNewest);
  return caseExamples(state).flatMap((example) => {
    const last = complete.find((run) => run.name === example.name && engine !== null && ranOn(run, engine));
    const recorded = example.recordedRuns.find((id) => state.runs[id] !== undefined);
    return last?.id ?? recorded ?? complete.find((run) => run.name === example.name)?.id ?? [];
  });
}
