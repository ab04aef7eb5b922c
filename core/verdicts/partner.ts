/** The kernel that a copy overlapped, or the one that it could most plausibly have overlapped. */
import type { Activity } from '../trace/iteration.ts';
import { commonNs, durationOf, type Kernels, kernelsPerBlock, noKernels, type Scene } from './scene.ts';

/**
 * A copy and a kernel count as overlapped when they ran together for at least half of the shorter one's duration.
 * Below that the two merely brush each other: the end of one was still draining when the other began.
 */
export const overlapThreshold = 0.5;

/** So many kernels before and after a copy are looked at for one that doesn't need its data. */
const neighbours = 16;

export interface Partner {
  readonly kernel: Activity;
  /** Time in common with this kernel. */
  readonly commonNs: number;
  readonly overlapped: boolean;
  /** See Verdict.needsData. */
  readonly needsData: boolean | null;
}

export const kernelsFor = (scene: Scene, copy: Activity): Kernels => scene.kernels.get(copy.device) ?? noKernels;

/** Null where no kernel ran on the copy's device. */
export function findPartner(scene: Scene, copy: Activity): Partner | null {
  const kernels = kernelsFor(scene, copy);
  const touching = touchingKernels(kernels, copy);
  const overlapped = longest(
    touching.filter((kernel) => isOverlapped(copy, kernel)),
    copy,
  );
  if (overlapped !== null) return describe(scene, copy, overlapped, true);
  const nearest = nearestIndependent(scene, copy, [...touching, ...around(kernels, copy)]);
  return nearest === null ? null : describe(scene, copy, nearest, false);
}

/** The nearest kernel that began after the copy had ended, of those that need its data least; null where none did. */
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

function isOverlapped(copy: Activity, kernel: Activity): boolean {
  const common = commonNs(copy, kernel);
  return common > 0 && common >= overlapThreshold * Math.min(durationOf(copy), durationOf(kernel));
}

/** Kernels that ran during part of the copy. */
function touchingKernels({ at, firstFrom, latestEnd, blockEnd }: Kernels, copy: Activity): Activity[] {
  const touching: Activity[] = [];
  for (let index = firstFrom(copy.endNs) - 1; index >= 0; index -= 1) {
    if ((latestEnd[index] ?? 0) <= copy.startNs) break;
    // One long kernel may lie over thousands of short ones that are over: those are passed by in blocks.
    const block = Math.floor(index / kernelsPerBlock);
    if ((blockEnd[block] ?? 0) <= copy.startNs) {
      index = block * kernelsPerBlock;
      continue;
    }
    const kernel = at(index);
    if (kernel !== undefined && commonNs(copy, kernel) > 0) touching.push(kernel);
  }
  return touching;
}

function around(kernels: Kernels, copy: Activity): Activity[] {
  const after = kernels.firstFrom(copy.endNs);
  const before = kernels.firstFrom(copy.startNs);
  return [...between(kernels, before - neighbours, before), ...between(kernels, after, after + neighbours)];
}

/** Those at the places `from` up to, and without, `to`, as far as there are any. */
function between({ at }: Kernels, from: number, to: number): Activity[] {
  const found: Activity[] = [];
  for (let place = Math.max(0, from); place < to; place += 1) {
    const kernel = at(place);
    if (kernel !== undefined) found.push(kernel);
  }
  return found;
}

function longest(kernels: readonly Activity[], copy: Activity): Activity | null {
  return kernels.reduce<Activity | null>(
    (best, kernel) => (best === null || commonNs(copy, kernel) > commonNs(copy, best) ? kernel : best),
    null,
  );
}

/** The nearest of the kernels that need the copy's data least. */
function nearestIndependent(scene: Scene, copy: Activity, kernels: readonly Activity[]): Activity | null {
  let best: Activity | null = null;
  let [bestNeed, bestGap]: [Need, number] = [need.ownLaunch, Number.POSITIVE_INFINITY];
  for (const kernel of kernels) {
    const gap = Math.max(0, kernel.startNs - copy.endNs, copy.startNs - kernel.endNs);
    // Only a nearer one, or one that needs the data less, can be better: the others need not be looked up.
    if (bestNeed === need.none && gap >= bestGap) continue;
    const own = needOf(scene, copy, kernel);
    if (best !== null && (own > bestNeed || (own === bestNeed && gap >= bestGap))) continue;
    [best, bestNeed, bestGap] = [kernel, own, gap];
  }
  return best;
}

/** What a kernel of the copy's own graph launch works on comes with it; one of another launch may have data of its own. */
const need = { none: 0, data: 1, ownLaunch: 2 } as const;
type Need = (typeof need)[keyof typeof need];

function needOf(scene: Scene, copy: Activity, kernel: Activity): Need {
  if (scene.facts.shareData(copy.op, kernel.op) !== true) return need.none;
  if (copy.correlation > 0 && copy.correlation === kernel.correlation) return need.ownLaunch;
  return copy.lane === kernel.lane && areOfOneGraph(scene, copy, kernel) ? need.ownLaunch : need.data;
}

/** Launches of it in one stream come one after the other anyway: then the nearest kernel tells most. */
function areOfOneGraph({ facts }: Scene, copy: Activity, kernel: Activity): boolean {
  const graph = facts.capture(copy.op);
  return graph !== undefined && graph === facts.capture(kernel.op);
}
