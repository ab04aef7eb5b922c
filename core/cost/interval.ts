/**
 * How sure a predicted figure is: it is predicted again for machines that are faster and slower in one group of parameters
 * (spread.ts), and what that changes adds up in quadrature, since the groups err by themselves.
 */

import { type SimulateOptions, type SimulationResult, simulateInSteps } from '../machine/simulate.ts';
import type { Program } from '../program/program.ts';
import type { InSteps } from '../steps.ts';
import { formatDuration, formatRange } from '../units.ts';
import type { Surroundings } from './spread.ts';

/** Nine machines in ten come to a figure between the two. */
export const intervalLevel = 0.9;

/** Of a time: nanoseconds. Of a gain both may be below zero. */
export interface Interval {
  readonly lowNs: number;
  readonly highNs: number;
  /** The share of machines that it holds. */
  readonly level: number;
}

/** What a figure comes to on machines around, and what is beyond them as a part of it. */
export interface Around<Figure> {
  readonly pairs: readonly (readonly [fast: Figure, slow: Figure])[];
  readonly restPart: number;
}

/** Longer programs are not simulated again for every machine. */
const mostInstructions = 200_000;

/** `read` of the program's simulation on each machine; null where it can't be simulated, or is too long for so many. */
export function* figuresAround<Figure>(
  program: Program,
  { pairs, restPart }: Surroundings,
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
    // A run file's experiment need not be one that can be simulated.
    return null;
  }
  return { pairs: found, restPart };
}

/** The lowest and highest that `point` may be; it lies between them. */
export function rangeAround(point: number, { pairs, restPart }: Around<number>): readonly [low: number, high: number] {
  const rest = restPart * Math.abs(point);
  const down = pairs.map((pair) => Math.max(0, point - Math.min(...pair)));
  const up = pairs.map((pair) => Math.max(0, Math.max(...pair) - point));
  return [point - Math.hypot(rest, ...down), point + Math.hypot(rest, ...up)];
}

export function intervalAround(pointNs: number, around: Around<number>): Interval {
  const [lowNs, highNs] = rangeAround(pointNs, around);
  return { lowNs, highNs, level: intervalLevel };
}

/** '9.8 to 20 ms (90 %)'. */
export const intervalText = ({ lowNs, highNs, level }: Interval): string =>
  `${formatRange(lowNs, highNs, formatDuration)} (${levelText(level)})`;

export const levelText = (level: number): string => `${Math.round(100 * level)} %`;
