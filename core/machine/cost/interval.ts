/**
 * Interval of a prediction: it is repeated for machines that are faster and slower in one group of parameters each
 * (spread.ts). Their effects add in quadrature, since groups err independently.
 */

import type { Program } from '../../program/program.ts';
import type { InSteps } from '../../steps.ts';
import type { Interval } from '../../trace/run.ts';
import { formatDuration, formatRange } from '../../units.ts';
import { type SimulateOptions, type SimulationResult, simulateInSteps } from '../simulate.ts';
import type { SimilarMachines } from './spread.ts';

/** Share of machines whose figure lies in the interval. */
export const intervalLevel = 0.9;

/** A figure on similar machines, and the relative error beyond those. */
export interface Around<Figure> {
  readonly pairs: readonly (readonly [fast: Figure, slow: Figure])[];
  readonly residualShare: number;
}

/** Limit, because every machine needs another simulation. */
const mostInstructions = 200_000;

/** Applies `read` to a simulation on each machine. Returns null if the program can't be simulated or is too long. */
export function* figuresAround<Figure>(
  program: Program,
  { pairs, residualShare }: SimilarMachines,
  read: (result: SimulationResult) => Figure,
  options: SimulateOptions = {},
): InSteps<Around<Figure> | null> {
  const bounded = { maxInstructions: mostInstructions, ...options };
  const found: (readonly [Figure, Figure])[] = [];
  try {
    for (const [fast, slow] of pairs) {
      const first = read(yield* simulateInSteps(program, fast, bounded));
      found.push([first, read(yield* simulateInSteps(program, slow, bounded))]);
      yield;
    }
  } catch {
    // The experiment in a run file may be impossible to simulate.
    return null;
  }
  return { pairs: found, residualShare };
}

/** Returns the lowest and highest value around `point`. */
export function rangeAround(
  point: number,
  { pairs, residualShare }: Around<number>,
): readonly [low: number, high: number] {
  const rest = residualShare * Math.abs(point);
  const down = pairs.map((pair) => Math.max(0, point - Math.min(...pair)));
  const up = pairs.map((pair) => Math.max(0, Math.max(...pair) - point));
  return [point - Math.hypot(rest, ...down), point + Math.hypot(rest, ...up)];
}

export function intervalAround(pointNs: number, around: Around<number>): Interval {
  const [lowNs, highNs] = rangeAround(pointNs, around);
  return { lowNs, highNs, level: intervalLevel };
}

/** Returns for example '9.8 to 20 ms (90 %)'. */
export const intervalText = ({ lowNs, highNs, level }: Interval): string =>
  `${formatRange(lowNs, highNs, formatDuration)} (${levelText(level)})`;

export const levelText = (level: number): string => `${Math.round(100 * level)} %`;
