/** Multi-tensor copies by several threads: how fast each copies on the host, what its calls cost, and how its chunks cross. */
import { describe, expect, it } from 'vitest';
import type { DeviceProfile } from '../../../core/simulator/profile.ts';
import { type PlainRow, programWith, run, toyProfile } from './toy.ts';

const KiB = 1024;
const lengths = (rows: readonly PlainRow[], kind: PlainRow['kind']): number[] =>
  rows.filter((row) => row.kind === kind).map(({ start, end }) => end - start);

/** Tensors of 64 KiB, which four threads fill one after another. */
const rowsOf = (
  profile: DeviceProfile,
  strategy: string,
  tensors: number,
  ...before: object[]
): readonly PlainRow[] => {
  const payload = { tensors, bytes: 64 * KiB, memory: 'pageable' };
  const copy = { op: 'multiCopy', stream: 'a', strategy, options: { threads: 4 }, payload } as const;
  const environment = { warmups: 1 };
  return run(programWith({ environment }, [...(before as never[]), copy]), {
    ...profile,
    device: { ...profile.device, memoryBytes: 2 ** 40 },
  });
};
const withHost = (host: Partial<DeviceProfile['host']>): DeviceProfile => ({
  ...toyProfile,
  host: {
    ...{ ...toyProfile.host, cached: { bytes: 2 ** 24, bytesPerSecond: 4e9 } },
    ...{ threads: [1, 4].map((threads) => ({ threads, bytesPerSecond: threads * 1e9 })), ...host },
  },
});

describe('threads that copy tensors', () => {
  const tensors = 8;

  it('find them in the caches, until those have forgotten them', () => {
    const each = (profile: DeviceProfile) => lengths(rowsOf(profile, 'threaded-pinning', tensors), 'host-work')[0];
    expect(each(withHost({}))).toBe((64 * KiB) / 4);
    expect(each(withHost({ residentNs: 1e12 }))).toBe((64 * KiB) / 4);
    expect(each(withHost({ residentNs: 1 }))).toBe(64 * KiB);
  });

  it('are not needed for that: what the driver stages in a loop has left the caches too', () => {
    const calls = (residentNs: number, count = 1): number[] => {
      const payload = { tensors: 4, bytes: 256 * KiB, memory: 'pageable' };
      const copy = { op: 'multiCopy', stream: 'a', strategy: 'blocking-loop', payload };
      const operations = [
        { op: 'work', durationNs: 1e9 },
        { op: 'repeat', count, operations: [copy] },
      ] as never[];
      const profile = withHost({ residentNs, memcpyBytesPerSecond: 1e8, lastLevelBytes: 2 ** 27 });
      const device = { ...profile.device, memoryBytes: 2 ** 40 };
      const rows = run(programWith({ environment: { warmups: 1 } }, operations), { ...profile, device });
      return lengths(
        rows.filter(({ name }) => name === 'cudaMemcpyAsync'),
        'host-call',
      );
    };
    const fromMemoryNs = (256 * KiB * 1e9) / 1e8;
    expect(calls(1)).toEqual(Array(4).fill(fromMemoryNs));
    expect(Math.max(...calls(1e15))).toBeLessThan(fromMemoryNs / 2);
    // The second time round it was there a moment ago.
    const [first = 0, last = 0] = [calls(1e9, 2).at(0), calls(1e9, 2).at(-1)];
    expect(first).toBe(fromMemoryNs);
    expect(last).toBeLessThan(first / 2);
  });

  it('are not needed for that either where one thread puts them into page-locked memory', () => {
    const pinned = (strategy: string, residentNs: number): number[] => {
      const payload = { tensors: 4, bytes: 64 * KiB, memory: 'pageable' };
      const copy = { op: 'multiCopy', stream: 'a', strategy, payload };
      const profile = withHost({ residentNs });
      const device = { ...profile.device, memoryBytes: 2 ** 40 };
      const rows = run(programWith({ environment: { warmups: 1 } }, [copy as never]), { ...profile, device });
      return lengths(rows, 'host-work');
    };
    const cachedNs = (64 * KiB) / 4;
    const memoryNs = 64 * KiB;
    for (const strategy of ['pin-then-copy', 'pin-then-copy-non-blocking'])
      expect(pinned(strategy, 1e15)).toEqual(Array(4).fill(cachedNs + 1));
    // The one block of page-locked memory for all stays in the caches.
    expect(pinned('pin-then-copy', 1)).toEqual(Array(4).fill((memoryNs + cachedNs) / 2 + 1));
    expect(pinned('pin-then-copy-non-blocking', 1)).toEqual(Array(4).fill(memoryNs + 1));
  });

  it('leave the caches while the engine overwrites what they go to, however short the iteration is', () => {
    const first = (tensors: number): number => {
      const profile = withHost({ residentNs: 10e6, lastLevelBytes: 2 ** 40 });
      const payload = { tensors, bytes: 2 ** 20, memory: 'pageable' };
      const copy = { op: 'multiCopy', stream: 'a', strategy: 'blocking-loop', payload };
      const device = { ...profile.device, memoryBytes: 2 ** 40 };
      const fast = { ...profile, device, host: { ...profile.host, memcpyBytesPerSecond: 1e8 } };
      const rows = run(programWith({ environment: { warmups: 1 } }, [copy as never]), fast);
      return lengths(rows, 'host-call')[0] ?? Number.NaN;
    };
    // 64 MiB by sixteen threads take 31 ms, 1 MiB by one thread a tenth of a millisecond.
    expect(first(64)).toBeCloseTo((2 ** 20 / 1e8) * 1e9, -3);
    expect(first(1)).toBeLessThan(first(64) / 2);
  });

  it('find those that this iteration has copied already', () => {
    const pause = { op: 'work', durationNs: 1e7 };
    const repeated = (residentNs: number): number[] => {
      const payload = { tensors: 4, bytes: 64 * KiB, memory: 'pageable' };
      const copy = { op: 'multiCopy', stream: 'a', strategy: 'threaded-pinning', payload };
      const operations = [pause, { op: 'repeat', count: 2, operations: [copy] }] as never[];
      const profile = withHost({ residentNs });
      const device = { ...profile.device, memoryBytes: 2 ** 40 };
      return lengths(
        run(programWith({ environment: { warmups: 1 } }, operations), { ...profile, device }),
        'host-work',
      );
    };
    const [first = 0, last = 0] = [repeated(1e6).at(1), repeated(1e6).at(-1)];
    expect(first).toBe(64 * KiB);
    expect(last).toBeLessThan(first / 2);
  });

  it('store small batches past their caches, so that chunks cross as fast as from anywhere', () => {
    const fresh = { ...withHost({}), link: { ...toyProfile.link, freshFactor: 2 } };
    const plain = withHost({});
    const crossing = (profile: DeviceProfile, count: number) =>
      lengths(rowsOf(profile, 'pipelined', count), 'copy').reduce((sum, ns) => sum + ns, 0);
    const host = (count: number) => Math.min(...lengths(rowsOf(plain, 'pipelined', count), 'host-work'));
    // 4 MiB in all are a MiB for each thread.
    expect(crossing(fresh, 64)).toBe(crossing(plain, 64));
    expect(crossing(fresh, 65)).toBeGreaterThan(crossing(plain, 65));
    expect(host(64)).toBeGreaterThan(3 * host(65));
  });

  it('hand small batches to the compute channel where the device takes such copies there', () => {
    const engines = (idleCommandCopyBytes: number): string[] => {
      const payload = { tensors: 4, bytes: 64, memory: 'pageable' };
      const copy = { op: 'multiCopy', stream: 'a', strategy: 'packed', payload } as const;
      const profile = { ...toyProfile, queue: { ...toyProfile.queue, idleCommandCopyBytes } };
      return run(programWith({}, [copy]), profile)
        .filter(({ kind }) => kind === 'copy')
        .map(({ engine }) => engine);
    };
    expect(engines(256)).toEqual(['compute:gpu']);
    expect(engines(255)).toEqual(['engine:gpu:h2d']);
  });

  it('wake one after another, and a copy that is over before does not wait for them', () => {
    const profile = withHost({ wakeNs: 0, sleeperWakeNs: 7e6 });
    const begun = (tensors: number) =>
      rowsOf(profile, 'threaded-pinning', tensors)
        .filter(({ kind, name }) => kind === 'host-work' && name !== '')
        .reduce((first, { lane, start }) => first.set(lane, Math.min(start, first.get(lane) ?? start)), new Map());
    const [caller = 0, ...helpers] = [...begun(800).values()].sort((a, b) => a - b);
    expect(helpers.map((start) => Math.round((start - caller) / 1e6))).toEqual([1, 2, 3]);
    // Four tensors take the caller a fraction of the millisecond after which the first helper wakes.
    expect([...begun(4).keys()]).toEqual(['thread:main']);
    const ends = rowsOf(profile, 'threaded-pinning', 4).map(({ end }) => end);
    expect(Math.max(...ends)).toBeLessThan(1e6);
  });

  it('find nothing of the driver in their caches at the first call of each in an iteration', () => {
    const slow = (firstNs: number) => ({ ...toyProfile, calls: { ...toyProfile.calls, firstNs } });
    const lasts = (firstNs: number, ...before: object[]) =>
      Math.max(...lengths(rowsOf(slow(firstNs), 'threaded-pinning', 4, ...before), 'host-call'));
    // The calling thread's first call is another one; its three helpers' go one after another.
    const known = { op: 'copy', src: 'pinned', dst: 'device', stream: 'a', bytes: 1 };
    expect(lasts(1e6, known) - lasts(0, known)).toBeGreaterThan(2.5e6);
  });
});
