/**
 * Copies that a kernel on mapped memory held up: it moves the bytes over the link itself, and what its threads have asked of
 * host memory comes before what a copy engine asks. Only the experiment tells which kernel does. Rule (core/rules):
 * mapped-memory.
 */
import { type Activity, activity } from '../iteration.ts';
import type { Pair } from './pair.ts';
import type { Scene } from './scene.ts';

/** The kernel that used the link longest, where such kernels did for most of the time that this copy, ready at `readyNs`, waited. */
export function linkHolder(scene: Scene, { copy }: Pair, readyNs: number): Activity | null {
  const crosses = copy.direction === 'h2d' || copy.direction === 'd2h';
  if (copy.engineKind !== 'copy-engine' || !crosses) return null;
  const { timeNs, longest } = scene.mapped(copy.device).within({ startNs: readyNs, endNs: copy.startNs });
  if (longest === null || timeNs < (copy.startNs - readyNs) / 2) return null;
  return activity(scene.iteration.trace, longest.row);
}
