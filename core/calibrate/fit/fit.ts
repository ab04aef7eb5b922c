/**
 * Fits a profile to recorded runs. First what rows tell directly, each the median of the runs that say it; then a
 * descent on the errors of makespans and overlaps, for what no row tells. A parameter that no run says anything of
 * stays as it was. Deterministic; the number of simulations is bounded.
 */
import type { DeviceProfile } from '../../simulator/profile.ts';
import { whileRecording, withoutRecorder } from '../../simulator/recorder.ts';
import { applyReadings } from './apply.ts';
import { descend, type Terms } from './descent.ts';
import { drawnTo } from './drawn.ts';
import { errorOf, predict } from './errorTerms.ts';
import { gathered } from './gathered.ts';
import { type Knob, knobsOf, turned } from './knobs.ts';
import { machineWeights } from './machines.ts';
import { parametersOf } from './parametersOf.ts';
import { type Reading, readRuns } from './readings.ts';
import type { RecordedRun } from './recordedRun.ts';

export interface FitOptions {
  /** Simulations in all: 100 runs of the corpus take about a millisecond each. */
  readonly budget?: number;
  /** Which machine each run is from; all of one where left out. */
  readonly machines?: readonly string[];
}

export interface FitProgress {
  readonly done: number;
  readonly total: number;
  readonly what: string;
}

export interface Fitted {
  /** As the base, with what was read and turned; names, sources and measurements are the base's own. */
  readonly profile: DeviceProfile;
  readonly readings: readonly Reading[];
  /** Knobs that the descent turned, and by what factor. */
  readonly turned: readonly { readonly knob: Knob; readonly factor: number }[];
  readonly simulations: number;
}

const defaultBudget = 60_000;
/** What is read depends on what the simulation takes to be held or shared, so it is read once more. */
const rounds = 2;
/** Turns that are as likely as an error of one scale: of what rows tell directly, and of what they don't. */
const likelyTurn = { read: 0.05, notRead: 0.2 };
const steps = [0.3, 0.1, 0.03, 0.01];
const furthest = 1.5;

export function* fitInSteps(
  base: DeviceProfile,
  runs: readonly RecordedRun[],
  { budget = defaultBudget, machines }: FitOptions = {},
): Generator<FitProgress, Fitted, void> {
  const before = whileRecording(withoutMeasurements(base));
  const weights = machines === undefined ? undefined : machineWeights(machines);
  let profile = before;
  let readings: Reading[] = [];
  for (let round = 0; round < rounds; round += 1) {
    yield { done: round * runs.length, total: budget, what: 'reading the runs' };
    readings = gathered(before, readRuns(runs, profile, { machines }));
    // What a share of the device does is told against what all of it does, which must be known first.
    const isFirst = round === 0;
    const some = isFirst ? readings.filter(({ at }) => at?.key !== 'share') : readings;
    profile = withLinkRates(applyReadings(before, some, drawnTo(before, some)), some);
  }
  const read = new Set(readings.map(({ path }) => path));
  // The device's own clock says how long its work took: what errors remain are none of these.
  const knobs = knobsOf(profile).filter(({ path }) => !(path.endsWith('.device') && read.has(path)));
  const started = profile;
  const likely = knobs.map(({ path }) => (read.has(path) ? likelyTurn.read : likelyTurn.notRead));
  const used = runs.map((run) => parametersOf(run, started));
  const terms: Terms = {
    count: runs.length,
    evaluate: (turns, which) => {
      const tried = turned(started, knobs, turns);
      return Float64Array.from(which, (index) => {
        const run = runs[index];
        return run === undefined ? 0 : (weights?.[index] ?? 1) * errorOf(run, predict(run, tried));
      });
    },
    pull: (knob, turn) => (turn / (likely[knob] ?? 1)) ** 2 / 2,
    mayChange: (knob, index) => used[index]?.has(knobs[knob]?.path ?? '') ?? true,
  };
  const descent = descend(terms, { knobs: knobs.length, furthest, steps, budget });
  for (;;) {
    const step = descent.next();
    if (step.done !== true) {
      yield { done: step.value.evaluations, total: budget, what: `error ${step.value.error.toFixed(2)}` };
      continue;
    }
    const { turns, evaluations } = step.value;
    const moved = knobs.flatMap((knob, index) => {
      const turn = turns[index] ?? 0;
      return turn === 0 ? [] : [{ knob, factor: Math.exp(turn) }];
    });
    const fitted = ordered(withoutRecorder(turned(started, knobs, turns), base));
    return { profile: fitted, readings, turned: moved, simulations: evaluations };
  }
}

/** All at once. */
export function fitProfile(base: DeviceProfile, runs: readonly RecordedRun[], options?: FitOptions): Fitted {
  const going = fitInSteps(base, runs, options);
  for (;;) {
    const step = going.next();
    if (step.done === true) return step.value;
  }
}

/** A launch after a pause takes no less time than one after another. */
const ordered = (profile: DeviceProfile): DeviceProfile => {
  const { coldLaunchNs, launchNs } = profile.calls;
  return { ...profile, calls: { ...profile.calls, coldLaunchNs: Math.max(coldLaunchNs, launchNs) } };
};

/** A smaller copy is more than its bytes at the rate of the link. */
const leastLinkBytes = 2 ** 26;

/** Each direction alone goes at the rate of its largest copy, where the runs have told what such ones take. */
function withLinkRates(profile: DeviceProfile, readings: readonly Reading[]): DeviceProfile {
  const rateOf = (direction: 'h2d' | 'd2h'): Partial<DeviceProfile['link']> => {
    const isTold = readings.some(
      ({ path, at }) => path === `copies.${direction}.pinned.device` && (at?.value ?? 0) >= leastLinkBytes,
    );
    const largest = profile.copies[direction].pinned.device.at(-1);
    if (!isTold || largest === undefined || largest.bytes < leastLinkBytes) return {};
    return { [`${direction}BytesPerSecond`]: (largest.bytes / largest.ns) * 1e9 };
  };
  return { ...profile, link: { ...profile.link, ...rateOf('h2d'), ...rateOf('d2h') } };
}

/** They say where the base's numbers are from, and would only be copied at every turn. */
function withoutMeasurements(profile: DeviceProfile): DeviceProfile {
  const { measurements: _, ...rest } = profile;
  return rest;
}
