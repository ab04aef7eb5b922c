/** Values derived from the state. They are pure, so that components and actions agree. */
import { shallow } from 'zustand/shallow';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { programText } from '../../core/experiment/experiment.ts';
import { type ExampleSummary, type RunSummary, runTitle } from '../../core/service/service.ts';
import { runName } from '../../core/trace/run.ts';
import { type EngineOption, effectiveEngine, engineOptions, parseEngineKey } from './engines.ts';
import { inOrder } from './exampleGroups.ts';
import type { LoadedRun } from './opened/loadedRun.ts';
import { documentKey } from './page.ts';
import type { AppState, Loading } from './types.ts';

export const byNewest = (a: RunSummary, b: RunSummary): number => b.createdAt.localeCompare(a.createdAt);

/** Returns the key of the open document; null on pages without one. */
export function pageDocumentKey({ page, lessonDocument }: Pick<AppState, 'page' | 'lessonDocument'>): string | null {
  if (page.kind === 'lesson') return lessonDocument;
  return page.kind === 'example' || page.kind === 'experiment' || page.kind === 'run' ? documentKey(page) : null;
}

/** Returns the open experiment, or that of the opened run. Null while it is being read. */
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

/** Returns the library's name of an opened run. */
export function titleOfLoaded({ runs }: Pick<AppState, 'runs'>, { id, run }: LoadedRun): string {
  const summary = runs[id];
  return summary === undefined ? runName(run.info) : runTitle(summary);
}

/** The prediction of an open document, which is no run of the library. */
const predictionPrefix = 'predicted:';
export const predictionId = (key: string): string => `${predictionPrefix}${key}`;
export const isPrediction = (id: string): boolean => id.startsWith(predictionPrefix);

/** Returns true if a run was made from the open document as it is now. A prediction is made again with each change. */
export function isOfPresent(state: AppState, run: LoadedRun): boolean {
  const present = currentExperiment(state);
  return present !== null && isRunOf(run, present);
}

/** Returns true if a run was made from this program. Operation numbers differ in other programs. */
export function isRunOf({ id, run }: LoadedRun, program: Experiment): boolean {
  const { experiment } = run.info;
  if (experiment === null) return false;
  return program === experiment || (!isPrediction(id) && programText(program) === programText(experiment));
}

/** Returns the built-in recordings of the open example. */
function recordedRuns(state: AppState): RunSummary[] {
  const { page } = state;
  if (page.kind !== 'example') return [];
  const ids = state.examples.find((example) => example.id === page.id)?.recordedRuns ?? [];
  return ids.flatMap((id) => state.runs[id] ?? []);
}

let lastOptions: { readonly from: readonly unknown[]; readonly made: readonly EngineOption[] } | null = null;

/** Returns the same list while its content is the same. */
export function currentEngineOptions(state: AppState): readonly EngineOption[] {
  const recorded = recordedRuns(state);
  const from = [state.devices, state.profiles, ...recorded];
  if (lastOptions !== null && shallow(lastOptions.from, from)) return lastOptions.made;
  lastOptions = { from, made: engineOptions(state.devices, state.profiles, recorded) };
  return lastOptions.made;
}

/** Returns runs of the open experiment, newest first. The experiment's name in each run identifies them. */
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

/** Returns the run to show: the picked one, else the newest of the chosen engine, else the recorded one, else any. */
export function shownRunId(state: AppState): string | null {
  // Cached, since many parts of the window read it with each change.
  if (lastShown?.state !== state) lastShown = { state, id: findShownRun(state) };
  return lastShown.id;
}

function findShownRun(state: AppState): string | null {
  const key = pageDocumentKey(state);
  if (key === null || (state.page.kind === 'lesson' && state.lessonWaits)) return null;
  const picked = state.pickedRuns[key];
  if (picked !== undefined && state.runs[picked] !== undefined) return picked;
  if (state.page.kind === 'run') return state.page.id;
  // A lesson begins with a simulation; other runs are picked.
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

/** Returns the prediction if there is one and the found run is of an older document. */
function predictedInstead(state: AppState, key: string, found: string | null): string | null {
  const id = predictionId(key);
  if (state.page.kind === 'run' || state.runs[id] === undefined) return null;
  const run = loadedRun(state, found);
  return found === null || (run !== null && !isOfPresent(state, run)) ? id : null;
}

/** Returns the run under way, the shown one if there are several, or undefined. */
export function runUnderWay(state: AppState): RunSummary | undefined {
  const running = Object.values(state.runs).filter((run) => run.status === 'running');
  return running.length > 1 ? (running.find(({ id }) => id === shownRunId(state)) ?? running[0]) : running[0];
}

/** Returns the reason why the open document can't run, or null. */
export function whyNoRun(state: AppState): string | null {
  const engine = effectiveEngine(currentEngineOptions(state), state.engine);
  if (state.connection.status !== 'open') return 'There is no connection to the host.';
  if (engine === null) return 'No engine is available here: see the list next to this button.';
  const isRecording = parseEngineKey(engine).kind === 'recorded';
  return isRecording ? 'This is a recording. Pick another engine to run the experiment yourself.' : null;
}

/** Returns the shown run if it can be compared with others. */
export function comparableRun(state: AppState): RunSummary | undefined {
  const id = shownRunId(state);
  const run = id === null || isPrediction(id) ? undefined : state.runs[id];
  return run?.status === 'complete' ? run : undefined;
}

/** Returns true if a run was made with the engine of this key. Built-in recordings belong only to their own key. */
export function ranOn(run: RunSummary, key: string): boolean {
  const engine = parseEngineKey(key);
  if (engine.kind === 'recorded') return run.id === engine.run;
  return run.engine === engine.kind && run.host === undefined && run.origin !== 'recorded';
}

/** The examples of the four-case comparison. */
const caseFolder = 'overlap/';
export const caseExamples = (state: AppState): ExampleSummary[] =>
  inOrder(state.examples.filter((example) => example.id.startsWith(caseFolder)));

/** Two runs can be compared, or three if one of them is simulated. */
export const fitsComparison = (runs: readonly Pick<RunSummary, 'origin'>[]): boolean =>
  runs.length <= 2 || (runs.length === 3 && runs.some(({ origin }) => origin === 'simulated'));

/** Returns the runs to compare: picked ones that fit, else each case's newest run on the engine, else its recording. */
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
