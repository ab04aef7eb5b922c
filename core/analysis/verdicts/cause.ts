/**
 * Why a copy and a kernel did not run together. Of the two, `first` ran first and `second` second; the question is what
 * kept `second` from starting while `first` ran. A cause is named only when the trace bears it out:
 *
 * 1. The host issued `second` when `first` was over or nearly so. What held the thread until then is the cause: the copy's own call (pageable memory), a synchronise, host work, or only the cost of the calls.
 * 2. It was issued in time, and the streams order the two: same stream, legacy default stream, event.
 * 3. It was issued in time, nothing orders the two, and it waited for something else: its copy engine, other work of
 *    its stream, staging, the multiprocessors.
 * 4. Nothing of this: the first was over sooner than the calls took (too small), or the trace doesn't say.
 *
 * The host comes before the device: work that hasn't been issued can't overlap whatever its stream is. What the streams
 * would still prevent is listed in `also`.
 */
import type { RuleId } from '../../rules/rules.ts';
import { holdsHost, isBlockingMemcpy } from '../host-time.ts';
import type { Activity } from '../iteration.ts';
import { overlapThreshold, type Partner } from './partner.ts';
import { commonNs, durationOf, firstStartingFrom, rowsWithin, type Scene } from './scene.ts';
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
}

/** An activity, or only the number of an operation that left no duration in the trace, such as an event wait. */
export type Blocker = { readonly op: number; readonly activity: Activity | null };

export interface Pair {
  readonly copy: Activity;
  readonly kernel: Activity;
  readonly first: Activity;
  readonly second: Activity;
  readonly firstCall: Activity | null;
  readonly secondCall: Activity | null;
  /** When the device had `second` to run; null where its call wasn't recorded. */
  readonly issuedNs: number | null;
  /** Had `second` started after this, the two couldn't have counted as overlapped. */
  readonly deadlineNs: number;
}

export function makePair(scene: Scene, copy: Activity, { kernel }: Partner): Pair {
  const copyFirst = copy.startNs <= kernel.startNs;
  const [first, second] = copyFirst ? [copy, kernel] : [kernel, copy];
  const shorter = Math.min(durationOf(copy), durationOf(kernel));
  const secondCall = scene.callOf(second);
  return {
    copy,
    kernel,
    first,
    second,
    firstCall: scene.callOf(first),
    secondCall,
    issuedNs: secondCall === null ? null : issuedAt(second, secondCall),
    deadlineNs: first.endNs - overlapThreshold * shorter,
  };
}

/**
 * Work reaches the device as its call returns: on an H200 kernels started within 2 µs of it. A call that waits for its
 * own copy says nothing by its end, so of such a copy the call's start counts.
 */
function issuedAt(one: Activity, call: Activity): number {
  const waits = one.kind === 'copy' && (holdsHost(one) || isBlockingMemcpy(call.name));
  return waits ? call.startNs : Math.min(call.endNs, one.startNs);
}

export function findCause(scene: Scene, pair: Pair): Finding {
  const ordered = orderCauses(scene, pair);
  const found = issuedLate(scene, pair) ?? ordered[0] ?? waited(scene, pair) ?? latency(pair) ?? unexplained;
  const also = [...ordered.map(({ cause }) => cause), ...synchronised(scene, pair)];
  return { ...found, also: unique(also).filter((cause) => cause !== found.cause) };
}

type Found = Omit<Finding, 'also'>;
const bare = (cause: Cause, rule: RuleId | null, blocker: Blocker | null = null): Found => ({
  cause,
  rule,
  blocker,
  holder: null,
});
const unexplained = bare('unexplained', null);
const unique = <Item>(items: readonly Item[]): Item[] => [...new Set(items)];
const blockedBy = (activity: Activity): Blocker => ({ op: activity.op, activity });

// 1. Issued late

function issuedLate(scene: Scene, pair: Pair): Found | null {
  const { copy, first, secondCall, issuedNs, deadlineNs } = pair;
  if (secondCall === null || issuedNs === null) {
    // Without recorded calls the rule alone speaks, and only as long as the trace agrees with it.
    const held = first === copy && holdsHost(copy) && scene.threadRows.size === 0;
    return held ? pageable(copy, null) : null;
  }
  if (issuedNs < deadlineNs) return null;
  const { rows, longest, heldNs, windowNs } = hostBetween(scene, pair, secondCall.lane, issuedNs);
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
  if (holder.row === scene.callOf(copy)?.row) {
    if (holdsHost(copy)) return pageable(copy, holder);
    if (isBlockingMemcpy(holder.name)) return late('blocking-memcpy');
  }
  const held = scene.copyOfCall.get(holder.row);
  if (held !== undefined && held.row !== copy.row && holdsHost(held)) {
    return late(
      held.dst === 'pageable' ? 'pageable-destination-holds-host' : 'pageable-copy-holds-host',
      blockedBy(held),
    );
  }
  return isOverBeforeNextCall(pair) ? { ...bare('too-small', 'launch-cost'), holder } : late('issue-before-run');
}

/** The first one is over sooner than the two calls together take. */
function isOverBeforeNextCall({ first, firstCall, secondCall }: Pair): boolean {
  const calls = (firstCall === null ? 0 : durationOf(firstCall)) + (secondCall === null ? 0 : durationOf(secondCall));
  return durationOf(first) <= calls;
}

function pageable(copy: Activity, holder: Activity | null): Found {
  if (copy.direction === 'h2h') return { ...bare('not-a-copy-engine-copy', 'host-to-host-copy'), holder };
  return copy.src === 'pageable'
    ? { ...bare('pageable-source', 'pageable-copy-holds-host'), holder }
    : { ...bare('pageable-destination', 'pageable-destination-holds-host'), holder };
}

/** A synchronise between the two calls that waits for the first: it would hold the host whatever else is changed. */
function synchronised(scene: Scene, { first, second }: Pair): Cause[] {
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

// 2. Ordered

/** Every order that by itself makes the second wait for the first, strongest first. */
function orderCauses(scene: Scene, { first, second }: Pair): Found[] {
  if (first.lane === second.lane) return [bare('same-stream', 'stream-order')];
  const [a, b] = [scene.issue.positionOf.get(first.row), scene.issue.positionOf.get(second.row)];
  if (a === undefined || b === undefined) return [];
  const causes: Found[] = [];
  if (scene.byLegacy.before(a, b)) {
    causes.push(bare('legacy-default-stream', 'legacy-default-stream', legacyBetween(scene, a, b)));
  }
  if (scene.byEvents.before(a, b)) causes.push(bare('event-dependency', 'event-order', waitBetween(scene, a, b)));
  // Only the two together order them: either change would do, and the legacy default stream is the less obvious one.
  if (causes.length === 0 && scene.byBoth.before(a, b)) {
    causes.push(bare('legacy-default-stream', 'legacy-default-stream', legacyBetween(scene, a, b)));
  }
  return causes;
}

/** The event wait that first carries the order from `a` towards `b`. */
function waitBetween(scene: Scene, a: number, b: number): Blocker | null {
  for (let position = a + 1; position < b; position += 1) {
    const one = scene.issue.issued[position];
    if (one?.code !== 'waitEvent') continue;
    if (scene.byEvents.before(a, position) && scene.byEvents.before(position, b)) return { op: one.op, activity: null };
  }
  return null;
}

/** Work in the legacy default stream that stands between two blocking streams; null where one of the two is that work. */
function legacyBetween(scene: Scene, a: number, b: number): Blocker | null {
  const { issued } = scene.issue;
  const streams = scene.facts.program?.streams ?? [];
  const isLegacy = (position: number): boolean => streams[issued[position]?.stream ?? -1]?.kind === 'legacy-default';
  if (isLegacy(a) || isLegacy(b)) return null;
  for (let position = a + 1; position < b; position += 1) {
    if (!isLegacy(position)) continue;
    if (scene.byBoth.before(a, position) && scene.byBoth.before(position, b)) {
      return { op: issued[position]?.op ?? -1, activity: null };
    }
  }
  return null;
}

// 3. Waited for something else

function waited(scene: Scene, pair: Pair): Found | null {
  const { copy, second, secondCall } = pair;
  if (second === copy) {
    const busy = engineHolder(scene, pair);
    if (busy !== null) return bare('engine-busy', 'one-engine-per-direction', blockedBy(busy));
  }
  const ahead = aheadInStream(scene, pair);
  if (ahead !== null) return bare('queued-behind', 'stream-order', blockedBy(ahead));
  // Its call had begun in time, and the driver was staging until the copy itself could start.
  const staging = secondCall !== null && secondCall.startNs < second.startNs && second.startNs <= secondCall.endNs;
  if (second === copy && holdsHost(copy) && staging) return pageable(copy, secondCall);
  return usesNoCopyEngine(copy) ? bare('not-a-copy-engine-copy', 'copy-without-engine') : null;
}

/** The copy that used the engine longest, where others used it for most of the time in which this one had to start. */
function engineHolder(scene: Scene, { copy, first, issuedNs, deadlineNs }: Pair): Activity | null {
  const window = { startNs: Math.max(first.startNs, issuedNs ?? first.startNs), endNs: deadlineNs };
  const rows = scene.engineRows.get(copy.engine) ?? [];
  let busyNs = 0;
  let longest: Activity | null = null;
  for (const other of rowsWithin(rows, window)) {
    busyNs += commonNs(other, window);
    if (longest === null || commonNs(other, window) > commonNs(longest, window)) longest = other;
  }
  return busyNs >= (window.endNs - window.startNs) / 2 ? longest : null;
}

/** Work right before the second in its own stream, which ended too late for the second to start in time. */
function aheadInStream(scene: Scene, { first, second, deadlineNs }: Pair): Activity | null {
  const rows = scene.streamRows.get(second.lane) ?? [];
  const last = rows[firstStartingFrom(rows, second.startNs) - 1];
  if (last === undefined || last.row === first.row) return null;
  return last.endNs > deadlineNs && last.endNs <= second.startNs ? last : null;
}

/** A copy known to have run where kernels run. */
const usesNoCopyEngine = (copy: Activity): boolean => copy.channelType === 'compute' || copy.engineKind === 'compute';

// 4. The rest

function latency(pair: Pair): Found | null {
  if (pair.issuedNs === null) return null;
  if (isOverBeforeNextCall(pair)) return bare('too-small', 'launch-cost');
  // Nothing kept it back and it started while the first still ran: it only came a little too late.
  return pair.second.startNs < pair.first.endNs ? bare('issued-too-late', 'issue-before-run') : null;
}
