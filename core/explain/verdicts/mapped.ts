/**
 * Finds copies that a kernel on mapped memory delayed. Such a kernel moves bytes over the link itself, and its requests
 * to host memory come before those of a copy engine. The copy then begins late and moves slowly. Only the experiment
 * shows which kernels do so. Rule (core/rules): mapped-memory.
 */

import { type Activity, activity } from '../../trace/iteration.ts';
import type { Window } from '../figures/laneSpans.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';

/** Returns the kernel that used the link longest since `readyNs`, while the copy waited; null unless for most of it. */
export const linkHolder = (scene: Scene, { copy }: Pair, readyNs: number): Activity | null =>
  linkUser(scene, copy, { startNs: readyNs, endNs: copy.startNs });

/** Returns the kernel that used the link longest while this copy moved; null unless for most of it. */
export const linkSharer = (scene: Scene, copy: Activity): Activity | null => linkUser(scene, copy, copy);

function linkUser(scene: Scene, copy: Activity, window: Window): Activity | null {
  const crosses = copy.direction === 'h2d' || copy.direction === 'd2h';
  if (copy.engineKind !== 'copy-engine' || !crosses) return null;
  const { timeNs, longest } = scene.mapped(copy.device).within(window);
  if (longest === null || timeNs < (window.endNs - window.startNs) / 2) return null;
  return activity(scene.iteration.trace, longest.row);
}
