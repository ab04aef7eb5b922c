/**
 * Finds copies that waited in their queue behind a copy of another stream that wasn't ready, while their engine was
 * idle. The queue is the copy's channel in the trace; copies without one are skipped. Rule (core/rules): copy-queues.
 */

import { nothingWithin } from '../figures/laneSpans.ts';
import type { Activity } from '../trace/iteration.ts';
import { type Pair, shorterNs } from './pair.ts';
import { overlapThreshold } from './partner.ts';
import { firstStartingFrom, type Scene } from './scene.ts';

/**
 * Returns the copy that was first in the queue when this one was ready at `readyNs`; null unless the engine was idle
 * long enough since then for this one to count as overlapped.
 */
export function queueHolder(scene: Scene, pair: Pair, readyNs: number): Activity | null {
  const { copy, first, deadlineNs } = pair;
  if (copy.channel < 0) return null;
  const window = { startNs: Math.max(first.startNs, readyNs), endNs: deadlineNs };
  const queue = scene.copyQueue(copy);
  const head = queue[firstStartingFrom(queue, window.startNs)];
  if (head === undefined || head.lane === copy.lane || head.startNs >= copy.startNs) return null;
  const { timeNs } = scene.engines.get(copy.engine)?.within(window) ?? nothingWithin;
  const idleNs = window.endNs - window.startNs - timeNs;
  return idleNs >= overlapThreshold * shorterNs(pair) ? head : null;
}
