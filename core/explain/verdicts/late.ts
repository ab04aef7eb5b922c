/** Finds out whether the host issued the second of a pair too late, and what held it. */

import type { RuleId } from '../../rules/rules.ts';
import { type Activity, activity } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { holdsHost, isBlockingMemcpy } from '../figures/hostTime.ts';
import { bare, blockedBy, type Found, type Obstacle, pageable } from './finding.ts';
import { type Pair, shorterNs, waitsForCopy } from './pair.ts';
import { overlapThreshold } from './partner.ts';
import { durationOf, type Scene } from './scene.ts';
import type { Cause } from './verdict.ts';

/** Returns null if it was issued in time, or the time of issue is unknown. */
export function issuedLate(scene: Scene, pair: Pair): Found | null {
  const { copy, first, secondCall, issuedNs, deadlineNs } = pair;
  if (secondCall === null || issuedNs === null) {
    // Without recorded calls only the rule can decide, as long as the trace agrees with it.
    const held = first === copy && holdsHost(copy) && !scene.hasThreads;
    return held ? pageable(copy, null) : null;
  }
  return issuedNs < deadlineNs ? null : heldBetween(scene, pair, secondCall.lane, issuedNs);
}

/** Returns what kept the second's thread from issuing it earlier. */
function heldBetween(scene: Scene, pair: Pair, thread: number, issuedNs: number): Found {
  const { count, longest, timeNs, windowNs } = hostBetween(scene, pair, thread, issuedNs);
  if (longest !== null && longest.timeNs >= windowNs / 2) {
    return heldIn(scene, pair, activity(scene.iteration.trace, longest.row));
  }
  if (longest !== null && timeNs >= windowNs / 2 && scene.queues.wasFull(longest.row)) {
    return { ...queueFull(activity(scene.iteration.trace, longest.row)), callsBetween: count };
  }
  if (isOverBeforeNextCall(scene, pair)) return bare('too-small', 'launch-cost');
  // No single row explains it: either all rows together do, or the host did something that wasn't recorded.
  return timeNs >= windowNs / 2
    ? { ...bare('issued-too-late', 'launch-cost'), callsBetween: count }
    : bare('issued-too-late', 'issue-before-run');
}

/** Returns what the second's thread did between issuing the first and the second. */
function hostBetween(scene: Scene, { first, firstCall }: Pair, thread: number, issuedNs: number) {
  const window = { startNs: Math.min(first.startNs, firstCall?.startNs ?? first.startNs), endNs: issuedNs };
  return { ...scene.thread(thread).within(window), windowNs: issuedNs - window.startNs };
}

function heldIn(scene: Scene, pair: Pair, holder: Activity): Found {
  const { copy } = pair;
  const late = (rule: RuleId, obstacle: Obstacle | null = null): Found => ({
    cause: 'issued-too-late',
    rule,
    holder,
    obstacle,
  });
  if (holder.kind === 'host-sync') return late(holder.op === copy.op ? 'blocking-to' : 'synchronize-holds-host');
  if (holder.kind !== 'host-call') return late('issue-before-run');
  if (waitedUnderLaunchBlocking(scene, holder)) return { ...bare('launch-blocking', 'launch-blocking'), holder };
  if (scene.queues.wasFull(holder.row)) return queueFull(holder);
  if (isAllocation(holder.name) && waitedForDevice(pair, holder)) {
    return { ...bare('allocation-synchronises', 'allocation-waits'), holder };
  }
  const held = scene.copyOfCall.get(holder.row);
  const own = held?.row === copy.row;
  if (held !== undefined && holdsHost(held)) {
    if (own) return pageable(copy, holder);
    const rule = held.dst === 'pageable' ? 'pageable-destination-holds-host' : 'pageable-copy-holds-host';
    return late(held.direction === 'h2h' ? 'host-to-host-copy' : rule, blockedBy(held));
  }
  if (isBlockingMemcpy(holder.name)) return late('blocking-memcpy', held === undefined || own ? null : blockedBy(held));
  return isOverBeforeNextCall(scene, pair)
    ? { ...bare('too-small', 'launch-cost'), holder }
    : late(durationOf(holder) <= maxIssueNs ? 'launch-cost' : 'issue-before-run');
}

const queueFull = (holder: Activity): Found => ({ ...bare('launch-queue-full', 'launch-queue'), holder });

/** Returns whether the call returned when its own work was over, as every call does under CUDA_LAUNCH_BLOCKING. */
function waitedUnderLaunchBlocking({ facts, calls, iteration }: Scene, holder: Activity): boolean {
  if (facts.program?.launchBlocking !== true) return false;
  const own = calls.activityOf(holder.row);
  return own !== undefined && rowEndNs(iteration.trace, own) <= holder.endNs;
}

/** Returns whether the call waits for the device before it allocates or frees. */
const isAllocation = (call: string): boolean =>
  /^cuda(Malloc|Free|HostAlloc|MallocHost|FreeHost|HostRegister|HostUnregister)$/.test(call);

/** Returns whether the first ended during the call, so that the call may have waited for it. */
const waitedForDevice = ({ first }: Pair, holder: Activity): boolean =>
  first.endNs > holder.startNs && first.endNs <= holder.endNs;

/** A call that takes longer did more than issue: the slowest on an H200, a first launch, took 26 µs. */
const maxIssueNs = 50_000;

/**
 * Returns whether the first is shorter than issuing both. Calls that wait for a copy count 0: their cost is unknown.
 */
function isOverBeforeNextCall(scene: Scene, { first, second, firstCall, secondCall }: Pair): boolean {
  const cost = (one: Activity, call: Activity | null): number =>
    call === null || waitsForCopy(one, call) || issuesTensors(scene, call) ? 0 : Math.min(maxIssueNs, durationOf(call));
  return durationOf(first) <= cost(first, firstCall) + cost(second, secondCall);
}

/** Returns whether this is the single call of a multi-tensor copy, which packs, issues and waits for all its copies. */
const issuesTensors = ({ facts }: Scene, call: Activity): boolean =>
  facts.operation(call.op)?.op === 'multiCopy' && !call.name.startsWith('cuda');

/** Finds a synchronise between the two calls that waits for the first. It would always block the host. */
export function synchronised(scene: Scene, { first, second }: Pair): Cause[] {
  const { issued, positionOf } = scene.issue;
  const [from, to] = [positionOf(first.row), positionOf(second.row)];
  if (from === undefined || to === undefined) return [];
  const waited = scene.byAll.firstSynchronised(from, issued.at(to)?.thread ?? -1);
  return waited !== null && waited < to ? ['issued-too-late'] : [];
}

/** Limit of the time from issue to start if nothing delays the work: up to 3.7 µs behind a copy on H200 machines. */
export const mostStartNs = 4000;

/** Returns the cause if nothing else delayed the second: too small, or issued too late although it ran at once. */
export function promptly(scene: Scene, pair: Pair): Found | null {
  const { second, secondCall, issuedNs } = pair;
  if (secondCall === null || issuedNs === null) return null;
  if (isOverBeforeNextCall(scene, pair)) return bare('too-small', 'launch-cost');
  // It ran as soon as it was issued, so the time of issue decided.
  const atOnce = second.startNs - issuedNs <= Math.max(mostStartNs, overlapThreshold * shorterNs(pair));
  return atOnce ? heldBetween(scene, pair, secondCall.lane, issuedNs) : null;
}
