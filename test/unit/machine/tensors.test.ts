/** Multi-tensor copies by several threads: the rate of each on the host, and the start of helpers. */
import { describe, expect, it } from 'vitest';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import { type PlainRow, programWith, run, toyWith } from './toy.ts';

const KiB = 1024;
const copied = (rows: readonly PlainRow[]): readonly PlainRow[] => rows.filter(({ kind }) => kind === 'host-work');

/** Returns rows of tensors of 64 KiB, which four threads fill one after another. */
const rowsOf = (profile: DeviceProfile, tensors: number): readonly PlainRow[] => {
  const payload = { tensors, bytes: 64 * KiB, memory: 'pageable' };
  const copy = {
    op: 'multiCopy',
    stream: 'a',
    strategy: 'threaded-pinning',
    options: { threads: 4 },
    payload,
  } as const;
  const device = { ...profile.device, memoryBytes: 2 ** 40 };
  return run(programWith({ environment: { warmups: 1 } }, [copy]), { ...profile, device });
};
const threads = [1, 4].map((count): readonly [number, number] => [count, count * 1e9]);

describe('threads that copy tensors', () => {
  it('copy faster what the caches hold together', () => {
    const cached = toyWith({ 'host.threads': threads, 'host.cachedBytes': 2 ** 20, 'host.cachedBytesPerSecond': 4e9 });
    const first = (tensors: number) => copied(rowsOf(cached, tensors)).map(({ start, end }) => end - start)[0];
    expect(first(16)).toBe((64 * KiB) / 4);
    expect(first(17)).toBe(64 * KiB);
  });

  it('begin once they have woken, and a copy that is over before does not wait for them', () => {
    const profile = toyWith({ 'host.threads': threads, 'host.wakeNs': 1e6 });
    const begun = (tensors: number) =>
      copied(rowsOf(profile, tensors)).reduce(
        (first, { lane, start }) => first.set(lane, Math.min(start, first.get(lane) ?? start)),
        new Map<string, number>(),
      );
    const [caller = 0, ...helpers] = [...begun(800).values()].sort((a, b) => a - b);
    expect(helpers.map((start) => Math.round((start - caller) / 1e6))).toEqual([1, 1, 1]);
    expect([...begun(4).keys()]).toEqual(['thread:main']);
  });

  it('wait for each other in the driver, which one thread does not', () => {
    const longer = (options: object): number => {
      const copy = { op: 'multiCopy', stream: 'a', strategy: 'threaded-pinning', options };
      const payload = { tensors: 100, bytes: 1, memory: 'pageable' };
      const lasts = (contendedNs: number): number =>
        Math.max(
          ...run(
            programWith({ environment: { warmups: 1 } }, [{ ...copy, payload }]),
            toyWith({ 'calls.contendedNs': contendedNs }),
          ).map(({ end }) => end),
        );
      return lasts(1000) - lasts(0);
    };
    expect(longer({ threads: 1 })).toBe(0);
    expect(longer({ threads: 4 })).toBeGreaterThan(50_000);
  });
});

describe('a multi-tensor copy with a background thread', () => {
  const copy = {
    ...{ op: 'multiCopy', label: 'job', stream: 'a', strategy: 'packed' },
    options: { use_background_thread: true },
    payload: { tensors: 4, bytes: 64 * KiB },
  } as const;
  const work = { op: 'work', label: 'other', durationNs: 1000 } as const;
  const rows = (...operations: object[]): PlainRow[] =>
    run(programWith({ environment: { warmups: 1 } }, operations), toyWith({ 'host.threads': threads }));
  const calls = (of: readonly PlainRow[]) => of.filter(({ kind, name }) => kind === 'host-call' && name === 'job');

  it('lets its caller go on, which waits for the job before its next operation in the stream', () => {
    const made = rows(copy, work, { op: 'kernel', kernel: { kind: 'spin', durationNs: 10 }, stream: 'a' });
    const [job] = calls(made);
    const [other, launch] = ['other', 'cudaLaunchKernel'].map((name) => made.find((row) => row.name === name));
    expect(job?.lane).toBe('thread:main background');
    expect(other?.start).toBeLessThan(job?.end ?? 0);
    expect(launch?.start).toBeGreaterThan(job?.end ?? Infinity);
  });

  it('is waited for at the end of each round of a repeat', () => {
    const made = rows(
      { op: 'repeat', count: 3, operations: [copy, work] },
      { op: 'work', label: 'last', durationNs: 1 },
    );
    const jobs = calls(made);
    const last = made.find(({ name }) => name === 'last');
    expect(jobs).toHaveLength(3);
    expect(last?.start).toBeGreaterThan(jobs[2]?.end ?? Infinity);
  });

  it('refuses the own default stream of a host thread', () => {
    expect(() => rows({ ...copy, stream: 'per-thread' })).toThrow('no other thread can use');
  });
});
