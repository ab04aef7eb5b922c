/** Every edit is simulated at once, so that lanes stand under the score before anything was run. */
import { useEffect } from 'react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { type DeviceProfile, parseProfile } from '../../core/simulator/profile.ts';
import { effectiveEngine, parseEngineKey } from '../app/engines.ts';
import { LoadedRun } from '../app/loadedRun.ts';
import { host } from '../app/store/actions.ts';
import { currentEngineOptions, currentExperiment, pageDocumentKey, predictionId } from '../app/store/select.ts';
import { assign, put, state, useApp } from '../app/store/store.ts';
import type { PredictAnswer, PredictRequest } from './messages.ts';

/** Quick edits one after another are predicted once. */
const pauseMs = 60;
/** A prediction under way for longer gives way to the next edit. */
const patienceMs = 1500;

/** Predicts the user's own experiment that is open, or a lesson's. */
export function usePrediction(): void {
  const key = useApp((all) => {
    const { kind } = all.page;
    return kind === 'experiment' || (kind === 'lesson' && !all.lessonWaits) ? pageDocumentKey(all) : null;
  });
  const experiment = useApp(currentExperiment);
  const picked = useApp((all) => all.engine);
  const ready = useApp((all) => all.libraryReady && all.connection.status === 'open');
  // biome-ignore lint/correctness/useExhaustiveDependencies: another engine may mean another profile.
  useEffect(() => {
    if (key === null || experiment === null || !ready) return;
    const timer = setTimeout(() => void ask(key, experiment), pauseMs);
    return () => clearTimeout(timer);
  }, [key, experiment, picked, ready]);
}

let worker: Worker | null = null;
let latest = { ticket: 0, key: '', since: 0, busy: false };

async function ask(key: string, experiment: Experiment): Promise<void> {
  const profile = await chosenProfile();
  if (profile === null) return;
  if (worker !== null && latest.busy && performance.now() - latest.since > patienceMs) {
    worker.terminate();
    worker = null;
  }
  latest = { ticket: latest.ticket + 1, key, since: performance.now(), busy: true };
  worker ??= started();
  const version = state().about?.version ?? '';
  worker.postMessage({ ticket: latest.ticket, experiment, profile, version } satisfies PredictRequest);
}

function started(): Worker {
  const made = new Worker(new URL('./predictWorker.ts', import.meta.url), { type: 'module', name: 'predict' });
  made.onmessage = (event: MessageEvent<PredictAnswer>) => receive(event.data);
  made.onerror = () => {
    made.terminate();
    if (worker === made) worker = null;
  };
  return made;
}

function receive(answer: PredictAnswer): void {
  if (answer.ticket !== latest.ticket) return;
  latest = { ...latest, busy: false };
  const id = predictionId(latest.key);
  if (state().selection?.kind === 'row') assign({ selection: null });
  if (answer.kind === 'failed') {
    // What can't be simulated is said when it is run; lanes of an older document would be wrong.
    put('runs', id, undefined);
    put('loadedRuns', id, undefined);
    return;
  }
  const { run, iteration, summary } = answer;
  put('loadedRuns', id, { status: 'ready', value: new LoadedRun(id, run, iteration, summary) });
  put('runs', id, {
    id,
    name: run.info.experiment?.name ?? '',
    origin: 'simulated',
    engine: 'sim',
    status: 'complete',
    createdAt: run.info.createdAt,
    device: run.info.device?.name ?? '',
    makespanNs: iteration.makespanNs,
    builtIn: true,
  });
}

const profiles = new Map<string, DeviceProfile>();

/** The picked engine's profile, else the first one there is; null where none can be read. */
export async function chosenProfile(): Promise<DeviceProfile | null> {
  const engine = parseEngineKey(effectiveEngine(currentEngineOptions(state()), state().engine) ?? 'cpu');
  const name = engine.kind === 'sim' ? engine.profile : state().profiles[0]?.name;
  if (name === undefined) return null;
  const known = profiles.get(name);
  if (known !== undefined) return known;
  try {
    const profile = parseProfile(await host().readProfile(name));
    profiles.set(name, profile);
    return profile;
  } catch {
    // Without a profile there is no prediction; a run says why.
    return null;
  }
}
