/** Result of examining a pair: the cause and its evidence. */
import type { RuleId } from '../../rules/rules.ts';
import type { Activity } from '../../trace/iteration.ts';
import type { Cause } from './verdict.ts';

export interface Finding {
  readonly cause: Cause;
  readonly rule: RuleId | null;
  readonly also: readonly Cause[];
  /** Host row that blocked the thread which issued `second`; null if that isn't the cause. */
  readonly holder: Activity | null;
  /** Another operation that caused the wait. */
  readonly obstacle: Obstacle | null;
  /** Number of rows of the host thread in between, if only all of them together explain the delay. */
  readonly callsBetween?: number;
  /** Second rule, if the order follows only from two rules together. */
  readonly through?: RuleId;
  /** Operation after the event wait that shares data with the first, so that it needs the wait. */
  readonly neededBy?: number | null;
  /** Whether an event wait was issued between the two, but the trace doesn't say for which event. */
  readonly unnamedEvent?: boolean;
}

/** An activity, or only an operation number if the operation left no duration in the trace, such as an event wait. */
export interface Obstacle {
  readonly op: number;
  readonly activity: Activity | null;
}

/** A finding before the other causes (`also`) are known. */
export type Found = Omit<Finding, 'also'>;

export const bare = (cause: Cause, rule: RuleId | null, obstacle: Obstacle | null = null): Found => ({
  cause,
  rule,
  obstacle,
  holder: null,
});

export const blockedBy = (activity: Activity): Obstacle => ({ op: activity.op, activity });

/** Returns the finding that pageable memory made the copy's own call block the host. `holder`: the recorded call. */
export function pageable(copy: Activity, holder: Activity | null): Found {
  if (copy.direction === 'h2h') return { ...bare('not-a-copy-engine-copy', 'host-to-host-copy'), holder };
  return copy.src === 'pageable'
    ? { ...bare('pageable-source', 'pageable-copy-holds-host'), holder }
    : { ...bare('pageable-destination', 'pageable-destination-holds-host'), holder };
}
