/** Managed memory in the simulator: pages move, are used over the link, or are doubled. */
import { describe, expect, it } from 'vitest';
import { findHazards } from '../../../core/explain/hazards/hazards.ts';
import { explainWithRemedies } from '../../../core/explain/remedies/remedies.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { activity, iterationOf } from '../../../core/trace/iteration.ts';
import { MiB } from '../../../core/units.ts';
import { experimentOf } from '../support/experiments.ts';
import { h200Machine } from './toy.ts';

type Operations = readonly object[];

const write = { op: 'write', buffer: 'shared', pattern: { kind: 'index', seed: 3 } } as const;
const read = { op: 'read', buffer: 'shared' } as const;
const use = (...writes: string[]) => {
  const [reads, target] = [['shared'], writes.length > 0 ? writes : ['shared']];
  return { op: 'kernel', kernel: { kind: 'stream' }, reads, writes: target, stream: 's' } as const;
};
const wait = { op: 'synchronizeStream', stream: 's' } as const;
const prefetch = (to: 'device' | 'host') => ({ op: 'prefetch', buffer: 'shared', to, stream: 's' }) as const;

const experiment = (operations: Operations, bytes = 64 * MiB, more: object = {}) =>
  experimentOf(
    {
      buffers: [
        { id: 'shared', memory: 'managed', bytes },
        { id: 'other', memory: 'device', bytes: 64 * MiB },
        { id: 'host', memory: 'pinned', bytes: 64 * MiB },
      ],
      streams: [{ id: 's' }, { id: 't' }],
      ...more,
    },
    operations,
  );

/** Returns the time of each row of a kind in milliseconds. */
function times(operations: Operations, kind: string, bytes?: number): number[] {
  const { trace } = simulate(lower(experiment(operations, bytes)), h200Machine.costs);
  const { begin, end } = iterationOf(trace, 0);
  const rows = Array.from({ length: end - begin }, (_, row) => activity(trace, begin + row));
  return rows.filter((row) => row.kind === kind).map(({ startNs, endNs }) => (endNs - startNs) / 1e6);
}

describe('managed memory', () => {
  it('moves pages to a kernel once, within the times of an H200 for 64 MiB', () => {
    const [first = 0, second = 0] = times([use(), use()], 'kernel');
    expect(first).toBeGreaterThan(5);
    expect(first).toBeLessThan(10.7);
    expect(second).toBeLessThan(0.1);
  });

  it('moves pages back to the host', () => {
    const [before = 0, after = 0] = times([read, use(), wait, read], 'host-read');
    expect(after - before).toBeGreaterThan(4);
    expect(after - before).toBeLessThan(12);
  });

  it('moves only the pages that a kernel has not got', () => {
    const half = { ...prefetch('device'), bytes: 32 * MiB };
    const [whole = 0, rest = 0] = [times([use()], 'kernel'), times([half, use()], 'kernel')].flat();
    expect(rest / whole).toBeCloseTo(0.5, 1);
  });

  it('prefetches pages faster than a kernel gets them, and holds the host while the stream is idle', () => {
    const [there = 0, back = 0] = times([prefetch('device'), use(), prefetch('host')], 'copy');
    expect(there).toBeCloseTo(1.44, 1);
    expect(back).toBeCloseTo(4.2, 0);
    const [held = 0] = times([prefetch('device')], 'host-call');
    const [, behind = 0] = times(
      [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 1e6 }, stream: 's' }, prefetch('device')],
      'host-call',
    );
    expect(held).toBeGreaterThan(0.5);
    expect(behind).toBeLessThan(0.05);
  });

  it('lets a prefetch and a copy share the link', () => {
    const copy = { op: 'copy', src: 'host', dst: 'other', stream: 't' } as const;
    const [first = 0, last = 0] = times([copy, prefetch('device')], 'copy');
    expect(Math.max(first, last)).toBeGreaterThan(2);
    expect(Math.max(first, last)).toBeLessThan(2.8);
  });

  it('lets a kernel use pages over the link if the memory prefers the host', () => {
    const advise = { op: 'advise', buffer: 'shared', advice: 'preferred-host' } as const;
    const [first = 0, second = 0] = times([advise, use('other'), use('other')], 'kernel');
    expect(first).toBeCloseTo(1.36, 1);
    expect(second).toBeCloseTo(first, 2);
    const [before = 0, after = 0] = times([advise, read, use('other'), wait, read], 'host-read');
    expect(after).toBeCloseTo(before, 6);
  });

  it('keeps read-mostly pages on both sides until one writes them', () => {
    const advise = { op: 'advise', buffer: 'shared', advice: 'read-mostly' } as const;
    const [before = 0, after = 0] = times([advise, read, use('other'), wait, read], 'host-read');
    expect(after).toBeCloseTo(before, 6);
    const [, slow = 0] = times([advise, use('other'), use()], 'kernel');
    expect(slow).toBeGreaterThan(400);
  });

  it('makes pages at the first touch of allocated memory', () => {
    const buffers = [{ id: 'shared', memory: 'managed', bytes: 64 * MiB, allocated: 'by-operation' }] as const;
    const made = [
      { op: 'allocate', buffer: 'shared', allocator: 'cuda-malloc' },
      use(),
      { op: 'free', buffer: 'shared' },
    ];
    const { makespanNs } = simulate(
      lower(experiment(made as Operations, 0, { buffers: [...buffers] })),
      h200Machine.costs,
    );
    expect(makespanNs / 1e6).toBeGreaterThan(3.9);
    expect(makespanNs / 1e6).toBeLessThan(9);
  });

  it('names kernels and reads that wait for pages, and gains by a prefetch', () => {
    const explained = explainWithRemedies(experiment([write, use(), wait, read]), h200Machine);
    const found = explained?.before.verdicts.map(({ cause, title }) => [cause, title]);
    expect(found).toEqual([
      ['managed-pages', 'Host waits for pages'],
      ['managed-pages', 'Kernel waits for pages'],
    ]);
    for (const { gainNs, steps } of explained?.remedies ?? []) {
      expect(steps).toHaveLength(1);
      expect(gainNs).toBeGreaterThan(1e6);
    }
    expect(explained?.remedies).toHaveLength(2);
    const ahead = explainWithRemedies(experiment([write, prefetch('device'), use('other'), wait]), h200Machine);
    expect(ahead?.before.verdicts.some(({ cause }) => cause === 'managed-pages')).toBe(false);
  });

  it('takes the advice read-mostly from memory that a kernel writes', () => {
    const advise = { op: 'advise', buffer: 'shared', advice: 'read-mostly' } as const;
    const explained = explainWithRemedies(experiment([advise, write, prefetch('device'), use(), wait]), h200Machine);
    const verdict = explained?.before.verdicts.find(({ title }) => title === 'Write to read-mostly pages');
    const remedy = explained?.remedies.find(({ op }) => op === verdict?.op);
    expect(remedy).toMatchObject({ cause: 'managed-pages', isConfirmed: true });
    expect(remedy?.gainShare).toBeGreaterThan(0.9);
  });

  it('finds a host access while a kernel may use the memory', () => {
    const { hazards } = findHazards(lower(experiment([use(), read])));
    expect(hazards.map(({ kind }) => kind)).toEqual(['read-before-arrival']);
    expect(findHazards(lower(experiment([use(), wait, read]))).hazards).toEqual([]);
  });

  it('refuses more than the device has, a second device, copies, and advice for other memory', () => {
    const refused = (operations: Operations, more?: object, bytes?: number): string => {
      try {
        simulate(lower(experiment(operations, bytes, more)), h200Machine.costs);
      } catch (error) {
        return (error as Error).message;
      }
      return '';
    };
    expect(refused([use('other')], {}, 2 ** 38)).toContain('the device has');
    expect(refused([use()], { devices: [{ id: 'a' }, { id: 'b', index: 1 }] })).toContain('one device');
    expect(refused([{ op: 'copy', src: 'shared', dst: 'other' }])).toContain('needs no copies');
    expect(refused([{ op: 'prefetch', buffer: 'other' }])).toContain('is device memory');
    expect(refused([{ op: 'advise', buffer: 'host', advice: 'read-mostly' }])).toContain('is pinned memory');
  });
});
