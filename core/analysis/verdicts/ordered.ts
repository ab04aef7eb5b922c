/** Whether the streams' rules make the second of a pair wait for the first. */
import { type Blocker, bare, type Found } from './finding.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';

/** Device clocks tick coarsely: so much before the end of the first the second may start, and still have waited. */
const toleranceNs = 1000;

/** Every order that by itself makes the second wait for the first, strongest first. */
export function orderCauses(scene: Scene, { first, second }: Pair): Found[] {
  // Whatever the rules say: two that ran together were not kept apart by an order.
  if (first.endNs - second.startNs > toleranceNs) return [];
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
