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
