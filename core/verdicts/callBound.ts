/**
 * Finds copies that are so small that their calls take longer than the device needs for them: many of these in a row are
 * bound by the host, whatever the link can do. Rule (core/rules): launch-cost.
 */
import { groupBy } from '../groupBy.ts';
import type { Activity } from '../trace/iteration.ts';
import { durationOf, type Scene } from './scene.ts';

/** Fewer copies than this are not worth joining. */
const fewest = 16;

interface CallBound {
  readonly count: number;
  readonly callsNs: number;
  readonly copiesNs: number;
}

const known = new WeakMap<Scene, ReadonlyMap<string, CallBound>>();

/** Returns the copies of one host thread, direction and kind of memory that this one belongs to; null if calls don't bind them. */
export function callBound(scene: Scene, copy: Activity): CallBound | null {
  const groups = known.get(scene) ?? groupsOf(scene);
  known.set(scene, groups);
  return groups.get(keyOf(scene, copy)) ?? null;
}

const keyOf = (scene: Scene, copy: Activity): string =>
  [scene.callOf(copy)?.lane, copy.device, copy.direction, copy.src, copy.dst].join(' ');

function groupsOf(scene: Scene): ReadonlyMap<string, CallBound> {
  const crossing = scene.copies.filter(({ direction }) => direction === 'h2d' || direction === 'd2h');
  const groups = groupBy(crossing, (copy) => keyOf(scene, copy));
  const bound = new Map<string, CallBound>();
  for (const [key, copies] of groups) {
    const calls = copies.flatMap((copy) => scene.callOf(copy) ?? []);
    // One call for many copies is a multi-tensor copy.
    if (calls.length < fewest || new Set(calls.map(({ row }) => row)).size < calls.length) continue;
    const callsNs = calls.reduce((sum, call) => sum + durationOf(call), 0);
    const copiesNs = copies.reduce((sum, copy) => sum + durationOf(copy), 0);
    if (callsNs >= copiesNs) bound.set(key, { count: copies.length, callsNs, copiesNs });
  }
  return bound;
}
