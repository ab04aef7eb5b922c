/** Finds rules of streams that make the second of a pair wait for the first. */

import type { RuleId } from '../../rules/rules.ts';
import type { Activity } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { OrderRule } from '../order/deviceOrder.ts';
import { bare, type Found, type Obstacle } from './finding.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';

/** Device clocks are coarse: the second may start this much before the first ends and still have waited. */
const toleranceNs = 1000;

const strongestFirst: readonly OrderRule[] = ['alone', 'legacy', 'events', 'launches'];

/** Returns every order that makes the second wait for the first by itself, strongest first. */
export function orderCauses(scene: Scene, pair: Pair): Found[] {
  const { first, second } = pair;
  // If the two ran at the same time, no order kept them apart.
  if (first.endNs - second.startNs > toleranceNs) return [];
  const [a, b] = [scene.issue.positionOf(first.row), scene.issue.positionOf(second.row)];
  if (first.lane === second.lane && !areApart(scene, a, b)) return [bare('same-stream', 'stream-order')];
  if (a === undefined || b === undefined) return [];
  const causes = strongestFirst
    .filter((rule) => scene.orderBy(rule).before(a, b))
    .map((rule) => found[rule](scene, a, b));
  if (causes.length === 0 && scene.byAll.before(a, b)) causes.push(together(scene, a, b));
  else if (causes.length === 0 && waitedForUnnamed(scene, pair, a, b)) {
    causes.push({ ...bare('event-dependency', 'event-order'), unnamedEvent: true });
  }
  return causes;
}

/** Returns whether they are in different streams of one lane, as branches of a graph are. */
function areApart({ issue: { issued } }: Scene, a: number | undefined, b: number | undefined): boolean {
  return a !== undefined && b !== undefined && issued.at(a)?.stream !== issued.at(b)?.stream;
}

/** Returns an order that follows only from two rules together: the named rule, and the one in `through`. */
function together(scene: Scene, a: number, b: number): Found {
  const hold = (...rules: OrderRule[]): boolean => scene.orderBy(...rules).before(a, b);
  const own = hold('legacy', 'alone') ? 'alone' : hold('legacy', 'alone', 'launches') ? 'launches' : 'events';
  const through: RuleId = hold(own, 'legacy')
    ? 'legacy-default-stream'
    : hold(own, 'launches')
      ? 'graph-launches-in-turn'
      : 'peer-copy';
  return { ...found[own](scene, a, b), through };
}

/** Finding for each kind of order. */
const found: Readonly<Record<OrderRule, (scene: Scene, a: number, b: number) => Found>> = {
  alone: (scene, a, b) => bare('peer-copy-alone', 'peer-copy', aloneBetween(scene, a, b)),
  legacy: (scene, a, b) => bare('legacy-default-stream', 'legacy-default-stream', legacyBetween(scene, a, b)),
  events: (scene, a, b) => {
    const wait = firstOf(scene, a, b, scene.issue.waits, (position) => position < b);
    const neededBy = wait === null ? null : needing(scene, a, wait);
    return { ...bare('event-dependency', 'event-order', obstacleAt(scene, wait)), neededBy };
  },
  launches: (scene, a, b) => bare('graph-launches', 'graph-launches-in-turn', launchBetween(scene, a, b)),
};

/** Work begins at most this long after the end of what it waited for: 2 to 8 µs on an H200. */
const mostResumeNs = 10_000;

/**
 * Returns whether a trace without a program suggests an event between the two: a wait was issued to the second's stream
 * in between, nothing else ran in that stream, and the second began as soon as the first ended.
 */
function waitedForUnnamed(scene: Scene, { first, second, issuedNs }: Pair, a: number, b: number): boolean {
  if (scene.facts.program !== null || issuedNs === null || a >= b) return false;
  if (issuedNs > first.endNs - toleranceNs || second.startNs - first.endNs > mostResumeNs) return false;
  const stream = scene.issue.issued.at(b)?.stream;
  const waits = scene.issue.waits.find((positions) => scene.issue.issued.at(positions[0] ?? 0)?.stream === stream);
  const isBetween = waits?.some((position) => position > a && position < b) === true;
  return isBetween && !wasBusy(scene, second, first.endNs);
}

/** Returns whether the second may have waited for work of its own stream that ended shortly before. */
function wasBusy(scene: Scene, second: Activity, untilNs: number): boolean {
  const { columns } = scene.iteration.trace;
  for (let row = second.row - 1; row >= scene.iteration.begin; row -= 1) {
    if (columns.lane[row] !== second.lane || (columns.durationNs[row] ?? 0) === 0) continue;
    return rowEndNs(scene.iteration.trace, row) > untilNs - toleranceNs;
  }
  return false;
}

/** Limit of operations after a wait that are searched for one that needs it. */
const mostBehind = 1000;

/** Returns the first operation in the wait's stream, behind it, that shares data with `a`; or null. */
function needing({ issue: { issued }, facts }: Scene, a: number, wait: number): number | null {
  const [stream, first] = [issued.at(wait)?.stream, issued.at(a)?.op ?? -1];
  for (let position = wait + 1; position < Math.min(issued.length, wait + mostBehind); position += 1) {
    const one = issued.at(position);
    if (one?.stream === stream && facts.shareData(first, one?.op ?? -1) === true) return one?.op ?? null;
  }
  return null;
}

/** Returns work in the legacy default stream between two blocking streams; null if one of the two is that work. */
function legacyBetween(scene: Scene, a: number, b: number): Obstacle | null {
  const { issued, legacyWork } = scene.issue;
  const streams = scene.facts.program?.streams ?? [];
  const isLegacy = (position: number): boolean => streams[issued.at(position)?.stream ?? -1]?.kind === 'legacy-default';
  return isLegacy(a) || isLegacy(b) ? null : firstBetween(scene, a, b, legacyWork);
}

/** Returns the launch that first waited for `a` or its successors, and that `b` belongs to or follows. */
function launchBetween(scene: Scene, a: number, b: number): Obstacle | null {
  const { issued, launchWork } = scene.issue;
  const otherwise = scene.orderBy('events', 'legacy', 'alone');
  const first = firstOf(scene, a, b, launchWork, (position) => !otherwise.before(a, position));
  const launch = first === null ? null : (issued.at(first)?.launch ?? null);
  return launch === null ? null : { op: launch.op, activity: null };
}

/** Returns the copy that runs alone between the two; null if one of them is that copy. */
function aloneBetween(scene: Scene, a: number, b: number): Obstacle | null {
  const { issued, aloneWork } = scene.issue;
  const isAlone = (position: number): boolean => (issued.at(position)?.alone.length ?? 0) > 0;
  return isAlone(a) || isAlone(b) ? null : firstBetween(scene, a, b, aloneWork);
}

function firstBetween(scene: Scene, a: number, b: number, positions: readonly Int32Array[]): Obstacle | null {
  return obstacleAt(
    scene,
    firstOf(scene, a, b, positions, (position) => position < b),
  );
}

const obstacleAt = ({ issue }: Scene, position: number | null): Obstacle | null =>
  position === null ? null : { op: issue.issued.at(position)?.op ?? -1, activity: null };

/** Returns the first position that comes after `a` and is, or comes before, `b`, in the order of the device. */
function firstOf(
  { byAll }: Scene,
  a: number,
  b: number,
  positions: readonly Int32Array[],
  isMeant: (position: number) => boolean,
): number | null {
  const found = positions
    .flatMap((ofStream) => byAll.firstAfter(a, ofStream) ?? [])
    .filter((position) => (position === b || (position < b && byAll.before(position, b))) && isMeant(position));
  return found.length === 0 ? null : Math.min(...found);
}
