/**
 * Copies that stood in their queue behind one of another stream, which was not ready itself, while their engine was idle.
 * A trace tells the queue as the copy's channel; where it doesn't, nothing is said of it. Rule (core/rules): copy-queues.
 */

import { nothingWithin } from '../figures/laneSpans.ts';
import type { Activity } from '../trace/iteration.ts';
import { type Pair, shorterNs } from './pair.ts';
import { overlapThreshold } from './partner.ts';
import { firstStartingFrom, type Scene } from './scene.ts';

/**
 * The copy that was first in the queue when this one was ready at `readyNs`, where the engine was idle since then for so
 * long that this one would have counted as overlapped.
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
