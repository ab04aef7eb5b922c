/**
 * What recorded runs tell of a profile's parameters one by one: the durations of calls and of work on the device, and
 * the gaps between them, wherever the simulation of the run says that a row is one parameter and nothing else.
 */
import { iterationOf } from '../../analysis/iteration.ts';
import { median } from '../../analysis/statistics.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { simulate } from '../../simulator/simulate.ts';
import type { PointKey } from '../plan.ts';
import { machineWeights } from './machines.ts';
import type { RecordedRun } from './recordedRun.ts';
import { pairRows } from './rowPairs.ts';
import { TellingRun } from './tellingRun.ts';
import { tells } from './tells.ts';

export interface RunOf {
  readonly machine: string;
  readonly weight: number;
}

/** What runs say of a parameter, or of one point of a table. */
export interface Reading {
  readonly path: string;
  readonly at?: { readonly key: PointKey; readonly value: number };
  /** What each run says that says something, in the runs' order. */
  readonly samples: readonly number[];
  /** The machine of each of them, and what it counts; left out where all are of one. */
  readonly of?: readonly RunOf[];
}

/**
 * What other traffic makes longer, and nothing shorter: on each machine of a kind a copy by itself takes the same. Calls are
 * made longer too, by other threads and by caches that hold nothing of the driver, but so they are in whatever somebody runs;
 * and where machines differ their lower quartile would be that of the fastest.
 */
const isLengthened = /^copies\..*\.device$/;

/** What values say of a parameter: their median, of what is only ever made longer their lower quartile. */
function middle(path: string, values: readonly number[]): number {
  if (!isLengthened.test(path)) return median(values);
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 4)] ?? Number.NaN;
}

export function told({ path, samples, of }: Reading): number {
  if (of === undefined || of.every(({ weight }) => weight === of[0]?.weight)) return middle(path, samples);
  const weights = of.map(({ weight }) => weight);
  return weighted(samples, weights, isLengthened.test(path) ? 0.25 : 0.5);
}

/** The least value up to which so large a part of the weight lies. */
function weighted(values: readonly number[], weights: readonly number[], part: number): number {
  const sorted = values
    .map((value, index) => ({ value, weight: weights[index] ?? 0 }))
    .sort((a, b) => a.value - b.value);
  let left = part * sorted.reduce((sum, { weight }) => sum + weight, 0);
  for (const { value, weight } of sorted) {
    left -= weight;
    if (left <= 0) return value;
  }
  return sorted.at(-1)?.value ?? Number.NaN;
}

/** What the values that one run has for a parameter say together. */
export type Middle = (path: string, values: readonly number[]) => number;

interface ReadOptions {
  readonly middleOf?: Middle;
  /** The machine of each run; all of one where left out. */
  readonly machines?: readonly string[] | undefined;
}

/** One entry for each parameter and point, in order of path and place. */
export function readRuns(
  runs: readonly RecordedRun[],
  profile: DeviceProfile,
  { middleOf = middle, machines }: ReadOptions = {},
): Reading[] {
  const found = new Map<string, { reading: Omit<Reading, 'samples'>; samples: number[]; of: RunOf[] }>();
  const weights = machineWeights(machines ?? []);
  runs.forEach((run, index) => {
    for (const [key, { reading, values }] of readRun(run, profile)) {
      if (values.length === 0) continue;
      const known = found.get(key) ?? { reading, samples: [], of: [] };
      found.set(key, known);
      known.samples.push(middleOf(reading.path, values));
      known.of.push({ machine: machines?.[index] ?? '', weight: weights[index] ?? 1 });
    }
  });
  return [...found.values()]
    .map(({ reading, samples, of }) => ({ ...{ ...reading, samples }, ...(machines === undefined ? {} : { of }) }))
    .sort((a, b) => (a.path === b.path ? (a.at?.value ?? 0) - (b.at?.value ?? 0) : a.path < b.path ? -1 : 1));
}

function readRun(run: RecordedRun, profile: DeviceProfile) {
  const { program, iterations, filled } = run;
  const pairs = pairRows(iterationOf(simulate(program, profile, { filled }).trace, 0), iterations);
  const telling = new TellingRun(run, profile, pairs);
  const found = new Map<string, { reading: Omit<Reading, 'samples'>; values: number[] }>();
  for (const pair of pairs) {
    for (const { path, at, read } of tells(telling, pair)) {
      const key = at === undefined ? path : `${path} ${at.value}`;
      const known = found.get(key) ?? { reading: at === undefined ? { path } : { path, at }, values: [] };
      found.set(key, known);
      for (let index = 0; index < iterations.length; index += 1) {
        const value = read(index);
        if (value !== undefined && Number.isFinite(value) && value > 0) known.values.push(value);
      }
    }
  }
  return found;
}
