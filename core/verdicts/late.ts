/** Whether the host issued the second of a pair too late, and what it was held in. */

import { holdsHost, isBlockingMemcpy } from '../figures/hostTime.ts';
import type { RuleId } from '../rules/rules.ts';
import { type Activity, activity } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import { type Blocker, bare, blockedBy, type Found, pageable } from './finding.ts';
import { type Pair, shorterNs, waitsForCopy } from './pair.ts';
import { overlapThreshold } from './partner.ts';
import { durationOf, type Scene } from './scene.ts';
import type { Cause } from './verdict.ts';

/** Null where it was issued in time, or that isn't known. */
export function issuedLate(scene: Scene, pair: Pair): Found | null {
  const { copy, first, secondCall, issuedNs, deadlineNs } = pair;
  if (secondCall === null || issuedNs === null) {
    // Without recorded calls the rule alone speaks, and only as long as the trace agrees with it.
    const held = first === copy && holdsHost(copy) && !scene.hasThreads;
    return held ? pageable(copy, null) : null;
  }
  return issuedNs < deadlineNs ? null : heldBetween(scene, pair, secondCall.lane, issuedNs);
}

/** What kept the second's thread from issuing it earlier. */
function heldBetween(scene: Scene, pair: Pair, thread: number, issuedNs: number): Found {
  const { count, longest, timeNs, windowNs } = hostBetween(scene, pair, thread, issuedNs);
  if (longest !== null && longest.timeNs >= windowNs / 2) {
    return heldIn(scene, pair, activity(scene.iteration.trace, longest.row));
  }
  if (longest !== null && timeNs >= windowNs / 2 && scene.queues.wasFull(longest.row)) {
    return { ...queueFull(activity(scene.iteration.trace, longest.row)), callsBetween: count };
  }
  if (isOverBeforeNextCall(scene, pair)) return bare('too-small', 'launch-cost');
  // No row by itself: either all of them together, or the host did something that wasn't recorded.
  return timeNs >= windowNs / 2
    ? { ...bare('issued-too-late', 'launch-cost'), callsBetween: count }
    : bare('issued-too-late', 'issue-before-run');
}

/** What the second's thread did from the first's issue to the second's. */
function hostBetween(scene: Scene, { first, firstCall }: Pair, thread: number, issuedNs: number) {
  const window = { startNs: Math.min(first.startNs, firstCall?.startNs ?? first.startNs), endNs: issuedNs };
  return { ...scene.thread(thread).within(window), windowNs: issuedNs - window.startNs };
}

function heldIn(scene: Scene, pair: Pair, holder: Activity): Found {
  const { copy } = pair;
  const late = (rule: RuleId, blocker: Blocker | null = null): Found => ({
    cause: 'issued-too-late',
    rule,
    holder,
    blocker,
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

/** The call returned when its own work was over, as every such call does then. */
function waitedUnderLaunchBlocking({ facts, calls, iteration }: Scene, holder: Activity): boolean {
  if (facts.program?.launchBlocking !== true) return false;
  const own = calls.activityOf(holder.row);
  return own !== undefined && rowEndNs(iteration.trace, own) <= holder.endNs;
}

/** Calls that wait for the device before they do what they are for. */
const isAllocation = (call: string): boolean =>
  /^cuda(Malloc|Free|HostAlloc|MallocHost|FreeHost|HostRegister|HostUnregister)$/.test(call);

/** The work that came first was over while the call went on, so that the call can have waited for it. */
const waitedForDevice = ({ first }: Pair, holder: Activity): boolean =>
  first.endNs > holder.startNs && first.endNs <= holder.endNs;

/** A call that takes longer did more than issue: on an H200 the slowest of them, a first launch, took 26 µs. */
const maxIssueNs = 50_000;

/** The first one is over sooner than issuing both takes. Of calls that wait for a copy the cost of issuing isn't known. */
function isOverBeforeNextCall(scene: Scene, { first, second, firstCall, secondCall }: Pair): boolean {
  const cost = (one: Activity, call: Activity | null): number =>
    call === null || waitsForCopy(one, call) || issuesTensors(scene, call) ? 0 : Math.min(maxIssueNs, durationOf(call));
  return durationOf(first) <= cost(first, firstCall) + cost(second, secondCall);
}

/** A multi-tensor copy as one call: it packs, issues and waits for all of its copies. */
const issuesTensors = ({ facts }: Scene, call: Activity): boolean =>
  facts.operation(call.op)?.op === 'multiCopy' && !call.name.startsWith('cuda');

/** A synchronise between the two calls that waits for the first: it would hold the host whatever else is changed. */
export function synchronised(scene: Scene, { first, second }: Pair): Cause[] {
  const { issued, positionOf } = scene.issue;
  const [from, to] = [positionOf(first.row), positionOf(second.row)];
  if (from === undefined || to === undefined) return [];
  const waited = scene.byAll.firstSynchronised(from, issued.at(to)?.thread ?? -1);
  return waited !== null && waited < to ? ['issued-too-late'] : [];
}

/** What nothing keeps back begins so long after its issue at the most: on H200 machines it took up to 3.7 µs behind a copy. */
const mostStartNs = 4000;

/** Of a second that nothing else kept back: too small, or run as soon as it was issued, which then was too late. */
export function promptly(scene: Scene, pair: Pair): Found | null {
  const { second, secondCall, issuedNs } = pair;
  if (secondCall === null || issuedNs === null) return null;
  if (isOverBeforeNextCall(scene, pair)) return bare('too-small', 'launch-cost');
  // It ran as soon as it was issued, so the time of its issue decided.
  const atOnce = second.startNs - issuedNs <= Math.max(mostStartNs, overlapThreshold * shorterNs(pair));
  return atOnce ? heldBetween(scene, pair, secondCall.lane, issuedNs) : null;
}
