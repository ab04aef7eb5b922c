import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lower } from '../../../core/program/lower.ts';
import { attainableBandwidth, parseProfile, profileDeviceName } from '../../../core/simulator/profile.ts';
import { simulate } from '../../../core/simulator/simulate.ts';
import { timeTable } from '../../../core/simulator/table.ts';
import { bytes, MiB } from '../../../core/units.ts';
import { experimentOf } from '../support/experiments.ts';
import { h200, plainRows } from './toy.ts';

const gigabytes = (
  direction: 'h2d' | 'd2h' | 'd2d' | 'h2h',
  memory: 'pinned' | 'pageable' | 'unknown',
  size: number,
) => {
  const rate = attainableBandwidth(h200, direction, memory, bytes(size));
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
      return ascending.map((size, index) => ({ bytes: size, ns: rising[index] ?? 1 }));
    });

  it('gives its points', () => {
    fc.assert(
      fc.property(points, (table) => {
        expect(table.map((point) => timeTable(table)(point.bytes))).toEqual(table.map((point) => point.ns));
      }),
    );
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
      { bytes: 100, ns: 1000 },
      { bytes: 10_000, ns: 4000 },
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
    // What machines of this kind showed: 9.4 to 18 GB/s, 7.5 to 18 GB/s, and one thread's 6.8 to 10 GB/s.
    const between = (rate: number | null, least: number, most: number): boolean =>
      (rate ?? 0) > least && (rate ?? 0) < most;
    expect(between(gigabytes('h2d', 'pageable', 16 * MiB), 9.4, 19)).toBe(true);
    expect(between(gigabytes('h2d', 'pageable', 64 * MiB), 7.5, 18.3)).toBe(true);
    expect(between(gigabytes('h2h', 'pageable', MiB), 6.8, 14.7)).toBe(true);
  });

  it.each([4096, MiB, 8 * MiB, 256 * MiB])(
    'attains on the host what a simulated copy of %i bytes reaches alone',
    (size) => {
      const experiment = experimentOf(
        {
          buffers: [
            { id: 'from', memory: 'pageable', bytes: size },
            { id: 'to', memory: 'pinned', bytes: size },
          ],
        },
        [{ op: 'copy', src: 'from', dst: 'to' }],
      );
      const row = plainRows(simulate(lower(experiment), h200).trace).find(({ kind }) => kind === 'copy');
      expect(gigabytes('h2h', 'pageable', size)).toBeCloseTo(size / ((row?.end ?? 0) - (row?.start ?? 0)), 2);
    },
  );

  it('attains less at small sizes', () => {
    expect(gigabytes('h2d', 'pinned', 4096)).toBeLessThan(5);
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

  it.each([
    ['a missing source', broken((profile) => delete profile['queue']?.['source']), 'queue.source'],
    ['a depth of none', broken((profile) => Object.assign(profile['queue'] ?? {}, { depth: 0 })), 'queue.depth'],
    ['an unknown field', broken((profile) => Object.assign(profile['link'] ?? {}, { nvlink: 1 })), 'link'],
    [
      'a table that goes back',
      withTable([
        { bytes: 4, ns: 2 },
        { bytes: 4, ns: 3 },
      ]),
      'copies.d2d.device[1].bytes',
    ],
    [
      'a larger copy in less time',
      withTable([
        { bytes: 4, ns: 2 },
        { bytes: 8, ns: 1 },
      ]),
      'copies.d2d.device[1].ns',
    ],
    ['no table', withTable([]), 'copies.d2d.device'],
    ['no object', 'h200', 'document'],
  ])('names the field of %s', (_, json, field) => {
    expect(() => parseProfile(json)).toThrow(
      expect.objectContaining({ code: 'profile.invalid', field, remedy: expect.any(String) }),
    );
  });
});

function withTable(device: unknown[]): unknown {
  const { copies, ...rest } = h200;
  return { ...rest, copies: { ...copies, d2d: { ...copies.d2d, device } } };
}

describe('the profiles that ship', () => {
  const folder = join(import.meta.dirname, '../../../assets/profiles');
  const profiles = readdirSync(folder).map((file) => ({
    file,
    profile: parseProfile(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
  }));

  it('are called by their files, and each section says where it is from', () => {
    expect(profiles.length).toBeGreaterThanOrEqual(3);
    for (const { file, profile } of profiles) {
      expect(file).toBe(`${profile.name}.json`);
      for (const section of [profile.device, profile.kernel, profile.link, profile.host]) {
        expect(section.source.length).toBeGreaterThan(20);
      }
    }
  });

  it('say of themselves and of their device that they were not measured, where they were built from published figures', () => {
    const published = profiles.filter(({ profile }) => profile.basis === 'published');
    expect(published.map(({ profile }) => profile.name)).toEqual(['rtx-4090', 'rtx-5090']);
    for (const { profile } of published) {
      expect(profile.source).toContain('Built from published figures');
      expect(profile.calls.source).toContain('assumed as measured on an H200');
      expect(profileDeviceName(profile)).toBe(`${profile.device.name} (published figures, not measured)`);
    }
    expect(profileDeviceName(h200)).toBe('NVIDIA H200');
  });

  it('move a large pinned copy at the rate of their link', () => {
    for (const { profile } of profiles) {
      const rate = attainableBandwidth(profile, 'h2d', 'pinned', bytes(2 ** 30)) ?? 0;
      expect(Math.abs(rate / profile.link.h2dBytesPerSecond - 1)).toBeLessThan(0.02);
    }
  });
});
