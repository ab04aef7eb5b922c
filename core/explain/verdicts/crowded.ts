/**
 * Finds kernels that waited for multiprocessors: issued while a kernel of another stream ran, ordered after nothing
 * that still ran, and begun when that kernel was over or in its tail, when blocks of the second take places that the
 * first leaves one by one. Rules (core/rules): sm-share, stream-priority.
 */
import type { Activity } from '../../trace/iteration.ts';
import type { Finding } from './finding.ts';
import { blockedBy } from './finding.ts';
import type { Occurrence } from './occurrence.ts';
import type { Pair } from './pair.ts';
import { overlapThreshold } from './partner.ts';
import { commonNs, durationOf, type Kernels, type Scene } from './scene.ts';
import { aheadOf } from './waited.ts';

/** A kernel that waited for another one begins at most this long after it ends: 1 to 6 µs on an H200. */
const mostGapNs = 10_000;
/**
 * Smallest share of the time next to the other kernel that the kernel must have waited. On an H200 the first blocks of
 * a byte-streaming kernel were over, and the next kernel's in their places, after 85 % of it.
 */
const leastWaitedPart = 0.5;

/** Returns nothing without a program, because then orders other than the streams' are unknown. */
export function crowdedKernels(scene: Scene): Occurrence[] {
  if (scene.facts.program === null) return [];
  return [...scene.kernels.values()].flatMap((kernels) => ofDevice(scene, kernels));
}

function ofDevice(scene: Scene, { rows, at }: Kernels): Occurrence[] {
  const found: Occurrence[] = [];
  /** Kernel that ended last so far, by stream. */
  const last = new Map<number, Activity>();
  for (let place = 0; place < rows.length; place += 1) {
    const kernel = at(place) as Activity;
    const other = lastOfOthers(last, kernel.lane);
    if (other !== null) found.push(...crowdedBy(scene, kernel, other));
    const own = last.get(kernel.lane);
    if (own === undefined || kernel.endNs > own.endNs) last.set(kernel.lane, kernel);
  }
  return found;
}

function lastOfOthers(last: ReadonlyMap<number, Activity>, lane: number): Activity | null {
  let latest: Activity | null = null;
  for (const [stream, kernel] of last) {
    if (stream !== lane && (latest === null || kernel.endNs > latest.endNs)) latest = kernel;
  }
  return latest;
}

function crowdedBy(scene: Scene, kernel: Activity, other: Activity): Occurrence[] {
  const gapNs = kernel.startNs - other.endNs;
  const shorterNs = Math.min(durationOf(kernel), durationOf(other));
  const call = scene.callOf(kernel);
  if (call === null || gapNs > mostGapNs || !fillsTogether(scene, kernel, other)) return [];
  if (commonNs(kernel, other) >= overlapThreshold * shorterNs) return [];
  const issuedNs = Math.min(call.endNs, kernel.startNs);
  const couldNs = Math.max(issuedNs, other.startNs);
  if (kernel.startNs - couldNs < leastWaitedPart * (other.endNs - couldNs)) return [];
  const deadlineNs = other.endNs - overlapThreshold * shorterNs;
  if (issuedNs >= deadlineNs || isOrdered(scene, other, kernel)) return [];
  const timing = { first: other, second: kernel, issuedNs, deadlineNs };
  if (aheadOf(scene, timing) !== null) return [];
  const pair: Pair = { copy: kernel, kernel: other, firstCall: scene.callOf(other), secondCall: call, ...timing };
  const common = commonNs(kernel, other);
  const needsData = scene.facts.shareData(kernel.op, other.op);
  const partner = { kernel: other, commonNs: common, overlapped: false, needsData };
  const found = finding(other, priorityOf(scene, other) < priorityOf(scene, kernel));
  return [{ copy: kernel, partner, pair, finding: found, overlapNs: common, costNs: 0 }];
}

/** Returns whether both need more multiprocessors than exist. A spin without a share is one thread on one of them. */
function fillsTogether({ facts }: Scene, ...kernels: readonly Activity[]): boolean {
  const shares = kernels.map(({ op }) => {
    const operation = facts.operation(op);
    if (operation?.op !== 'kernel') return 0;
    return operation.kernel.kind === 'spin' && operation.smShare >= 1 ? 0 : operation.smShare;
  });
  return shares.every((share) => share > 0) && shares.reduce((sum, share) => sum + share) > 1;
}

function isOrdered({ issue, byAll }: Scene, first: Activity, second: Activity): boolean {
  const [a, b] = [issue.positionOf(first.row), issue.positionOf(second.row)];
  return a === undefined || b === undefined || byAll.before(a, b);
}

const priorityOf = ({ facts }: Scene, { laneId }: Activity): number =>
  facts.program?.streams.find(({ id }) => laneId === `stream:${id}`)?.priority ?? 0;

const finding = (other: Activity, isMoreUrgent: boolean): Finding => ({
  cause: 'multiprocessors-full',
  rule: isMoreUrgent ? 'stream-priority' : 'sm-share',
  also: [],
  holder: null,
  obstacle: blockedBy(other),
});
