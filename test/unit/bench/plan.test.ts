import { describe, expect, it } from 'vitest';
import { comparisons, peerTasks } from '../../../core/bench/comparison.ts';
import {
  type BenchDocument,
  type BenchSection,
  benchFormat,
  benchSections,
  benchVersion,
} from '../../../core/bench/document.ts';
import { failedRow, measuredRow, waivedRow } from '../../../core/bench/figures.ts';
import type { Measured } from '../../../core/bench/measurement.ts';
import { type BenchItem, benchPlan, copiesPerSample, defaultSizes } from '../../../core/bench/plan.ts';
import { parseSize } from '../../../core/bench/sizes.ts';
import { benchTables } from '../../../core/bench/table.ts';

const MiB = 1024 * 1024;
const plan = (devices = 1, sections: readonly BenchSection[] = benchSections) =>
  benchPlan({ sections: [...sections], sizes: [4096, MiB], samples: 3 }, devices);
const measured = (changes: Partial<Measured> = {}): Measured => ({
  ns: Float64Array.of(2e6, 1e6, 4e6),
  callNs: Float64Array.of(1000, 3000, 2000),
  otherNs: Float64Array.of(5e6, 5e6, 5e6),
  onHostClock: false,
  bytes: 64 * MiB,
  checked: MiB,
  wrong: 0,
  depth: 0,
  ...changes,
});
const find = (items: readonly BenchItem[], row: string, column: string): BenchItem => {
  const found = items.find((item) => item.row === row && item.column === column);
  if (found === undefined) throw new Error(`no ${row} ${column}`);
  return found;
};
const document = (rows: BenchDocument['rows']): BenchDocument => ({
  format: benchFormat,
  version: benchVersion,
  createdAt: '2026-11-20T07:00:00.000Z',
  copyscope: '0.1.0',
  machine: { os: 'Linux', cpu: 'Test CPU', cores: 2 },
  device: {
    index: 0,
    name: 'GPU',
    computeCapability: '9.0',
    asyncEngineCount: 3,
    multiprocessors: 132,
    memoryBytes: 1e11,
    pciBusId: '',
    linkGeneration: 5,
    linkWidth: 16,
  },
  driverVersion: '13.1',
  runtimeVersion: '13.0',
  status: 'complete',
  rows,
  pytorch: null,
});

describe('the plan of a benchmark', () => {
  it('holds every section, each line once', () => {
    const items = plan();
    expect([...new Set(items.map(({ section }) => section))]).toEqual(benchSections);
    const names = items.map(({ section, row, column }) => `${section} ${row} ${column}`);
    expect(new Set(names).size).toBe(names.length);
  });

  it('takes the largest size first into account, so that memory is allocated once', () => {
    for (const { measurement, section } of plan(1, ['copies', 'device', 'bidirectional'])) {
      expect(measurement.capacity, section).toBe(MiB);
    }
  });

  it('never queues more behind the gate than the launch queue takes', () => {
    for (const size of [1, ...defaultSizes, 8 * 1024 * MiB]) {
      expect(copiesPerSample(size)).toBeGreaterThanOrEqual(4);
      expect(copiesPerSample(size)).toBeLessThanOrEqual(256);
    }
    // A bidirectional sample fills two streams, each with a gate and two events.
    expect(2 * (copiesPerSample(1) + 3)).toBeLessThan(1000);
  });

  it('waives the peer matrix on one device with the reason, and measures every ordered pair on three', () => {
    expect(plan(1, ['peer'])).toMatchObject([{ waived: 'there is one device, and peer copies need two' }]);
    const pairs = plan(3, ['peer']);
    expect(pairs.length).toBe(12);
    expect(
      pairs.every(({ waived, measurement }) => waived === undefined && measurement.device !== measurement.peer),
    ).toBe(true);
  });
});

describe('the links of several devices', () => {
  it('are measured two at once in each direction, and with one payload over both', () => {
    expect(plan(1, ['links'])).toMatchObject([{ waived: 'there is one device, and this needs the links of two' }]);
    const items = plan(3, ['links']);
    const rows = (kind: string) => items.filter(({ measurement }) => measurement.kind === kind).map(({ row }) => row);
    expect(rows('links')).toHaveLength(6);
    expect(rows('links')[0]).toBe('H2D cuda:0 and cuda:1, pinned');
    expect(rows('relay')).toHaveLength(4);
    const [first] = items;
    const figures = first === undefined ? [] : measuredRow(first, measured()).figures;
    expect(figures.map(({ name, median: rate }) => [name, rate])).toEqual([
      ['at once', (64 * MiB) / 2e-3],
      ['the first alone', (32 * MiB) / 2e-6],
      ['the second alone', (32 * MiB) / 5e-3],
    ]);
  });
});

describe('figures', () => {
  it('are bytes moved over the time of each sample, with median and spread', () => {
    const row = measuredRow(find(plan(), '1.00 MiB', 'H2D pinned'), measured());
    expect(row).toMatchObject({ status: 'done', clock: 'device', verification: { bytesChecked: MiB, bytesWrong: 0 } });
    expect(row.figures[0]).toMatchObject({
      unit: 'B/s',
      median: (64 * MiB) / 2e-3,
      least: (64 * MiB) / 4e-3,
      most: (64 * MiB) / 1e-3,
    });
    expect(row.figures[1]).toMatchObject({ name: 'call', unit: 'ns', median: 2000 });
  });

  it('of a bidirectional copy count half of the bytes for each direction', () => {
    const { figures } = measuredRow(find(plan(), '1.00 MiB', ''), measured());
    expect(figures.map(({ name }) => name)).toEqual(['both', 'H2D', 'D2H']);
    expect(figures[2]?.median).toBeCloseTo((32 * MiB) / 5e-3);
  });

  it('of wrong data are a failure that says how many bytes', () => {
    const row = measuredRow(find(plan(), '1.00 MiB', 'H2D pinned'), measured({ wrong: 3 }));
    expect(row).toMatchObject({
      status: 'failed',
      error: { code: 'verification.failed', message: expect.stringContaining('3 of') },
    });
  });

  it('of a queue are its depth', () => {
    const row = measuredRow(find(plan(), 'empty kernels', ''), measured({ ns: Float64Array.of(1021, 1022, 1021) }));
    expect(row.figures[0]).toMatchObject({ unit: 'operations', median: 1021 });
  });
});

describe('the tables', () => {
  it('have sizes as rows and kinds of memory as columns, and say what was waived and failed', () => {
    const items = plan(1, ['copies', 'peer']);
    const rows = items.map((item, index) => {
      if (item.waived !== undefined) return waivedRow(item, item.waived);
      return index === 0
        ? failedRow(item, { code: 'engine.lost', message: 'It went.', remedy: 'Again.' })
        : measuredRow(item, measured());
    });
    const [copies, peer] = benchTables(document(rows));
    expect(copies?.cells[0]?.slice(0, 3)).toEqual(['', 'H2D pinned', 'D2H pinned']);
    expect(copies?.cells[1]?.slice(0, 3)).toEqual(['4.00 KiB', 'failed', '33.6 GB/s']);
    expect(copies?.remarks.join('\n')).toContain('Failed: 4.00 KiB H2D pinned: It went. Again.');
    expect(peer?.remarks).toEqual(['Waived: there is one device, and peer copies need two.']);
  });
});

describe('the comparison with PyTorch', () => {
  it('asks for what both can do, and leaves out what would measure the interpreter', () => {
    const items = plan();
    const tasks = peerTasks(items);
    expect(tasks.length).toBeGreaterThan(0);
    for (const { item, kind, bytes } of tasks) {
      expect(items[item]?.measurement.bytes).toBe(bytes);
      if (kind === 'copy') expect(bytes).toBeGreaterThanOrEqual(MiB);
    }
  });

  it('says how many times as fast, the same way round for rates and times', () => {
    const items = [find(plan(), '1.00 MiB', 'H2D pinned'), find(plan(), 'loop, one synchronise', '')];
    const rows = items.map((item) =>
      measuredRow(item, measured({ bytes: item.measurement.bytes * item.measurement.count })),
    );
    const found = comparisons(rows, [
      { item: 0, call: 'copy_', ns: [4e6] },
      { item: 1, call: 'to', ns: [8e6, 6e6, 4e6] },
      { item: 7, call: 'nothing', ns: [1] },
    ]);
    expect(found.map(({ ratio }) => ratio)).toEqual([2, 3]);
  });
});

describe('sizes', () => {
  it.each([
    ['4096', 4096],
    ['4KiB', 4096],
    ['4k', 4096],
    ['16 MiB', 16 * MiB],
    ['1GB', 1024 * MiB],
    ['16G', 16 * 1024 * MiB],
  ])('%s', (text, bytes) => expect(parseSize(text)).toBe(bytes));

  it.each(['', '0', '-1', '1.5M', '17G', '4T', 'big', '1e6', 'KiB'])('not %j', (text) =>
    expect(parseSize(text)).toBeNull(),
  );
});
