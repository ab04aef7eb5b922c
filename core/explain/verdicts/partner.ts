/** Finds the kernel that a copy overlapped, or could most plausibly have overlapped. */

import { groupBy } from '../../groupBy.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import type { Activity } from '../../trace/iteration.ts';
import { holdsHost } from '../figures/hostTime.ts';
import {
  commonNs,
  durationOf,
  firstStartingFrom,
  type Kernels,
  kernelsPerBlock,
  noKernels,
  type Scene,
  type Span,
} from './scene.ts';

/**
 * A copy and a kernel count as overlapped if they ran together for at least half of the shorter one's duration. With
 * less, the end of one was merely still draining when the other began.
 */
export const overlapThreshold = 0.5;

/** Number of kernels before and after a copy that are searched for one that doesn't need its data. */
const neighbours = 16;

export interface Partner {
  /** Or a copy in the other direction, if its device ran no kernel. */
  readonly kernel: Activity;
  /** Time that the copy overlaps this kernel. */
  readonly commonNs: number;
  readonly overlapped: boolean;
  /** See Verdict.needsData. */
  readonly needsData: boolean | null;
}

export const kernelsFor = (scene: Scene, copy: Activity): Kernels => scene.kernels.get(copy.device) ?? noKernels;

/** Returns null if no kernel ran on the copy's device. */
export function findPartner(scene: Scene, copy: Activity): Partner | null {
  const kernels = kernelsFor(scene, copy);
  const overlapped = longestOverlapped(kernels, copy);
  if (overlapped !== null) return describe(scene, copy, overlapped, true);
  const nearest = nearestIndependent(scene, copy, touchingAndAround(kernels, copy));
  return nearest === null ? null : describe(scene, copy, nearest, false);
}

/** Returns the nearest kernel after the copy, preferring those that don't need its data; null if there is none. */
export function kernelBehind(scene: Scene, copy: Activity): Partner | null {
  const kernels = kernelsFor(scene, copy);
  const after = kernels.firstFrom(copy.endNs);
  const kernel = nearestIndependent(scene, copy, between(kernels, after, after + neighbours));
  return kernel === null ? null : describe(scene, copy, kernel, false);
}

function describe(scene: Scene, copy: Activity, kernel: Activity, overlapped: boolean): Partner {
  return {
    kernel,
    commonNs: commonNs(copy, kernel),
    overlapped,
    needsData: scene.facts.shareData(copy.op, kernel.op),
  };
}

const isOverlapped = (copy: Span, kernel: Span, common: number): boolean =>
  common > 0 && common >= overlapThreshold * Math.min(durationOf(copy), durationOf(kernel));

/**
 * Returns the kernel that overlaps the copy longest; if equal, the last to begin. In a file where every copy covers all
 * kernels, this skips most blocks: only blocks that may contain a longer overlap are searched.
 */
function longestOverlapped(kernels: Kernels, copy: Activity): Activity | null {
  const { reachedEnd, span } = kernels;
  const last = kernels.firstFrom(copy.endNs) - 1;
  let [found, foundNs] = [-1, 0];
  for (let place = last; place >= 0; place -= 1) {
    // No overlap can be longer than the copy.
    if ((reachedEnd[Math.floor(place / kernelsPerBlock)] ?? 0) <= copy.startNs || foundNs >= durationOf(copy)) break;
    const inBlock = place % kernelsPerBlock;
    if ((inBlock === kernelsPerBlock - 1 || place === last) && mostCommonNs(kernels, place, copy) <= foundNs) {
      place -= inBlock;
      continue;
    }
    const kernel = span(place);
    const common = commonNs(copy, kernel);
    if (common > foundNs && isOverlapped(copy, kernel, common)) [found, foundNs] = [place, common];
  }
  return kernels.at(found) ?? null;
}

/** Returns an upper bound of the overlap of the copy with kernels of the block; 0 if none can count as overlapped. */
function mostCommonNs({ blockEnd, blockShortest, blockLongest, span }: Kernels, place: number, copy: Activity): number {
  const block = Math.floor(place / kernelsPerBlock);
  const startNs = Math.max(copy.startNs, span(block * kernelsPerBlock).startNs);
  const endNs = Math.min(copy.endNs, blockEnd[block] ?? 0);
  const mostNs = Math.min(endNs - startNs, blockLongest[block] ?? 0);
  return mostNs >= overlapThreshold * Math.min(durationOf(copy), blockShortest[block] ?? 0) ? mostNs : 0;
}

/** Yields kernels that ran during part of the copy, then those before and after it. */
function* touchingAndAround(kernels: Kernels, copy: Activity): Generator<Activity> {
  const { at, span, firstFrom, reachedEnd, blockEnd } = kernels;
  for (let place = firstFrom(copy.endNs) - 1; place >= 0; place -= 1) {
    if ((reachedEnd[Math.floor(place / kernelsPerBlock)] ?? 0) <= copy.startNs) break;
    // One long kernel may cover thousands of short ones that ended before. Whole blocks of those are skipped.
    if ((blockEnd[Math.floor(place / kernelsPerBlock)] ?? 0) <= copy.startNs) {
      place -= place % kernelsPerBlock;
      continue;
    }
    const kernel = commonNs(copy, span(place)) > 0 ? at(place) : undefined;
    if (kernel !== undefined) yield kernel;
  }
  yield* around(kernels, copy);
}

function around(kernels: Kernels, copy: Activity): Activity[] {
  const after = kernels.firstFrom(copy.endNs);
  const before = kernels.firstFrom(copy.startNs);
  return [...between(kernels, before - neighbours, before), ...between(kernels, after, after + neighbours)];
}

/** Returns the kernels at indices [from, to), as far as they exist. */
function between({ at }: Kernels, from: number, to: number): Activity[] {
  const found: Activity[] = [];
  for (let place = Math.max(0, from); place < to; place += 1) {
    const kernel = at(place);
    if (kernel !== undefined) found.push(kernel);
  }
  return found;
}

/** Returns the nearest of the kernels that need the copy's data least. */
function nearestIndependent(scene: Scene, copy: Activity, kernels: Iterable<Activity>): Activity | null {
  let best: Activity | null = null;
  let [bestNeed, bestGap]: [Need, number] = [need.ownLaunch, Number.POSITIVE_INFINITY];
  for (const kernel of kernels) {
    const gap = Math.max(0, kernel.startNs - copy.endNs, copy.startNs - kernel.endNs);
    // Only a nearer kernel, or one that needs the data less, can be better, so skip the look-up of others.
    if (bestNeed === need.none && gap >= bestGap) continue;
    const own = needOf(scene, copy, kernel);
    if (best !== null && (own > bestNeed || (own === bestNeed && gap >= bestGap))) continue;
    [best, bestNeed, bestGap] = [kernel, own, gap];
    if (bestNeed === need.none && bestGap === 0) break;
  }
  return best;
}

/** Data for a kernel of the copy's own graph launch comes with the copy; another launch may have other data. */
const need = { none: 0, data: 1, ownLaunch: 2 } as const;
type Need = (typeof need)[keyof typeof need];

function needOf(scene: Scene, copy: Activity, kernel: Activity): Need {
  if (scene.facts.shareData(copy.op, kernel.op) !== true) return need.none;
  if (copy.correlation > 0 && copy.correlation === kernel.correlation) return need.ownLaunch;
  return copy.lane === kernel.lane && areOfOneGraph(scene, copy, kernel) ? need.ownLaunch : need.data;
}

/** Ignores which launch it is: launches of a graph in one stream run in order, so the nearest kernel fits best. */
function areOfOneGraph({ facts }: Scene, copy: Activity, kernel: Activity): boolean {
  const graph = facts.capture(copy.op);
  return graph !== undefined && graph === facts.capture(kernel.op);
}

const copiesByDirection = rememberedBy(({ copies }: Scene) =>
  groupBy(copies, ({ device, direction }) => `${direction} ${device}`),
);

/**
 * Returns the nearest copy in the other direction on the device, for copies that have no kernel to overlap. Null if one
 * of these overlaps it already, or needs its data.
 */
export function otherDirection(scene: Scene, copy: Activity): Partner | null {
  const isLink = copy.direction === 'h2d' || copy.direction === 'd2h';
  if (!isLink || holdsHost(copy) || kernelsFor(scene, copy).rows.length > 0) return null;
  const others = copiesByDirection(scene).get(`${copy.direction === 'h2d' ? 'd2h' : 'h2d'} ${copy.device}`) ?? [];
  const place = firstStartingFrom(others, copy.startNs);
  const near = others.slice(Math.max(0, place - neighbours), place + neighbours).filter((other) => !holdsHost(other));
  if (near.some((other) => isOverlapped(copy, other, commonNs(copy, other)))) return null;
  const nearest = nearestIndependent(scene, copy, near);
  const partner = nearest === null ? null : describe(scene, copy, nearest, false);
  return partner?.needsData === true ? null : partner;
}
