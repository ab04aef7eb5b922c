/** Simulates what is opened, and every edit, at once, so that the score has lanes before anything runs. */
import { useEffect } from 'react';
import { toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import { tooLong } from '../../core/machine/bounded.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { RunSummary } from '../../core/service/service.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { debounced } from '../common/scheduling.ts';
import { summaryOptions } from '../store/attainable.ts';
import { effectiveEngine, knownProfile, parseEngineKey, readProfile } from '../store/engines.ts';
import { host } from '../store/host.ts';
import { LoadedRun } from '../store/opened/loadedRun.ts';
import { currentEngineOptions, currentExperiment, pageDocumentKey, predictionId, shownRunId } from '../store/select.ts';
import { assign, beforeNextFrame, put, state, watch } from '../store/store.ts';
import type { AppState } from '../store/types.ts';
import type { Lanes } from './documentCalls.ts';
import { askAbout, dropLanes, tellPredicting, usePredicting } from './openDocument.ts';
import { isLongerThan, type Prediction, predict } from './predict.ts';

/** An edit drops a prediction that has taken longer than this. */
const patienceMs = 1500;

/** The document to predict: the user's own experiment, a lesson's, or an example without a run. */
interface Wanted {
  readonly key: string;
  readonly experiment: Experiment;
}

function wantedNow(all: AppState): Wanted | null {
  const { kind } = all.page;
  const isPredicted = kind === 'experiment' || kind === 'example' || (kind === 'lesson' && !all.lessonWaits);
  if (!isPredicted || !all.libraryReady || all.connection.status !== 'open') return null;
  const [key, experiment] = [pageDocumentKey(all), currentExperiment(all)];
  if (key === null || experiment === null || (kind === 'example' && hasRun(all, key))) return null;
  return { key, experiment };
}

function hasRun(all: AppState, key: string): boolean {
  const id = shownRunId(all);
  return id !== null && id !== predictionId(key);
}

/** Predicts the open document, again after each edit. */
export function usePrediction(): void {
  useEffect(() => {
    let before = { wanted: null as Wanted | null, picked: null as string | null, profiles: state().profiles };
    const look = (all: AppState): void => {
      const [wanted, picked, profiles] = [wantedNow(all), all.engine, all.profiles];
      const isSame = wanted?.experiment === before.wanted?.experiment && wanted?.key === before.wanted?.key;
      // Another engine may mean another profile.
      if (isSame && picked === before.picked && profiles === before.profiles) return;
      before = { wanted, picked, profiles };
      if (wanted !== null) ask(wanted);
    };
    look(state());
    return watch(look);
  }, []);
}

/** The prediction under way in the worker, or null. */
let asked: (Wanted & { readonly since: number }) | null = null;
/** The next document to predict: the last of quick edits. */
let waiting: Wanted | null = null;
/** The prediction on screen, whose summary may still come. */
let shown: Shown | null = null;

interface Shown extends Pick<Prediction, 'counters'> {
  readonly id: string;
  readonly experiment: Experiment;
  readonly profile: DeviceProfile;
}

function ask(wanted: Wanted): void {
  const profile = knownProfile(chosenProfileName() ?? '');
  if (profile !== undefined && predictedHere(wanted, profile)) return;
  toSum = null;
  waiting = wanted;
  if (usePredicting.getState().predicting?.document !== wanted.key)
    tellPredicting({ document: wanted.key, progress: null });
  // The worker drops it for the next one.
  if (asked !== null && performance.now() - asked.since > patienceMs) asked = null;
  if (asked === null) askNext();
}

function askNext(): void {
  const wanted = waiting;
  if (wanted === null) return;
  const name = chosenProfileName();
  const profile = name === null ? undefined : knownProfile(name);
  if (profile === undefined) {
    void chosenProfile().then((found) => {
      // There is no prediction without a profile.
      if (found === null) tellPredicting(null);
      if (found === null || asked !== null || waiting !== wanted) return;
      if (!predictedHere(wanted, found)) void predictThere(wanted, found);
    });
  } else void predictThere(wanted, profile);
}

/**
 * Longer programs are simulated in the worker. Shorter ones take less time here than the way to the worker and back,
 * and their lanes are drawn in the same frame as the edit.
 */
const mostHere = 4000;

/** Predicts within the store's change. Returns false if that would block the window for too long. */
function predictedHere({ key, experiment }: Wanted, profile: DeviceProfile): boolean {
  if (isLongerThan(mostHere, experiment)) return false;
  const id = predictionId(key);
  let made: Prediction | null = null;
  try {
    made = predict(experiment, profile, version(), { maxInstructions: mostHere });
  } catch (thrown) {
    if (toErrorInfo(thrown).code === tooLong) return false;
  }
  // The prediction under way would come too late.
  if (asked !== null) dropLanes();
  asked = null;
  waiting = null;
  tellPredicting(null);
  toSum = null;
  if (made === null) {
    forget(id);
    return true;
  }
  const { experiment: _, ...info } = made.run.info;
  toSum = { of: show(id, experiment, profile, made), lanes: { info, trace: made.run.trace } };
  beforeNextFrame(sumSoon);
  return true;
}

/** A summary is requested if no other edit comes for this time. */
const summaryPauseMs = 100;
/** The prediction made here that needs a summary. */
let toSum: { readonly of: Shown; readonly lanes: Lanes } | null = null;

const sumSoon = debounced(() => {
  if (toSum === null) return;
  const { of, lanes } = toSum;
  toSum = null;
  void sumUp(of, lanes);
}, summaryPauseMs);

const version = (): string => state().about?.version ?? '';

async function predictThere(wanted: Wanted, profile: DeviceProfile): Promise<void> {
  const { key, experiment } = wanted;
  const mine = { ...wanted, since: performance.now() };
  [waiting, asked] = [null, mine];
  tellPredicting({ document: key, progress: null });
  const made = await askAbout(experiment, profile).predict(key, version()).catch(nothing);
  if (asked !== mine) return;
  asked = null;
  const next = waiting as Wanted | null;
  // The next document is simulated while this one is drawn.
  askNext();
  const id = predictionId(key);
  if (made !== null) {
    const run = { info: { ...made.info, experiment }, trace: made.trace };
    const of = show(id, experiment, profile, { ...made, run });
    if (next === null) void sumUp(of, null);
  } else if (next === null) forget(id);
  if (next === null) tellPredicting(null);
}

/** A failed or ended prediction gives null; the next edit asks again. */
const nothing = (): null => null;

/** Cancels the prediction under way. The next edit predicts again. */
export function cancelPrediction(): void {
  [waiting, asked] = [null, null];
  dropLanes();
  tellPredicting(null);
}

/** Duration of the last summary. The next one starts after the same time, so that quick edits don't wait for it. */
let summaryMs = 0;

/** Requests summary and intervals while the lanes are shown. `lanes` are null if the worker made them. */
async function sumUp(of: Shown, lanes: Lanes | null): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, summaryMs));
  const isLate = (): boolean => shown !== of || asked !== null;
  if (isLate()) return;
  const begin = performance.now();
  const calls = askAbout(of.experiment, of.profile);
  const first = await calls.summarize(lanes).catch(nothing);
  if (first === null || isLate()) return;
  summaryMs = performance.now() - begin;
  const { verdictCount, ...summary } = first;
  const verdicts = [...first.verdicts];
  // All verdicts of a long experiment at once would block the window.
  while (verdicts.length < verdictCount) {
    const more = await calls.moreVerdicts(verdicts.length).catch(nothing);
    if (more === null || more.length === 0 || isLate()) return;
    verdicts.push(...more);
  }
  addSummary(of, () => ({ ...summary, verdicts }));
  const intervals = await calls.intervals().catch(nothing);
  if (intervals !== null && !isLate()) addSummary(of, (known) => known && { ...known, ...intervals });
}

/** Removes the prediction, since lanes of an older document would be wrong. Running the document shows the error. */
function forget(id: string): void {
  put('runs', id, undefined);
  put('loadedRuns', id, undefined);
}

/** Shows the lanes in one change of the store, so that everything draws once. The old summary stays until the next. */
function show(
  id: string,
  experiment: Experiment,
  profile: DeviceProfile,
  { run, iteration, counters }: Prediction,
): Shown {
  shown = { id, experiment, profile, counters };
  const { loadedRuns, runs, selection } = state();
  const before = loadedRuns[id];
  const last = before?.status === 'ready' ? before.value : null;
  const summary = last?.summary ?? null;
  const { attainable } = summaryOptions(profile);
  assign({
    loadedRuns: {
      ...loadedRuns,
      [id]: { status: 'ready', value: new LoadedRun(id, run, iteration, { summary, counters, attainable }) },
    },
    runs: withPrediction(runs, summaryOf(id, run.info)),
    ...(selection?.kind === 'row' ? { selection: null } : {}),
  });
  return shown;
}

/** Returns the same table if the prediction is known, so that views of the list of runs don't redraw with each edit. */
function withPrediction(runs: AppState['runs'], made: RunSummary): AppState['runs'] {
  const known = runs[made.id];
  return known?.name === made.name && known.device === made.device ? runs : { ...runs, [made.id]: made };
}

/** Leaves out the makespan, which is in the run and changes with each edit. */
const summaryOf = (id: string, info: RunInfo): RunSummary => ({
  id,
  name: info.experiment?.name ?? '',
  origin: 'simulated',
  engine: 'sim',
  status: 'complete',
  createdAt: info.createdAt,
  device: info.device?.name ?? '',
  makespanNs: null,
  builtIn: true,
});

type Known = WindowSummary | null;

function addSummary({ id, counters }: Shown, make: (known: Known) => Known): void {
  const loaded = state().loadedRuns[id];
  const summary = loaded?.status === 'ready' ? make(loaded.value.summary) : null;
  if (loaded?.status !== 'ready' || summary === null) return;
  put('loadedRuns', id, { status: 'ready', value: loaded.value.withSummary(summary, counters) });
}

function chosenProfileName(): string | null {
  const engine = parseEngineKey(effectiveEngine(currentEngineOptions(state()), state().engine) ?? 'cpu');
  return (engine.kind === 'sim' ? engine.profile : state().profiles[0]?.name) ?? null;
}

/** Returns the picked engine's profile, else the first one; null if none can be read. A run then gives the reason. */
export async function chosenProfile(): Promise<DeviceProfile | null> {
  const name = chosenProfileName();
  return name === null ? null : readProfile(name, host);
}
