/** Predictions that a later trace on this machine has confirmed or refuted, by their profile. */
import { z } from 'zod';
import { changeWords } from '../lift/changes/words.ts';
import type { Settled } from '../lift/settle.ts';
import { type RunInfo, runName } from '../trace/run.ts';

const longestName = 255;
const traceSchema = z.strictObject({
  name: z.string().min(1).max(longestName),
  recordedAt: z.iso.datetime(),
});

export const settledPredictionSchema = z.strictObject({
  /** Name of the profile. */
  profile: z.string().min(1).max(200),
  before: traceSchema,
  after: traceSchema,
  changes: z.array(z.enum(changeWords)).min(1).max(changeWords.length),
  predictedShare: z.number(),
  lowShare: z.number(),
  highShare: z.number(),
  measuredShare: z.number(),
  holds: z.boolean(),
});
export type SettledPrediction = z.infer<typeof settledPredictionSchema>;

export function settledPrediction(
  [before, after]: readonly [RunInfo, RunInfo],
  profile: string,
  { changes, ...shares }: Settled,
): SettledPrediction {
  const trace = (info: RunInfo) => ({ name: runName(info).slice(0, longestName), recordedAt: info.createdAt });
  return { profile, before: trace(before), after: trace(after), changes: [...changes], ...shares };
}

/** "5 of 6 intervals contained the measured gain." */
export const heldWords = (all: readonly SettledPrediction[]): string =>
  `${all.filter(({ holds }) => holds).length} of ${all.length} ${all.length === 1 ? 'interval' : 'intervals'} contained the measured gain.`;
