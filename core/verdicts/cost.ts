/**
 * What a copy costs the makespan: the time in which it ran, or its call held the host, while no kernel ran on its device.
 * Of several causes the first is the one whose removal saves most of that.
 */
import { holdsHost, isHeldBy } from '../figures/hostTime.ts';
import { coveredLength } from '../trace/intervals.ts';
import type { Activity } from '../trace/iteration.ts';
import { type Finding, pageable } from './finding.ts';
import { kernelsFor, type Partner } from './partner.ts';
import { durationOf, type Scene, type Span } from './scene.ts';

/** A complex number of two 64-bit parts, the largest that a tensor holds: such a copy reads one value, as item() does. */
export const mostValueBytes = 16;

/** From when to when a copy ran, or its call held the host. */
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

/** How long the copy would take if its pageable side were pinned; null where pinning changes nothing. */
export function pinnedNs(scene: Scene, copy: Activity): number | null {
  const crosses = copy.direction === 'h2d' || copy.direction === 'd2h';
  const isPageable = copy.src === 'pageable' || copy.dst === 'pageable';
  if (!crosses || !isPageable || !holdsHost(copy) || copy.bytes <= mostValueBytes) return null;
  return (copy.bytes / scene.linkRate(copy)) * 1e9;
}

/** The finding of a copy that overlapped no kernel, or that its memory comes first where pinning saves more than overlap. */
export function weighed(scene: Scene, copy: Activity, partner: Partner | null, finding: Finding): Finding {
  const pinned = pinnedNs(scene, copy);
  if (pinned === null || finding.cause.startsWith('pageable')) return finding;
  const costNs = costOf(scene, copy);
  if (costNs - pinned <= Math.min(costNs, hideableNs(scene, copy, partner))) return finding;
  const found = pageable(copy, scene.callOf(copy));
  return { ...found, also: [finding.cause, ...finding.also.filter((cause) => cause !== found.cause)] };
}

/** Time of kernels behind which the copy could go: of the one it is judged by, or of those that its call waited for. */
function hideableNs(scene: Scene, copy: Activity, partner: Partner | null): number {
  const call = scene.callOf(copy);
  const waited = call === null ? 0 : besideKernels(scene, copy, { startNs: call.startNs, endNs: copy.startNs });
  const own = partner === null || partner.needsData === true ? 0 : durationOf(partner.kernel) - partner.commonNs;
  return Math.max(waited, own);
}
