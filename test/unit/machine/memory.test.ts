/** A device without room: what its allocators do before they fail. It has 1,000,000 bytes. */
import { describe, expect, it } from 'vitest';
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

  it('fails if nothing will be freed', () => {
    const kept = ids.slice(0, 3).flatMap((id) => item(id, 'pool', false));
    expect(() => kernels(kept, 1_000_000)).toThrow('asks for');
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

  it('fails if its blocks are in use', () => {
    const kept = ids.flatMap((id) => item(id, 'caching', false));
    expect(() => kernels(kept, segments)).toThrow('asks for');
  });
});
