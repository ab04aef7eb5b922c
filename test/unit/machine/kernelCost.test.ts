/** Times of a kernel alone, in more cases than the lanes of whole programs show. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KernelCosts } from '../../../core/machine/cost/kernel.ts';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import type { ProgramKernel } from '../../../core/program/program.ts';
import { program, toyWith } from './toy.ts';

const empty = program([]);
const plain = toyWith({});
const slow = toyWith({ 'kernel.memoryLatencyNs': 600, 'kernel.l2LatencyNs': 400 });
const cost = (kernel: ProgramKernel, share: number, profile: DeviceProfile) =>
  new KernelCosts(profile).of(kernel, share, empty);
const streaming = (bytes: number, passes: number): ProgramKernel => ({
  kind: 'stream',
  src: -1,
  dst: -1,
  bytes,
  passes,
});
const ns = (kernel: ProgramKernel, share: number, profile: DeviceProfile): number =>
  cost(kernel, share, profile).deviceNs - profile.parameters['kernel.startNs'];

describe('a byte-streaming kernel', () => {
  it('takes a latency for each pass, however little it moves', () => {
    expect(ns(streaming(4, 1), 1, slow)).toBeCloseTo(600, 0);
    expect(ns(streaming(4, 11), 1, slow)).toBeCloseTo(600 + 10 * 400, 0);
  });

  it('takes what the memory takes where that is much more', () => {
    const bytes = 2 ** 24;
    expect(ns(streaming(bytes, 3), 1, slow) / ns(streaming(bytes, 3), 1, plain)).toBeCloseTo(1, 3);
  });

  it('never takes less for more bytes, more passes, longer latencies or fewer multiprocessors', () => {
    const bytes = fc.integer({ min: 1, max: 2 ** 20 }).map((words) => words * 4);
    const passes = fc.integer({ min: 1, max: 20 });
    const share = fc.constantFrom(0.125, 0.25, 0.5, 1);
    fc.assert(
      fc.property(bytes, passes, share, (size, times, part) => {
        const alone = ns(streaming(size, times), part, slow);
        expect(ns(streaming(size, times + 1), part, slow)).toBeGreaterThanOrEqual(alone);
        expect(ns(streaming(size, times), part, plain)).toBeLessThanOrEqual(alone + 1);
        expect(ns(streaming(size, times), 1, slow)).toBeLessThanOrEqual(alone + 1);
        // Beyond L2 each pass takes longer, so only sizes on the same side are compared.
        if (4 * size <= slow.parameters['kernel.l2Bytes'] || 2 * size > slow.parameters['kernel.l2Bytes'])
          expect(ns(streaming(2 * size, times), part, slow)).toBeGreaterThanOrEqual(alone);
      }),
    );
  });

  it('finds in L2 what the pass before has left of the destination, less in the second pass than later', () => {
    const profile = toyWith({ 'kernel.l2Bytes': 9000 });
    const pass = (bytes: number, number: number): number =>
      ns(streaming(bytes, number), 1, profile) - ns(streaming(bytes, number - 1), 1, profile);
    // A byte takes 1 ns in memory and half of that in L2; each pass reads and writes everything.
    expect([2, 3].map((number) => pass(4000, number))).toEqual([4000, 4000]);
    expect([2, 3].map((number) => pass(6000, number))).toEqual([12_000, 6000]);
    expect(pass(7500, 3)).toBeCloseTo(7500 + 3750);
    expect([2, 3].map((number) => pass(9000, number))).toEqual([18_000, 18_000]);
  });

  it('leaves the memory to others while it waits', () => {
    expect(cost(streaming(4, 10), 1, slow).memoryPart).toBeLessThan(0.01);
    expect(cost(streaming(2 ** 28, 1), 1, slow).memoryPart).toBeGreaterThan(0.99);
  });
});
