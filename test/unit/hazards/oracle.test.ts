import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { HazardKind } from '../../../core/explain/hazards/hazard.ts';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { lower } from '../../../core/program/lower.ts';
import { runs } from '../../support/effort.ts';
import { Random } from '../support/random.ts';
import { explore, type OracleAnswer } from './oracle.ts';
import { plantedExperiment, signallingExperiment, widerExperiment } from './programs.ts';

/** Programs without a race, each also without something that orders it. */
const planted = runs(5000);
/** Programs of any operations, on two devices, with graphs and allocated memory; they take longer to explore. */
const wider = runs(3000);
/** Programs with signals only. */
const signalling = runs(2000);

const ofMemory: ReadonlySet<HazardKind> = new Set([
  'used-before-allocated',
  'used-after-free',
  'freed-in-use',
  'reused-in-use',
]);

const sorted = <Item>(items: Iterable<Item>): Item[] => [...new Set(items)].sort();

/** Runs the detector. A failure names the seed, which reproduces it on any machine. */
function found(experiment: Experiment): { races: string[]; timings: number[]; strays: number[] } {
  // The oracle doesn't know which memory an allocation gets: hazards.test.ts has those cases.
  const hazards = findHazards(lower(experiment)).hazards.filter(({ kind }) => kind !== 'reused-unordered');
  const isTiming = (kind: string): boolean => kind === 'timing-unsynchronised';
  const strays = hazards
    .filter(({ kind }) => ofMemory.has(kind))
    .map(({ kind, first, second }) => (kind.endsWith('-in-use') ? first.op : second.op));
  const races = hazards
    .filter(({ kind }) => !isTiming(kind) && !ofMemory.has(kind))
    .map(({ first, second, buffer }) => {
      return `${Math.min(first.op, second.op)} ${Math.max(first.op, second.op)} ${buffer}`;
    });
  const timings = hazards.filter(({ kind }) => isTiming(kind)).map(({ second }) => second.op);
  return { races: sorted(races), timings: sorted(timings), strays: sorted(strays) };
}

function expectSame(experiment: Experiment, answer: OracleAnswer, seed: number): void {
  const { races, earlyTimings, strayUses } = answer;
  const truth = { races: sorted(races), timings: sorted(earlyTimings), strays: sorted(strayUses) };
  expect({ seed, ...found(experiment) }).toEqual({ seed, ...truth });
}

describe('hazards against every possible execution', () => {
  it('finds each planted race, and nothing in the same program without it', () => {
    let checked = 0;
    for (let seed = 0; checked < planted; seed += 1) {
      const drawn = plantedExperiment(new Random(seed));
      if (drawn === null) continue;
      const [before, after] = [explore(drawn.ordered), explore(drawn.planted)];
      if (before === null || after === null || after.canHang || after.races.size === 0) continue;
      expect({ seed, races: [...before.races] }).toEqual({ seed, races: [] });
      expectSame(drawn.ordered, before, seed);
      expectSame(drawn.planted, after, seed);
      checked += 1;
    }
  });

  it('finds each wait without an end, and no other', () => {
    let [hanging, lasting, missed] = [0, 0, 0];
    for (let seed = 0; seed < signalling; seed += 1) {
      const { experiment, oneEach } = signallingExperiment(new Random(seed));
      const answer = explore(experiment);
      if (answer === null) throw new Error(`too many executions: seed ${seed}`);
      const { hazards } = findHazards(lower(experiment));
      const isFound = hazards.some(({ kind }) => kind === 'endless-wait');
      // If a signal has several threads at one end, only one order is followed.
      if (oneEach || isFound) expect({ seed, isFound }).toEqual({ seed, isFound: answer.canHang });
      if (answer.canHang) hanging += 1;
      else lasting += 1;
      if (answer.canHang && !isFound) missed += 1;
    }
    expect(hanging).toBeGreaterThan(0.1 * signalling);
    expect(lasting).toBeGreaterThan(0.1 * signalling);
    expect(missed).toBeLessThan(0.05 * hanging);
  });

  it('finds each race and each use of missing memory, with two devices, graphs and memory of every kind', () => {
    let [checked, racy, strays] = [0, 0, 0];
    for (let seed = 0; seed < wider; seed += 1) {
      const experiment = lowerable(new Random(seed));
      const answer = explore(experiment);
      if (answer === null || answer.canHang) continue;
      expectSame(experiment, answer, seed);
      checked += 1;
      racy += answer.races.size > 0 ? 1 : 0;
      strays += answer.strayUses.size > 0 ? 1 : 0;
    }
    expect(checked).toBeGreaterThan(0.95 * wider);
    expect(racy).toBeGreaterThan(0.25 * wider);
    expect(checked - racy).toBeGreaterThan(0.25 * wider);
    expect(strays).toBeGreaterThan(0.05 * wider);
  });
});

/** Returns the first experiment that isn't refused, such as one whose graph uses missing memory. */
function lowerable(random: Random): Experiment {
  for (;;) {
    const experiment = widerExperiment(random);
    try {
      lower(experiment);
      return experiment;
    } catch {}
  }
}
