/** What a remedy says: the change, and what simulating it predicts. */

import { type Interval, intervalText } from '../cost/interval.ts';
import type { Patch } from '../experiment/change.ts';
import { formatDuration } from '../units.ts';
import type { Cause, Verdict } from '../verdicts/verdict.ts';

export interface RemedyOutlook {
  readonly makespanNs: number;
  /** Time that the copy and its kernel have in common over the shorter of the two, as in the verdict. */
  readonly share: number;
  /** Null where there is no verdict any more, as for a kernel that need not wait. */
  readonly cause: Cause | null;
}

/** Whether something is there to take away: what kept the two apart, or shared the link with a copy that overlapped. */
export const isTested = ({ op, cause, rule }: Verdict): boolean =>
  op >= 0 && cause !== 'nothing-to-overlap' && (cause !== 'overlapped' || rule === 'mapped-memory');

/** One cause taken away, which alone helped nothing. */
export interface Trial {
  readonly cause: Cause;
  /** How it was taken away, in sentences. */
  readonly steps: readonly string[];
  readonly after: RemedyOutlook;
  /** The title of the verdict then; null where there is none any more. */
  readonly title: string | null;
}

export interface Remedy {
  /** The copy that the verdict is about, and its cause. */
  readonly op: number;
  readonly cause: Cause;
  /** Causes that had to go one after another, the verdict's own first. */
  readonly causes: readonly Cause[];
  /** One sentence for each thing that is changed, with what keeps the data right. Empty where no simple change is known. */
  readonly steps: readonly string[];
  readonly patches: readonly Patch[];
  /** Both simulated with one profile. `after` is null without a change. */
  readonly before: RemedyOutlook;
  readonly after: RemedyOutlook | null;
  /** before - after of the makespan; 0 without a change. */
  readonly gainNs: number;
  /** Nine machines in ten gain so much. Null without a change, and where the profile has published figures alone. */
  readonly gainInterval: Interval | null;
  /** gainNs over the makespan before. */
  readonly gainShare: number;
  /**
   * Whether the change does what the verdict says: the copy overlaps, or all is over sooner. False: the verdict is not
   * to be shown as the cause. Null where there was nothing to try.
   */
  readonly borneOut: boolean | null;
  /** Where it is false: what was taken away in turn, each beside those before it. */
  readonly tried: readonly Trial[];
}

/** How sure its gain is, in words: '2.1 to 4.4 ms (90 %)'; null where there is none to tell. */
export function gainIntervalText({ gainNs, gainInterval }: Remedy): string | null {
  if (gainInterval === null || gainNs <= 0) return null;
  const none = gainInterval.lowNs <= 0 ? '; that reaches zero, so it may gain nothing' : '';
  return `${intervalText(gainInterval)}${none}`;
}

/** What became of it, in words. */
export function trialOutcome({ after, title }: Trial, before: RemedyOutlook): string {
  const makespans = `predicted makespan ${formatDuration(before.makespanNs)} → ${formatDuration(after.makespanNs)}`;
  if (after.cause === 'overlapped') return `The two then overlap, but the program gains nothing: ${makespans}.`;
  return title === null
    ? `The program gains nothing: ${makespans}.`
    : `The two still don't overlap: ${title}; ${makespans}.`;
}
