/** What else the second of a pair waited for, being issued in time and not ordered after the first. */
import { holdsHost } from '../hostTime.ts';
import { type Activity, activity } from '../iteration.ts';
import { nothingWithin } from '../laneSpans.ts';
import { bare, blockedBy, type Found, pageable } from './finding.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';

/** Its copy engine, other work, staging, or the multiprocessors; null where none of them explains it. */
export function waited(scene: Scene, pair: Pair): Found | null {
  const { copy, second, secondCall, deadlineNs } = pair;
  if (second === copy) {
    const busy = engineHolder(scene, pair);
    if (busy !== null) return bare('engine-busy', 'one-engine-per-direction', blockedBy(busy));
  }
  const ahead = aheadOf(scene, pair);
  if (ahead !== null) return ahead;
  // Its call had begun in time, and the driver was still staging when the copy had to start.
  const staging = secondCall !== null && secondCall.endNs > deadlineNs;
  if (second === copy && holdsHost(copy) && staging) return pageable(copy, secondCall);
  return usesNoCopyEngine(copy) ? bare('not-a-copy-engine-copy', 'copy-without-engine') : null;
}

/** The copy that used the engine longest, where others used it for most of the time in which this one had to start. */
function engineHolder(scene: Scene, { copy, first, issuedNs, deadlineNs }: Pair): Activity | null {
  const window = { startNs: Math.max(first.startNs, issuedNs ?? first.startNs), endNs: deadlineNs };
  const { timeNs, longest } = scene.engines.get(copy.engine)?.within(window) ?? nothingWithin;
  if (longest === null || timeNs < (window.endNs - window.startNs) / 2) return null;
  return activity(scene.iteration.trace, longest.row);
}

/**
 * What the second had to wait for by its streams' order: work that ended too late for it to start in time, or that it
 * waited for during most of the time since it was issued.
 */
function aheadOf(scene: Scene, { first, second, issuedNs, deadlineNs }: Pair): Found | null {
  const position = scene.issue.positionOf.get(second.row);
  if (position === undefined) return null;
  const waitedNs = issuedNs === null ? 0 : second.startNs - issuedNs;
  const since = Math.min(deadlineNs, issuedNs === null ? deadlineNs : issuedNs + waitedNs / 2);
  let last: Activity | null = null;
  for (const ahead of scene.byBoth.frontier(position)) {
    const row = lastWork(scene, ahead);
    if (row === null || row.row === first.row || row.endNs <= since || row.endNs > second.startNs) continue;
    if (last === null || row.endNs > last.endNs) last = row;
  }
  if (last === null) return null;
  const at = scene.issue.positionOf.get(last.row) ?? -1;
  const byLegacy = last.lane !== second.lane && scene.byLegacy.before(at, position);
  const rule = last.lane === second.lane ? 'stream-order' : byLegacy ? 'legacy-default-stream' : 'event-order';
  return bare('queued-behind', rule, blockedBy(last));
}

/** The copy or kernel at this position, or else the last one before it in its stream. */
function lastWork({ issue, iteration }: Scene, position: number): Activity | null {
  const row = issue.lastWork[position] ?? -1;
  return row < 0 ? null : activity(iteration.trace, row);
}

/** A copy known to have run where kernels run. */
const usesNoCopyEngine = (copy: Activity): boolean => copy.channelType === 'compute' || copy.engineKind === 'compute';
