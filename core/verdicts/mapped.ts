/**
 * Copies that a kernel on mapped memory held up: it moves the bytes over the link itself, and what its threads have asked of
 * host memory comes before what a copy engine asks. Such a copy begins late and moves slowly. Only the experiment tells which
 * kernel does. Rule (core/rules): mapped-memory.
 */

import type { Window } from '../figures/laneSpans.ts';
import { type Activity, activity } from '../trace/iteration.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';

/** The kernel that used the link longest while this copy, ready at `readyNs`, waited; null where none did for most of it. */
export const linkHolder = (scene: Scene, { copy }: Pair, readyNs: number): Activity | null =>
  linkUser(scene, copy, { startNs: readyNs, endNs: copy.startNs });

/** The kernel that used the link longest while this copy moved; null where none did for most of it. */
export const linkSharer = (scene: Scene, copy: Activity): Activity | null => linkUser(scene, copy, copy);

function linkUser(scene: Scene, copy: Activity, window: Window): Activity | null {
  const crosses = copy.direction === 'h2d' || copy.direction === 'd2h';
  if (copy.engineKind !== 'copy-engine' || !crosses) return null;
  const { timeNs, longest } = scene.mapped(copy.device).within(window);
  if (longest === null || timeNs < (window.endNs - window.startNs) / 2) return null;
  return activity(scene.iteration.trace, longest.row);
}
