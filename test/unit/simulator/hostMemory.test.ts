/** What host threads do with memory: how long writes, reads and copies on the host last. */
import { describe, expect, it } from 'vitest';
import { arrivedRate, loopRates, memcpyParameter } from '../../../core/simulator/memcpyRate.ts';
import type { DeviceProfile } from '../../../core/simulator/profile.ts';
import { program, programWith, run, toyProfile } from './toy.ts';

/** Rates in bytes a nanosecond. */
const rates = (host: Partial<DeviceProfile['host']>): DeviceProfile => ({
  ...toyProfile,
  host: {
    ...toyProfile.host,
    ...Object.fromEntries(
      Object.entries(host).map(([key, value]) => [key, typeof value === 'number' ? value * 1e9 : value]),
    ),
  },
});
const constant = { kind: 'constant', value: 7 } as const;
const index = { kind: 'index' } as const;
const random = { kind: 'random', seed: 3 } as const;
type Pattern = typeof constant | typeof index | typeof random;
const write = (pattern: Pattern, buffer = 'pageable') => ({ op: 'write', buffer, bytes: 1000, pattern }) as const;
const read = (buffer: string) => ({ op: 'read', buffer, bytes: 1000 }) as const;

const lengths = (tested: Parameters<typeof run>[0], profile: DeviceProfile): number[] =>
  run(tested, profile)
    .filter(({ kind }) => kind === 'host-write' || kind === 'host-read')
    .map(({ start, end }) => end - start);

describe('a host thread that writes', () => {
  const tested = program([write(constant), write(index), write(random)]);

  it('takes as long as the words of its content take', () => {
    const profile = rates({ writeBytesPerSecond: 5, indexBytesPerSecond: 4, randomBytesPerSecond: 2 });
    expect(lengths(tested, profile)).toEqual([200, 250, 500]);
  });

  it('is never faster than its memory', () => {
    const profile = rates({ writeBytesPerSecond: 1, indexBytesPerSecond: 4, randomBytesPerSecond: 2 });
    expect(lengths(tested, profile)).toEqual([1000, 1000, 1000]);
  });

  it('copies where the profile says nothing of writing', () => {
    expect(lengths(tested, toyProfile)).toEqual([1000, 1000, 1000]);
  });
});

describe('a host thread that reads', () => {
  const host = { readBytesPerSecond: 5, readArrivedBytesPerSecond: 4, randomBytesPerSecond: 2.5 };

  it('takes longer against random content, and of what a copy engine may have written', () => {
    const tested = program([
      write(index),
      read('pageable'),
      write(index, 'pinned'),
      read('pinned'),
      write(random),
      read('pageable'),
    ]);
    const reads = (profile: DeviceProfile) => lengths(tested, profile).filter((_, place) => place % 2 === 1);
    expect(reads(rates(host))).toEqual([200, 250, 400]);
    expect(reads(rates({ ...host, readRandomBytesPerSecond: 2 }))).toEqual([200, 250, 500]);
  });
});

describe('a host thread that reads before a copy has arrived', () => {
  const copy = { op: 'copy', src: 'device', dst: 'pinned', stream: 'a', bytes: 500 } as const;
  const wait = { op: 'synchronizeStream', stream: 'a' } as const;
  const profile = rates({ readBytesPerSecond: 5, readWrongBytesPerSecond: 0.5 });

  it('takes longer, since it counts each wrong byte', () => {
    expect(lengths(program([copy, read('pinned')]), profile)).toEqual([2000]);
    expect(lengths(program([copy, wait, read('pinned')]), profile)).toEqual([200]);
  });

  it('takes as long as ever of a buffer that the copy leaves alone', () => {
    expect(lengths(program([copy, read('pinned2')]), profile)).toEqual([200]);
  });
});

describe('a copy from host to host', () => {
  const copy = { op: 'copy', src: 'pageable', dst: 'pinned', stream: 'a', bytes: 1000 } as const;

  it('comes from memory where what is filled before leaves nothing in the caches', () => {
    const cached = { bytes: 5000, bytesPerSecond: 2e9 };
    const profile = (lastLevelBytes: number) => ({
      ...toyProfile,
      host: { ...toyProfile.host, cached, lastLevelBytes },
    });
    const lasts = (lastLevelBytes: number) =>
      run(program([copy]), profile(lastLevelBytes))
        .filter(({ kind }) => kind === 'copy')
        .map(({ start, end }) => end - start);
    // The copy's target is a buffer of 100,000 bytes.
    expect([lasts(100_000), lasts(99_999)]).toEqual([[500], [1000]]);
  });

  it('lasts longer than its bytes', () => {
    const profile = { ...toyProfile, host: { ...toyProfile.host, memcpyNs: 50 } };
    const copies = run(program([copy]), profile).filter(({ kind }) => kind === 'copy');
    expect(copies.map(({ start, end }) => end - start)).toEqual([1050]);
  });
});

describe('a host thread that copies', () => {
  const { host } = toyProfile;
  const near = { bytes: 100, bytesPerSecond: 6e9 };
  const cached = { bytes: 1000, bytesPerSecond: 2e9 };
  const profile = { ...toyProfile, host: { ...host, near, cached } };

  it('is as fast as the caches that hold what it copies', () => {
    expect([100, 101, 1000, 1001].map((bytes) => memcpyParameter(profile, bytes))).toMatchObject([
      { name: 'near.bytesPerSecond', bytesPerSecond: 6e9 },
      { name: 'cached.bytesPerSecond', bytesPerSecond: 2e9 },
      { name: 'cached.bytesPerSecond', bytesPerSecond: 2e9 },
      { name: 'memcpyBytesPerSecond', bytesPerSecond: 1e9 },
    ]);
    expect(memcpyParameter(toyProfile, 1).bytesPerSecond).toBe(1e9);
  });

  /** Nanoseconds a byte. */
  const costs = ({ kept, gone }: ReturnType<typeof loopRates>): number[] => [1e9 / kept, 1e9 / gone];
  const close = (...values: number[]) => values.map((value) => expect.closeTo(value));

  it('takes half of its time to read and half to write, each from caches or from memory', () => {
    expect(costs(loopRates(profile, 2000, 2000))).toEqual(close(1, 1));
    expect(costs(loopRates(profile, 1000, 1000))).toEqual(close(1 / 2, 1));
    expect(costs(loopRates(profile, 1000, 100))).toEqual(close(0.5 / 2 + 0.5 / 6, 0.5 + 0.5 / 6));
  });

  it('finds in the last cache what has been touched lately, as fast as what is known to lie in caches', () => {
    const large = { ...profile, host: { ...profile.host, lastLevelBytes: 5000 } };
    expect(costs(loopRates(large, 5000, 5000))).toEqual(close(1 / 2, 1));
    expect(costs(loopRates(large, 5001, 5001))).toEqual(close(1, 1));
  });

  it('writes what has arrived to caches as far as processors keep what was there', () => {
    const mega = 2 ** 20;
    const large = { ...profile, host: { ...profile.host, arrivedPart: 0.5, lastLevelBytes: 1000 * mega } };
    expect(1e9 / arrivedRate(large, 32 * mega)).toBeCloseTo(1 / 2);
    expect(1e9 / arrivedRate(large, 64 * mega)).toBeCloseTo(0.5 / 2 + 0.5 * 0.5);
  });

  it('copies tensors that are waited for through one page-locked block', () => {
    const lasts = (strategy: string) => {
      const payload = { tensors: 4, bytes: 1000, memory: 'pageable' };
      const tested = programWith({ environment: { warmups: 1 } }, [
        { op: 'multiCopy', stream: 'a', strategy, payload },
      ]);
      const [row] = run(tested, profile).filter(({ kind }) => kind === 'host-work');
      return row === undefined ? Number.NaN : row.end - row.start;
    };
    expect(lasts('pin-then-copy')).toBe(Math.round(1000 * (0.5 + 0.5 / 2)) + 1);
    expect(lasts('pin-then-copy-non-blocking')).toBe(1001);
  });
});

describe('pageable memory that a host thread stages', () => {
  const copy = { op: 'copy', src: 'pageable', dst: 'device', stream: 'a', bytes: 1000 } as const;
  const pause = { op: 'work', durationNs: 2000 } as const;
  const fill = { op: 'write', buffer: 'pinned', bytes: 8, pattern: constant } as const;
  const host = { ...toyProfile.host, memcpyBytesPerSecond: 0.25e9, cached: { bytes: 5000, bytesPerSecond: 2e9 } };
  const calls = (host: DeviceProfile['host'], ...operations: Parameters<typeof program>[0][]) =>
    operations.map((some) =>
      run(program(some), { ...toyProfile, host })
        .filter(({ kind }) => kind === 'host-call')
        .map(({ start, end }) => end - start),
    );

  it('comes from memory where all that is filled before leaves nothing in the caches', () => {
    const [few, many] = [100_000, 99_999].map((lastLevelBytes) =>
      calls({ ...host, lastLevelBytes }, [copy, fill, copy]),
    );
    expect([few, many]).toEqual([[[2000, 2000]], [[4000, 2000]]]);
  });

  it('comes from memory in part some time after it was touched last', () => {
    // An iteration takes 2 us for the call and 2 for the pause, and is as long ago as it takes.
    const [long, short] = [40_000, 8000].map((residentNs) => calls({ ...host, residentNs }, [copy, pause]));
    expect(long?.[0]?.[0]).toBeCloseTo(2000 * 1.01, -1);
    expect(short?.[0]?.[0]).toBeCloseTo(2000 * 1.25, -2);
    const [twice] = calls({ ...host, residentNs: 8000 }, [copy, pause, copy]);
    expect(twice?.[1]).toBe(2000 * (1 + (2000 / 8000) ** 2));
  });

  it('takes longer to copy to where another processor has just written', () => {
    const down = { op: 'copy', src: 'device', dst: 'pageable', stream: 'a', bytes: 1000 } as const;
    const [plain, fresh] = [1, 2].map((freshFactor) => calls({ ...host, freshFactor }, [down, down]));
    const [[first = 0, second = 0] = []] = fresh ?? [];
    expect(plain?.[0]?.[0]).toBe(second);
    expect(first).toBeGreaterThan(1.3 * second);
  });
});
