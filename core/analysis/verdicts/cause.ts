/**
 * Why a copy and a kernel did not run together. Of the two, `first` ran first and `second` second; the question is what
 * kept `second` from starting while `first` ran. A cause is named only when the trace bears it out:
 *
 * 1. The host issued `second` when `first` was over or nearly so. What held the thread until then is the cause: the copy's own call (pageable memory), a synchronise, host work, or only the cost of the calls.
 * 2. It was issued in time, and the streams order the two: same stream, legacy default stream, event.
 * 3. It was issued in time, nothing orders the two, and it waited for something else: its copy engine, other work of
 *    its stream, staging, the multiprocessors.
 * 4. Nothing of this: the first was over sooner than the calls took (too small), the second ran as soon as it was
 *    issued (issued late after all), or the trace doesn't say.
 *
 * The host comes before the device: work that hasn't been issued can't overlap whatever its stream is. Only where the
 * host was merely slow, and still issued the second before the first was over, an order between the two comes first.
 * What else would still prevent the overlap is listed in `also`.
 */
import type { RuleId } from '../../rules/rules.ts';
import { holdsHost, isBlockingMemcpy } from '../host-time.ts';
import { type Activity, activity } from '../iteration.ts';
import { overlapThreshold, type Partner } from './partner.ts';
import { commonNs, durationOf, rowsWithin, type Scene } from './scene.ts';
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
  /** The event wait orders the two only together with the legacy default stream. */
  readonly throughLegacy?: boolean;
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
const issuedAt = (one: Activity, call: Activity): number =>
  waitsForCopy(one, call) ? call.startNs : Math.min(call.endNs, one.startNs);

const waitsForCopy = (one: Activity, call: Activity): boolean =>
  one.kind === 'copy' && (holdsHost(one) || isBlockingMemcpy(call.name));

export function findCause(scene: Scene, pair: Pair): Finding {
  const ordered = orderCauses(scene, pair);
  const late = issuedLate(scene, pair);
  const hostFirst = late !== null && (isPageable(late) || (pair.issuedNs ?? 0) >= pair.first.endNs);
  const known = hostFirst ? late : (ordered[0] ?? late);
  const found = known ?? waited(scene, pair) ?? promptly(scene, pair) ?? unexplained;
  const also = [
    ...ordered.map(({ cause }) => cause),
    ...(late === null ? [] : [late.cause]),
    ...synchronised(scene, pair),
  ];
  return { ...found, also: unique(also).filter((cause) => cause !== found.cause) };
}

type Found = Omit<Finding, 'also'>;
const bare = (cause: Cause, rule: RuleId | null, blocker: Blocker | null = null): Found => ({
  cause,
  rule,
  blocker,
  holder: null,
});
const isPageable = ({ cause }: Found): boolean => cause === 'pageable-source' || cause === 'pageable-destination';
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
  const byEvents = scene.byEvents.before(a, b);
  // Or the two rules only together: an event orders one of them with work that the legacy default stream ties in.
  if (byEvents || (causes.length === 0 && scene.byBoth.before(a, b))) {
    causes.push({ ...bare('event-dependency', 'event-order', waitBetween(scene, a, b)), throughLegacy: !byEvents });
  }
  return causes;
}

/** The event wait that first carries the order from `a` towards `b`. */
function waitBetween(scene: Scene, a: number, b: number): Blocker | null {
  for (let position = a + 1; position < b; position += 1) {
    const one = scene.issue.issued[position];
    if (one?.code !== 'waitEvent') continue;
    if (scene.byBoth.before(a, position) && scene.byBoth.before(position, b)) return { op: one.op, activity: null };
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
  const ahead = aheadOf(scene, pair);
  if (ahead !== null) return ahead;
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

/**
 * What the second had to wait for by its streams' order: work that ended too late for it to start in time, or that it
 * waited for during most of the time since it was issued.
 */
function aheadOf(scene: Scene, { first, second, issuedNs, deadlineNs }: Pair): Found | null {
  const position = scene.issue.positionOf.get(second.row);
  if (position === undefined) return null;
  const waitedNs = issuedNs === null ? 0 : second.startNs - issuedNs;
  const since = Math.min(deadlineNs, issuedNs === null ? deadlineNs : issuedNs + waitedNs / 2);
  let last: Activity | null = null;
  for (const ahead of scene.byBoth.frontier(position)) {
    const row = lastWork(scene, ahead);
    if (row === null || row.row === first.row || row.endNs <= since || row.endNs > second.startNs) continue;
    if (last === null || row.endNs > last.endNs) last = row;
  }
  if (last === null) return null;
  const at = scene.issue.positionOf.get(last.row) ?? -1;
  const byLegacy = last.lane !== second.lane && scene.byLegacy.before(at, position);
  const rule = last.lane === second.lane ? 'stream-order' : byLegacy ? 'legacy-default-stream' : 'event-order';
  return bare('queued-behind', rule, blockedBy(last));
}

/** The copy or kernel at this position, or else the last one before it in its stream. */
function lastWork(scene: Scene, position: number): Activity | null {
  for (let at = position; at >= 0; at = scene.byBoth.previous(at)) {
    const one = scene.issue.issued[at];
    if (one === undefined) return null;
    if (one.row >= 0 && (one.code === 'copy' || one.code === 'kernel')) return activity(scene.iteration.trace, one.row);
  }
  return null;
}

/** A copy known to have run where kernels run. */
const usesNoCopyEngine = (copy: Activity): boolean => copy.channelType === 'compute' || copy.engineKind === 'compute';

// 4. The rest

function promptly(scene: Scene, pair: Pair): Found | null {
  const { copy, kernel, second, secondCall, issuedNs } = pair;
  if (secondCall === null || issuedNs === null) return null;
  if (isOverBeforeNextCall(pair)) return bare('too-small', 'launch-cost');
  const shorter = Math.min(durationOf(copy), durationOf(kernel));
  // It ran as soon as it was issued, so the time of its issue decided.
  const atOnce = second.startNs - issuedNs <= overlapThreshold * shorter;
  return atOnce ? heldBetween(scene, pair, secondCall.lane, issuedNs) : null;
}
