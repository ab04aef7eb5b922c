/**
 * Cost of a copy in the makespan: time in which it ran, or its call blocked the host, without a kernel on its device. If
 * there are several causes, the one whose removal saves most comes first.
 */

import { coveredLength } from '../../trace/intervals.ts';
import type { Activity } from '../../trace/iteration.ts';
import { holdsHost, isHeldBy } from '../figures/hostTime.ts';
import { type Finding, pageable } from './finding.ts';
import { kernelsFor, type Partner } from './partner.ts';
import { durationOf, type Scene, type Span } from './scene.ts';

/** Size of the largest value that item() reads: a complex number with two 64-bit parts. */
export const mostValueBytes = 16;

/** Returns the span in which a copy ran, or its call blocked the host. */
function heldSpan(copy: Activity, call: Activity | null): Span {
  if (call === null || !isHeldBy(copy, call)) return copy;
  return { startNs: Math.min(call.startNs, copy.startNs), endNs: Math.max(call.endNs, copy.endNs) };
}

const besideKernels = (scene: Scene, copy: Activity, { startNs, endNs }: Span): number =>
  coveredLength(kernelsFor(scene, copy).busy, startNs, endNs);

export function costOf(scene: Scene, copy: Activity): number {
  const span = heldSpan(copy, scene.callOf(copy));
  return span.endNs - span.startNs - besideKernels(scene, copy, span);
}

/** Returns the copy's time if its pageable side were pinned; null if pinning changes nothing. */
export function pinnedNs(scene: Scene, copy: Activity): number | null {
  const crosses = copy.direction === 'h2d' || copy.direction === 'd2h';
  const isPageable = copy.src === 'pageable' || copy.dst === 'pageable';
  if (!crosses || !isPageable || !holdsHost(copy) || copy.bytes <= mostValueBytes) return null;
  return (copy.bytes / scene.linkRate(copy)) * 1e9;
}

/** Returns the finding, or pageable memory as the cause if pinning saves more than overlap would. */
export function weighed(scene: Scene, copy: Activity, partner: Partner | null, finding: Finding): Finding {
  const pinned = pinnedNs(scene, copy);
  if (pinned === null || finding.cause.startsWith('pageable')) return finding;
  const costNs = costOf(scene, copy);
  if (costNs - pinned <= Math.min(costNs, hideableNs(scene, copy, partner))) return finding;
  const found = pageable(copy, scene.callOf(copy));
  const others = [finding.cause, ...finding.also];
  return { ...found, also: others.filter((cause) => cause !== found.cause && cause !== 'overlapped') };
}

/** Returns the time of kernels that could hide the copy: the one it is judged by, or those its call waited for. */
function hideableNs(scene: Scene, copy: Activity, partner: Partner | null): number {
  const call = scene.callOf(copy);
  const waited = call === null ? 0 : besideKernels(scene, copy, { startNs: call.startNs, endNs: copy.startNs });
  const own = partner === null || partner.needsData === true ? 0 : durationOf(partner.kernel) - partner.commonNs;
  return Math.max(waited, own);
}
