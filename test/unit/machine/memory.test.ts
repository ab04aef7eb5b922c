/** A device without room: what its allocators do before they fail. It has 1,000,000 bytes. */
import { describe, expect, it } from 'vitest';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { type Operations, programWith, run, times, toyWith } from './toy.ts';

const ids = ['w', 'x', 'y', 'z'];
const streams = ids.map((id) => ({ id, flags: 'non-blocking' }));
const buffers = ids.map((id) => ({ id, memory: 'device', bytes: 400_000, allocated: 'by-operation' }));
const profile = (memoryBytes: number) => {
  const toy = toyWith({});
  return { ...toy, device: { ...toy.device, memoryBytes } };
};

/** Returns the operations that allocate a buffer in the stream of its name, use it for 5 us, and free it. */
const item = (id: string, allocator: string, freed = true): Operations => [
  { op: 'allocate', buffer: id, allocator, stream: id },
  { op: 'kernel', kernel: { kind: 'spin', durationNs: 5000 }, smShare: 0.1, stream: id, reads: [], writes: [id] },
  ...(freed ? [{ op: 'free', buffer: id, stream: id }] : []),
];
const kernels = (operations: Operations, memoryBytes: number) =>
  times(run(programWith({ streams, buffers }, operations), profile(memoryBytes)), 'kernel').map(([, start]) => start);

describe('a pool', () => {
  it('makes a stream wait for memory that another one frees, if the device has no more', () => {
    const [first = 0, second = 0, third = 0] = kernels(
      ids.slice(0, 3).flatMap((id) => item(id, 'pool')),
      1_000_000,
    );
    expect(second - first).toBeLessThan(1000);
    expect(third - first).toBeGreaterThanOrEqual(5000);
  });

  it('gives freed memory back at a synchronise unless its release threshold keeps it, then maps it anew', () => {
    const mallocs = (poolReleaseThreshold: number) => {
      const again: Operations = [...item('w', 'pool'), { op: 'synchronizeStream', stream: 'w' }, ...item('w', 'pool')];
      const program = programWith({ streams, buffers, environment: { poolReleaseThreshold } }, again);
      const rows = times(run(program, profile(1_000_000)), 'host-call', 'host-sync');
      const lasting = (wanted: string) => rows.filter(([name]) => name === wanted).map(([, start, end]) => end - start);
      return [...lasting('cudaMallocAsync'), ...lasting('cudaStreamSynchronize')];
    };
    const [first = 0, second = 0, waited = 0] = mallocs(0);
    expect(second).toBe(first);
    const [, kept = 0, waitedOnly = 0] = mallocs(400_000);
    expect(kept).toBeLessThan(first);
    expect(waited).toBeGreaterThan(waitedOnly);
  });

  it('fails if nothing will be freed', () => {
    const kept = ids.slice(0, 3).flatMap((id) => item(id, 'pool', false));
    expect(() => kernels(kept, 1_000_000)).toThrow('allocates');
  });
});

describe('the caching allocator', () => {
  // Its segments have 2 MiB.
  const segments = 3 * 2 ** 21;

  it('frees its cache, waiting for the device, and tries again', () => {
    const starts = kernels(
      ids.flatMap((id) => item(id, 'caching')),
      segments,
    );
    expect(starts[3]).toBeGreaterThanOrEqual((starts[2] ?? 0) + 5000);
  });

  it('grows with each stream that allocates, and reports what it holds', () => {
    const program = programWith({ streams, buffers, environment: { warmups: 0 } }, [
      ...item('w', 'caching'),
      ...item('x', 'caching', false),
    ]);
    const [state] = simulate(program, profileCosts(profile(segments))).memory;
    expect(state).toMatchObject({ device: 'gpu', peakAllocatedBytes: 400_384, reservedBytes: 2 * 2 ** 21 });
    expect(state?.reservedSteps.map(({ bytes }) => bytes)).toEqual([2 ** 21, 2 * 2 ** 21]);
    expect(state?.blocks.map(({ stream, state: now, requestedBytes }) => [stream, now, requestedBytes])).toEqual([
      ['w', 'inactive', 0],
      ['x', 'allocated', 400_000],
      ['x', 'inactive', 0],
    ]);
  });

  it('fails if its blocks are in use', () => {
    const kept = ids.flatMap((id) => item(id, 'caching', false));
    expect(() => kernels(kept, segments)).toThrow('allocates');
  });
});
