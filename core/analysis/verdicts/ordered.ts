/** Whether the streams' rules make the second of a pair wait for the first. */
import { rowEndNs } from '../../trace/rows.ts';
import type { Activity } from '../iteration.ts';
import { type Blocker, bare, type Found } from './finding.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';

/** Device clocks tick coarsely: so much before the end of the first the second may start, and still have waited. */
const toleranceNs = 1000;

/** Every order that by itself makes the second wait for the first, strongest first. */
export function orderCauses(scene: Scene, pair: Pair): Found[] {
  const { first, second } = pair;
  // Whatever the rules say: two that ran together were not kept apart by an order.
  if (first.endNs - second.startNs > toleranceNs) return [];
  const [a, b] = [scene.issue.positionOf.get(first.row), scene.issue.positionOf.get(second.row)];
  if (first.lane === second.lane && !areApart(scene, a, b)) return [bare('same-stream', 'stream-order')];
  if (a === undefined || b === undefined) return [];
  const causes: Found[] = [];
  if (scene.byLegacy.before(a, b)) {
    causes.push(bare('legacy-default-stream', 'legacy-default-stream', legacyBetween(scene, a, b)));
  }
  const byEvents = scene.byEvents.before(a, b);
  // Or the two rules only together: an event orders one of them with work that the legacy default stream ties in.
  if (byEvents || (causes.length === 0 && scene.byBoth.before(a, b))) {
    causes.push({ ...bare('event-dependency', 'event-order', waitBetween(scene, a, b)), throughLegacy: !byEvents });
  } else if (causes.length === 0 && waitedUntold(scene, pair, a, b)) {
    causes.push({ ...bare('event-dependency', 'event-order'), untoldEvent: true });
  }
  return causes;
}

/** Of one lane, but not of one stream: a graph's branch is shown in the stream that it was captured in. */
function areApart({ issue: { issued } }: Scene, a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && issued[a]?.stream !== issued[b]?.stream;
}

/** So soon after the end of what it waited for work begins: on an H200 it took 2 to 8 µs. */
const mostResumeNs = 10_000;

/**
 * Whether a trace without a program bears out that an event kept the two apart, though it doesn't tell which one: a wait
 * was issued to the second's stream between the two, nothing in that stream was still going on, and the second began as
 * soon as the first had ended.
 */
function waitedUntold(scene: Scene, { first, second, issuedNs }: Pair, a: number, b: number): boolean {
  if (scene.facts.program !== null || issuedNs === null || a >= b) return false;
  if (issuedNs > first.endNs - toleranceNs || second.startNs - first.endNs > mostResumeNs) return false;
  const stream = scene.issue.issued[b]?.stream;
  const waits = scene.issue.waits.find((positions) => scene.issue.issued[positions[0] ?? -1]?.stream === stream);
  const isBetween = waits?.some((position) => position > a && position < b) === true;
  return isBetween && !wasBusy(scene, second, first.endNs);
}

/** Whether work of the second's own stream ran until so shortly before it began that it may have waited for that. */
function wasBusy(scene: Scene, second: Activity, untilNs: number): boolean {
  const { columns } = scene.iteration.trace;
  for (let row = second.row - 1; row >= scene.iteration.begin; row -= 1) {
    if (columns.lane[row] !== second.lane || (columns.durationNs[row] ?? 0) === 0) continue;
    return rowEndNs(scene.iteration.trace, row) > untilNs - toleranceNs;
  }
  return false;
}

/** The event wait that first carries the order from `a` towards `b`. */
function waitBetween(scene: Scene, a: number, b: number): Blocker | null {
  return firstBetween(scene, a, b, scene.issue.waits);
}

/** Work in the legacy default stream that stands between two blocking streams; null where one of the two is that work. */
function legacyBetween(scene: Scene, a: number, b: number): Blocker | null {
  const { issued, legacyWork } = scene.issue;
  const streams = scene.facts.program?.streams ?? [];
  const isLegacy = (position: number): boolean => streams[issued[position]?.stream ?? -1]?.kind === 'legacy-default';
  return isLegacy(a) || isLegacy(b) ? null : firstBetween(scene, a, b, legacyWork);
}

/** Of the positions of each stream, the first that comes after `a` and before `b`, by the order of the device. */
function firstBetween(scene: Scene, a: number, b: number, positions: readonly Int32Array[]): Blocker | null {
  const found = positions
    .map((ofStream) => scene.byBoth.firstAfter(a, ofStream))
    .filter((position) => position !== null && position < b && scene.byBoth.before(position, b));
  const first = Math.min(...found.map((position) => position ?? b));
  return found.length === 0 ? null : { op: scene.issue.issued[first]?.op ?? -1, activity: null };
}
