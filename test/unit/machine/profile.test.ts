import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attainableBandwidth } from '../../../core/machine/cost/attainable.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { parseProfile, profileDeviceName, profileOfDevice } from '../../../core/machine/profile/profile.ts';
import type { Point } from '../../../core/machine/profile/schema.ts';
import { timeTable } from '../../../core/machine/profile/table.ts';
import { MiB } from '../../../core/units.ts';
import { h200, h200Costs } from './toy.ts';

const gigabytes = (
  direction: 'h2d' | 'd2h' | 'd2d' | 'h2h',
  memory: 'pinned' | 'pageable' | 'unknown',
  size: number,
) => {
  const rate = attainableBandwidth(h200Costs, direction, memory, size);
  return rate === null ? null : rate / 1e9;
};

describe('a table', () => {
  const points = fc
    .uniqueArray(fc.integer({ min: 1, max: 2 ** 30 }), { minLength: 1, maxLength: 12 })
    .chain((sizes) =>
      fc.tuple(
        fc.constant(sizes),
        fc.array(fc.integer({ min: 1, max: 1e9 }), { minLength: sizes.length, maxLength: sizes.length }),
      ),
    )
    .map(([sizes, times]) => {
      const [ascending, rising] = [sizes.toSorted((a, b) => a - b), times.toSorted((a, b) => a - b)];
      return ascending.map((size, index) => [size, rising[index] ?? 1] as Point);
    });

  it('never gives a larger copy less time', () => {
    fc.assert(
      fc.property(
        points,
        fc.integer({ min: 1, max: 2 ** 31 }),
        fc.integer({ min: 1, max: 2 ** 20 }),
        (table, size, more) => {
          const time = timeTable(table);
          expect(time(size + more)).toBeGreaterThanOrEqual(time(size) * (1 - 1e-12));
        },
      ),
    );
  });

  it('is proportional beyond its largest size, and flat below its smallest', () => {
    const time = timeTable([
      [100, 1000],
      [10_000, 4000],
    ]);
    expect([time(1), time(100), time(1000), time(10_000), time(20_000)]).toEqual([
      1000,
      1000,
      expect.closeTo(2000, 6),
      4000,
      8000,
    ]);
  });
});

describe('the H200 profile', () => {
  it('attains what was measured', () => {
    expect(gigabytes('h2d', 'pinned', 20 * MiB)).toBeCloseTo(55.2, 0);
    expect(gigabytes('h2d', 'pinned', 1024 * MiB)).toBeCloseTo(55.56, 0);
    expect(gigabytes('d2h', 'pinned', 256 * MiB)).toBeCloseTo(55.2, 0);
    expect(gigabytes('d2d', 'unknown', 1024 * MiB) ?? 0).toBeGreaterThan(2000);
    // Measured on machines of this kind: 9.4 to 18 GB/s, 7.5 to 18 GB/s, and one thread's 6.8 to 10 GB/s.
    const between = (rate: number | null, least: number, most: number): boolean =>
      (rate ?? 0) > least && (rate ?? 0) < most;
    expect(between(gigabytes('h2d', 'pageable', 16 * MiB), 9.4, 19)).toBe(true);
    expect(between(gigabytes('h2d', 'pageable', 64 * MiB), 7.5, 18.3)).toBe(true);
    expect(between(gigabytes('h2h', 'pageable', MiB), 6.8, 14.7)).toBe(true);
  });

  it('says nothing of memory it does not know', () => {
    expect(gigabytes('h2d', 'unknown', MiB)).toBeNull();
    expect(gigabytes('h2d', 'pinned', 0)).toBeNull();
  });
});

describe('reading a profile', () => {
  const broken = (change: (profile: Record<string, Record<string, unknown>>) => void): unknown => {
    const copy = JSON.parse(JSON.stringify(h200));
    change(copy);
    return copy;
  };

  const parameters = (change: object) => broken((profile) => Object.assign(profile['parameters'] ?? {}, change));

  it.each([
    ['a missing source', broken((profile) => delete profile['source']), 'source'],
    [
      'a missing parameter',
      broken((profile) => delete profile['parameters']?.['queue.depth']),
      'parameters.queue.depth',
    ],
    ['a depth of none', parameters({ 'queue.depth': 0 }), 'parameters.queue.depth'],
    ['an unknown parameter', parameters({ 'link.nvlink': 1 }), 'parameters'],
    [
      'a table that goes back',
      parameters({
        'copies.d2d': [
          [4, 2],
          [4, 3],
        ],
      }),
      'parameters.copies.d2d[1]',
    ],
    [
      'a larger copy in less time',
      parameters({
        'copies.d2d': [
          [4, 2],
          [8, 1],
        ],
      }),
      'parameters.copies.d2d[1]',
    ],
    ['no table', parameters({ 'copies.d2d': [] }), 'parameters.copies.d2d'],
    ['no object', 'h200', 'document'],
  ])('names the field of %s', (_, json, field) => {
    expect(() => parseProfile(json)).toThrow(
      expect.objectContaining({ code: 'profile.invalid', field, remedy: expect.any(String) }),
    );
  });

  it('opens one of version 1', () => {
    const former = JSON.parse(readFileSync('test/fixtures/calibrated/seed-20261145.json', 'utf8'));
    const { version, parameters: known, device } = parseProfile(former);
    expect(version).toBe(2);
    expect(known['calls.launchNs']).toBe(former.calls.launchNs);
    expect(known['copies.h2d.pageable'][0]).toEqual(Object.values(former.copies.h2d.pageable.call[0]));
    expect(known['kernel.l2Bytes']).toBe(former.device.l2Bytes);
    expect(device.mallocSynchronizes).toBe(former.memory.mallocSynchronizes);
  });
});

describe('the profiles that ship', () => {
  const folder = join(import.meta.dirname, '../../../assets/profiles');
  const profiles = readdirSync(folder).map((file) => ({
    file,
    profile: parseProfile(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
  }));

  it('are called by their files, and say where their numbers are from', () => {
    expect(profiles.length).toBeGreaterThanOrEqual(3);
    for (const { file, profile } of profiles) {
      expect(file).toBe(`${profile.name}.json`);
      expect(profile.source.length).toBeGreaterThan(20);
    }
  });

  it('say of themselves and of their device that they were not measured, where they were built from published figures', () => {
    const published = profiles.filter(({ profile }) => profile.basis === 'published');
    expect(published.map(({ profile }) => profile.name)).toEqual(['rtx-4090', 'rtx-5090']);
    for (const { profile } of published) {
      expect(profile.source).toContain('Built from published figures');
      expect(profile.sources?.['calls']).toContain('assumed as measured on an H200');
      expect(profileDeviceName(profile)).toBe(`${profile.device.name} (published figures, not measured)`);
    }
    expect(profileDeviceName(h200)).toBe('NVIDIA H200');
  });

  it('are chosen by device and machine: that very machine first, then such a device here, then one anywhere', () => {
    const known = [
      { name: 'there', device: 'NVIDIA H200 of gpu-box', host: 'gpu-box' },
      { name: 'h200', device: 'NVIDIA H200' },
      { name: 'other', device: 'NVIDIA A100 of old-box', host: 'old-box' },
    ];
    const chosen = (device: string, host?: string) => profileOfDevice(known, device, host)?.name;
    expect(chosen('NVIDIA H200', 'gpu-box')).toBe('there');
    expect(chosen('NVIDIA H200', 'new-box')).toBe('h200');
    expect(chosen('NVIDIA H200')).toBe('h200');
    expect(chosen('NVIDIA A100')).toBe('other');
    expect(chosen('NVIDIA B200')).toBeUndefined();
  });

  it('move a large pinned copy at the rate of their link', () => {
    for (const { profile } of profiles) {
      const rate = attainableBandwidth(profileCosts(profile), 'h2d', 'pinned', 2 ** 30) ?? 0;
      expect(Math.abs(rate / profile.parameters['link.bytesPerSecond'] - 1)).toBeLessThan(0.02);
    }
  });
});
