/** Finds what the second of a pair waited for, if it was issued in time and isn't ordered after the first. */

import type { RuleId } from '../../rules/rules.ts';
import { type Activity, activity } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { holdsHost } from '../figures/hostTime.ts';
import { nothingWithin } from '../figures/laneSpans.ts';
import { bare, blockedBy, type Found, pageable } from './finding.ts';
import { linkHolder } from './mapped.ts';
import { type Pair, shorterNs } from './pair.ts';
import { overlapThreshold } from './partner.ts';
import { firstStartingFrom, type Scene } from './scene.ts';

/** Returns the cause: the copy engine or its queue, work ahead, staging, or the link; or null. */
export function waited(scene: Scene, pair: Pair): Found | null {
  const { copy, second, secondCall, issuedNs, deadlineNs } = pair;
  if (scene.copyEngines === 0) return bare('not-a-copy-engine-copy', 'copy-without-engine');
  const readyNs = second === copy && issuedNs !== null ? Math.max(issuedNs, workAhead(scene, pair)?.endNs ?? 0) : null;
  const head = readyNs === null ? null : queueHolder(scene, pair, readyNs);
  const queued = head === null ? null : bare('copy-queues', 'copy-queues', blockedBy(head));
  const holder = second === copy ? engineHolder(scene, pair, issuedNs) : null;
  const busy = holder === null ? null : bare('engine-busy', 'one-engine-per-direction', blockedBy(holder));
  // A staged copy lets others run between its parts, so a holder that continued afterwards didn't hold this copy for
  // long.
  if (queued === null && holder !== null && holder.endNs <= copy.startNs) return busy;
  const ahead = aheadOf(scene, pair);
  if (ahead !== null) return ahead;
  if (queued !== null) return queued;
  if (busy !== null) return busy;
  // The call began in time, but the driver still staged data at the deadline.
  const staging = secondCall !== null && secondCall.endNs > deadlineNs;
  if (second === copy && holdsHost(copy) && staging) return pageable(copy, secondCall);
  const usedMeanwhile = readyNs === null ? null : engineHolder(scene, pair, readyNs);
  if (usedMeanwhile !== null) return bare('engine-busy', 'one-engine-per-direction', blockedBy(usedMeanwhile));
  const linked = readyNs === null ? null : linkHolder(scene, pair, readyNs);
  if (linked !== null) return bare('mapped-memory', 'mapped-memory', blockedBy(linked));
  return usesNoCopyEngine(copy) ? bare('not-a-copy-engine-copy', 'copy-without-engine') : null;
}

/** Returns the copy that used the engine longest, if others used it for most of the time before the deadline. */
function engineHolder(scene: Scene, { copy, first, deadlineNs }: Pair, sinceNs: number | null): Activity | null {
  const window = { startNs: Math.max(first.startNs, sinceNs ?? first.startNs), endNs: deadlineNs };
  const { timeNs, longest } = scene.engineOf(copy)?.within(window) ?? nothingWithin;
  if (longest === null || timeNs < (window.endNs - window.startNs) / 2) return null;
  return activity(scene.iteration.trace, longest.row);
}

/**
 * Returns the work ahead that the second had to wait for by order of streams, if it ended too late to start in time or
 * took most of the time since the second was issued.
 */
export function aheadOf(
  scene: Scene,
  { first, second, issuedNs, deadlineNs }: Pick<Pair, 'first' | 'second' | 'issuedNs' | 'deadlineNs'>,
): Found | null {
  const position = scene.issue.positionOf(second.row);
  if (position === undefined) return null;
  const waitedNs = issuedNs === null ? 0 : second.startNs - issuedNs;
  const since = Math.min(deadlineNs, issuedNs === null ? deadlineNs : issuedNs + waitedNs / 2);
  const last = workAhead(scene, { first, second });
  if (last === null || last.endNs <= since) return null;
  const at = scene.issue.positionOf(last.row) ?? -1;
  return bare(
    'queued-behind',
    last.lane === second.lane ? 'stream-order' : ruleBetween(scene, at, position),
    blockedBy(last),
  );
}

function ruleBetween({ orderBy }: Scene, a: number, b: number): RuleId {
  if (orderBy('legacy').before(a, b)) return 'legacy-default-stream';
  if (orderBy('launches').before(a, b)) return 'graph-launches-in-turn';
  return orderBy('alone').before(a, b) ? 'peer-copy' : 'event-order';
}

/** Returns the work that ended last before the second, among what streams order before it; never the first. */
function workAhead(scene: Scene, { first, second }: Pick<Pair, 'first' | 'second'>): Activity | null {
  const position = scene.issue.positionOf(second.row);
  if (position === undefined) return null;
  const { trace } = scene.iteration;
  let [last, lastNs] = [-1, 0];
  for (const ahead of scene.byAll.frontier(position)) {
    // The work at this position, or else the last work before it in its stream.
    const row = scene.issue.lastWork(ahead);
    if (row < 0 || row === first.row) continue;
    const endNs = rowEndNs(trace, row);
    if (endNs <= second.startNs && (last < 0 || endNs > lastNs)) [last, lastNs] = [row, endNs];
  }
  return last < 0 ? null : activity(trace, last);
}

/** Returns whether the copy is known to have run where kernels run. */
const usesNoCopyEngine = (copy: Activity): boolean => copy.channelType === 'compute' || copy.engineKind === 'compute';

/**
 * Returns the copy that was first in the queue when this one was ready at `readyNs`; null unless the engine was idle
 * long enough since then for this one to count as overlapped.
 */
function queueHolder(scene: Scene, pair: Pair, readyNs: number): Activity | null {
  const { copy, first, deadlineNs } = pair;
  if (copy.channel < 0) return null;
  const window = { startNs: Math.max(first.startNs, readyNs), endNs: deadlineNs };
  const queue = scene.copyQueue(copy);
  const head = queue[firstStartingFrom(queue, window.startNs)];
  if (head === undefined || head.lane === copy.lane || head.startNs >= copy.startNs) return null;
  const { timeNs } = scene.engineOf(copy)?.within(window) ?? nothingWithin;
  const idleNs = window.endNs - window.startNs - timeNs;
  return idleNs >= overlapThreshold * shorterNs(pair) ? head : null;
}
