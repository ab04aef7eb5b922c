/** What was found of a pair: the cause, and what it rests on. */
import type { RuleId } from '../rules/rules.ts';
import type { Activity } from '../trace/iteration.ts';
import type { Cause } from './verdict.ts';

export interface Finding {
  readonly cause: Cause;
  readonly rule: RuleId | null;
  readonly also: readonly Cause[];
  /** Host row that held the thread which issued `second`; null where that isn't the cause. */
  readonly holder: Activity | null;
  /** Another operation that stood in the way. */
  readonly blocker: Blocker | null;
  /** Rows of the host thread in between, where all of them together were what held it. */
  readonly callsBetween?: number;
  /** The order holds only together with that of another rule. */
  readonly through?: RuleId;
  /** Operation that stands behind the event wait as well, and shares data with the first. */
  readonly neededBy?: number | null;
  /** An event wait was issued between the two, and the trace doesn't tell for which event. */
  readonly untoldEvent?: boolean;
}

/** An activity, or only the number of an operation that left no duration in the trace, such as an event wait. */
export interface Blocker {
  readonly op: number;
  readonly activity: Activity | null;
}

/** A finding before it is known what else stands in the way. */
export type Found = Omit<Finding, 'also'>;

export const bare = (cause: Cause, rule: RuleId | null, blocker: Blocker | null = null): Found => ({
  cause,
  rule,
  blocker,
  holder: null,
});

export const blockedBy = (activity: Activity): Blocker => ({ op: activity.op, activity });

/** The copy's own call, `holder` where it was recorded, held the host because of its memory. */
export function pageable(copy: Activity, holder: Activity | null): Found {
  if (copy.direction === 'h2h') return { ...bare('not-a-copy-engine-copy', 'host-to-host-copy'), holder };
  return copy.src === 'pageable'
    ? { ...bare('pageable-source', 'pageable-copy-holds-host'), holder }
    : { ...bare('pageable-destination', 'pageable-destination-holds-host'), holder };
}
