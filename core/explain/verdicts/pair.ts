/** A copy and a kernel in the order in which they ran, with the calls that issued them. */

import type { Activity } from '../../trace/iteration.ts';
import { isHeldBy } from '../figures/hostTime.ts';
import { overlapThreshold, type Partner } from './partner.ts';
import { durationOf, type Scene } from './scene.ts';

export interface Pair {
  readonly copy: Activity;
  readonly kernel: Activity;
  readonly first: Activity;
  readonly second: Activity;
  readonly firstCall: Activity | null;
  readonly secondCall: Activity | null;
  /** Time at which the device could start `second`; null if its call wasn't recorded. */
  readonly issuedNs: number | null;
  /** If `second` starts later than this, the two can't count as overlapped. */
  readonly deadlineNs: number;
}

export function makePair(scene: Scene, copy: Activity, { kernel }: Partner): Pair {
  const copyFirst = copy.startNs <= kernel.startNs;
  const [first, second] = copyFirst ? [copy, kernel] : [kernel, copy];
  const shorter = Math.min(durationOf(copy), durationOf(kernel));
  const secondCall = scene.callOf(second);
  return {
    copy,
    kernel,
    first,
    second,
    firstCall: scene.callOf(first),
    secondCall,
    issuedNs: secondCall === null ? null : issuedAt(second, secondCall),
    deadlineNs: first.endNs - overlapThreshold * shorter,
  };
}

/**
 * Returns when work reached the device: the end of its call (kernels start within 2 µs of it on an H200), or the start
 * of the call if it waits for its own copy.
 */
const issuedAt = (one: Activity, call: Activity): number =>
  waitsForCopy(one, call) ? call.startNs : Math.min(call.endNs, one.startNs);

export const waitsForCopy = (one: Activity, call: Activity): boolean => one.kind === 'copy' && isHeldBy(one, call);

export const shorterNs = ({ copy, kernel }: Pair): number => Math.min(durationOf(copy), durationOf(kernel));
