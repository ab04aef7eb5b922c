/** Whether the host issued the second of a pair too late, and what it was held in. */
import type { RuleId } from '../../rules/rules.ts';
import { holdsHost, isBlockingMemcpy } from '../host-time.ts';
import type { Activity } from '../iteration.ts';
import { type Blocker, bare, blockedBy, type Found, pageable } from './finding.ts';
import { type Pair, shorterNs, waitsForCopy } from './pair.ts';
import { overlapThreshold } from './partner.ts';
import { commonNs, durationOf, rowsWithin, type Scene } from './scene.ts';
import type { Cause } from './verdict.ts';

/** Null where it was issued in time, or that isn't known. */
export function issuedLate(scene: Scene, pair: Pair): Found | null {
  const { copy, first, secondCall, issuedNs, deadlineNs } = pair;
  if (secondCall === null || issuedNs === null) {
    // Without recorded calls the rule alone speaks, and only as long as the trace agrees with it.
    const held = first === copy && holdsHost(copy) && scene.threadRows.size === 0;
    return held ? pageable(copy, null) : null;
  }
  return issuedNs < deadlineNs ? null : heldBetween(scene, pair, secondCall.lane, issuedNs);
}

/** What kept the second's thread from issuing it earlier. */
function heldBetween(scene: Scene, pair: Pair, thread: number, issuedNs: number): Found {
  const { rows, longest, heldNs, windowNs } = hostBetween(scene, pair, thread, issuedNs);
  if (longest !== null && longest.heldNs >= windowNs / 2) return heldIn(scene, pair, longest.row);
  if (isOverBeforeNextCall(pair)) return bare('too-small', 'launch-cost');
  // No row by itself: either all of them together, or the host did something that wasn't recorded.
  return heldNs >= windowNs / 2
    ? { ...bare('issued-too-late', 'launch-cost'), callsBetween: rows }
    : bare('issued-too-late', 'issue-before-run');
}

interface HostBetween {
  readonly windowNs: number;
  /** Rows of the thread in the window, and their time in it. */
  readonly rows: number;
  readonly heldNs: number;
  readonly longest: { readonly row: Activity; readonly heldNs: number } | null;
}

/** What the second's thread did from the first's issue to the second's. */
function hostBetween(scene: Scene, { first, firstCall }: Pair, thread: number, issuedNs: number): HostBetween {
  const window = { startNs: Math.min(first.startNs, firstCall?.startNs ?? first.startNs), endNs: issuedNs };
  let longest: HostBetween['longest'] = null;
  let [rows, heldNs] = [0, 0];
  for (const row of rowsWithin(scene.threadRows.get(thread) ?? [], window)) {
    const held = commonNs(row, window);
    rows += 1;
    heldNs += held;
    if (longest === null || held > longest.heldNs) longest = { row, heldNs: held };
  }
  return { windowNs: issuedNs - window.startNs, rows, heldNs, longest };
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
  const held = scene.copyOfCall.get(holder.row);
  const own = held?.row === copy.row;
  if (held !== undefined && holdsHost(held)) {
    if (own) return pageable(copy, holder);
    const rule = held.dst === 'pageable' ? 'pageable-destination-holds-host' : 'pageable-copy-holds-host';
    return late(held.direction === 'h2h' ? 'host-to-host-copy' : rule, blockedBy(held));
  }
  if (isBlockingMemcpy(holder.name)) return late('blocking-memcpy', held === undefined || own ? null : blockedBy(held));
  return isOverBeforeNextCall(pair)
    ? { ...bare('too-small', 'launch-cost'), holder }
    : late(durationOf(holder) <= maxIssueNs ? 'launch-cost' : 'issue-before-run');
}

/** A call that takes longer did more than issue: on an H200 the slowest of them, a first launch, took 26 µs. */
const maxIssueNs = 50_000;

/** The first one is over sooner than issuing both takes. Of calls that wait for a copy the cost of issuing isn't known. */
function isOverBeforeNextCall({ first, second, firstCall, secondCall }: Pair): boolean {
  const cost = (one: Activity, call: Activity | null): number =>
    call === null || waitsForCopy(one, call) ? 0 : Math.min(maxIssueNs, durationOf(call));
  return durationOf(first) <= cost(first, firstCall) + cost(second, secondCall);
}

/** A synchronise between the two calls that waits for the first: it would hold the host whatever else is changed. */
export function synchronised(scene: Scene, { first, second }: Pair): Cause[] {
  const { issued, positionOf } = scene.issue;
  const [from, to] = [positionOf.get(first.row), positionOf.get(second.row)];
  if (from === undefined || to === undefined) return [];
  const thread = issued[to]?.thread;
  for (let position = from + 1; position < to; position += 1) {
    const one = issued[position];
    if (one?.code === 'synchronize' && one.thread === thread && scene.byBoth.before(from, position)) {
      return ['issued-too-late'];
    }
  }
  return [];
}

/** Of a second that nothing else kept back: too small, or run as soon as it was issued, which then was too late. */
export function promptly(scene: Scene, pair: Pair): Found | null {
  const { second, secondCall, issuedNs } = pair;
  if (secondCall === null || issuedNs === null) return null;
  if (isOverBeforeNextCall(pair)) return bare('too-small', 'launch-cost');
  // It ran as soon as it was issued, so the time of its issue decided.
  const atOnce = second.startNs - issuedNs <= overlapThreshold * shorterNs(pair);
  return atOnce ? heldBetween(scene, pair, secondCall.lane, issuedNs) : null;
}
