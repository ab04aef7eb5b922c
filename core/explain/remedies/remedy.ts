/** A remedy: a change, and the prediction from simulating it. */

import type { Patch } from '../../experiment/change.ts';
import { intervalText } from '../../machine/cost/interval.ts';
import type { Interval } from '../../trace/run.ts';
import { formatDuration } from '../../units.ts';
import type { Cause, Verdict } from '../verdicts/verdict.ts';

export interface RemedyOutlook {
  readonly makespanNs: number;
  /** Time in which copy and kernel overlap, divided by the shorter of the two, as in the verdict. */
  readonly share: number;
  /** Null if the verdict disappeared, for example for a kernel that no longer waits. */
  readonly cause: Cause | null;
}

/** Returns whether there is a cause to remove: copy and kernel didn't overlap, or shared the link while they did. */
export const isTested = ({ op, cause, rule }: Verdict): boolean =>
  op >= 0 && cause !== 'race' && cause !== 'nothing-to-overlap' && (cause !== 'overlapped' || rule === 'mapped-memory');

/** A trial that removed one more cause without a gain. */
export interface Trial {
  readonly cause: Cause;
  /** How the cause was removed, in sentences. */
  readonly steps: readonly string[];
  readonly after: RemedyOutlook;
  /** Title of the verdict after the change; null if it disappeared. */
  readonly title: string | null;
}

export interface Remedy {
  readonly op: number;
  readonly cause: Cause;
  /** Removed causes, the verdict's own first. */
  readonly causes: readonly Cause[];
  /** A sentence for each change. */
  readonly steps: readonly string[];
  readonly patches: readonly Patch[];
  /** Other operations that lose the same cause. */
  readonly alsoRemoves: readonly number[];
  /** Null without a change. */
  readonly before: RemedyOutlook;
  readonly after: RemedyOutlook | null;
  /** Makespan before minus after. */
  readonly gainNs: number;
  /** Gain on nine of ten machines. Null without a change, or if the profile has only published figures. */
  readonly gainInterval: Interval | null;
  /** gainNs divided by the makespan before. */
  readonly gainShare: number;
  /** Whether it then overlaps, or the makespan is shorter. Null if untried. */
  readonly isConfirmed: boolean | null;
  /** If `isConfirmed` is false; each includes earlier ones. */
  readonly tried: readonly Trial[];
}

/** Returns the interval of the gain, such as '2.1 to 4.4 ms (90 %)', or null if there is none. */
export function gainIntervalText({ gainNs, gainInterval }: Remedy): string | null {
  if (gainInterval === null || gainNs <= 0) return null;
  const none = gainInterval.lowNs <= 0 ? '; it includes zero, so it may gain nothing' : '';
  return `${intervalText(gainInterval)}${none}`;
}

/** Describes the result of a trial. */
export function trialOutcome({ after, title }: Trial, before: RemedyOutlook): string {
  const makespans = `predicted makespan ${formatDuration(before.makespanNs)} → ${formatDuration(after.makespanNs)}`;
  if (after.cause === 'overlapped') return `The two then overlap, but the program gains nothing: ${makespans}.`;
  return title === null
    ? `The program gains nothing: ${makespans}.`
    : `The two still don't overlap: ${title}; ${makespans}.`;
}
