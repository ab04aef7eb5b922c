/**
 * Finds copies that are so small that their calls take many times what the link needs for their bytes: many of these in a
 * row are bound by the host. Rule (core/rules): launch-cost.
 */

import { groupBy } from '../../groupBy.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import type { Activity } from '../../trace/iteration.ts';
import { holdsHost } from '../figures/hostTime.ts';
import { durationOf, type Scene } from './scene.ts';

/** Fewer copies than this are not worth joining. */
const fewest = 16;
/**
 * Average size up to which calls bind copies, however fast the host is: the link of an H200 moves 32 KiB in 0.6 us, and
 * calls took 2.1 to 6 us in recorded runs.
 */
const mostBytes = 32_768;
/** Large enough to reach the link's rate. */
const largeBytes = 2 ** 26;

interface CallBound {
  readonly count: number;
  readonly callsNs: number;
  /** Time that the link needs for all their bytes. */
  readonly linkNs: number;
  /** Rows of copies whose calls follow one another, as many as make up a group. */
  readonly inRow: ReadonlySet<number>;
}

/** Returns the copies of one host thread, direction and kind of memory that this one belongs to; null if calls don't bind them. */
export function callBound(scene: Scene, copy: Activity): CallBound | null {
  return groupsOf(scene).get(keyOf(scene, copy)) ?? null;
}

const keyOf = (scene: Scene, copy: Activity): string =>
  [scene.callOf(copy)?.lane, copy.device, copy.direction, copy.src, copy.dst].join(' ');

const linkNsOf = (scene: Scene, copy: Activity): number =>
  (copy.bytes / scene.linkRate({ ...copy, bytes: largeBytes })) * 1e9;

const groupsOf = rememberedBy((scene: Scene): ReadonlyMap<string, CallBound> => {
  const crossing = scene.copies.filter((copy) => {
    const { direction } = copy;
    return (direction === 'h2d' || direction === 'd2h') && !holdsHost(copy);
  });
  const groups = groupBy(crossing, (copy) => keyOf(scene, copy));
  const bound = new Map<string, CallBound>();
  for (const [key, copies] of groups) {
    const calls = copies.flatMap((copy) => scene.callOf(copy) ?? []);
    // One call for many copies is a multi-tensor copy.
    if (calls.length < fewest || new Set(calls.map(({ row }) => row)).size < calls.length) continue;
    const callsNs = calls.reduce((sum, call) => sum + durationOf(call), 0);
    const bytes = copies.reduce((sum, copy) => sum + copy.bytes, 0);
    const linkNs = copies.reduce((sum, copy) => sum + linkNsOf(scene, copy), 0);
    if (bytes > mostBytes * copies.length) continue;
    bound.set(key, { count: copies.length, callsNs, linkNs, inRow: rowsInRow(scene, copies) });
  }
  return bound;
});

/** Returns the rows of copies in runs of at least `fewest`, whose thread did nothing else between their calls. */
function rowsInRow(scene: Scene, copies: readonly Activity[]): Set<number> {
  const found = new Set<number>();
  const called = copies
    .flatMap((copy) => {
      const call = scene.callOf(copy);
      return call === null ? [] : [{ copy, call }];
    })
    .sort((a, b) => a.call.startNs - b.call.startNs);
  let begin = 0;
  for (const [at, { call }] of called.entries()) {
    const next = called[at + 1]?.call;
    const isGoingOn =
      next !== undefined &&
      scene.thread(call.lane).within({ startNs: call.endNs, endNs: next.startNs }).count <= scene.ownRows;
    if (isGoingOn) continue;
    if (at + 1 - begin >= fewest) for (const { copy } of called.slice(begin, at + 1)) found.add(copy.row);
    begin = at + 1;
  }
  return found;
}
