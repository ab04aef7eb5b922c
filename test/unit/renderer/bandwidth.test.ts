import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { allRows } from '../../../core/trace/rows.ts';
import { Bandwidth, bandwidthData, copyRows, linksData } from '../../../renderer/store/opened/bandwidth.ts';

interface Copy {
  readonly startNs: number;
  readonly durationNs: number;
  readonly bytes: number;
}

function bandwidthOf(copies: readonly Copy[]): Bandwidth {
  const builder = new TraceBuilder();
  const lane = builder.lane({ kind: 'stream', id: 'stream:s', name: 's', device: 'gpu' });
  for (const copy of copies) builder.add({ ...copy, lane, kind: 'copy', name: 'copy', src: 'pinned', dst: 'device' });
  const trace = builder.build();
  return new Bandwidth(bandwidthData(trace, copyRows(trace, allRows(trace), 'h2d')));
}

const copies = fc.array(
  fc.record({
    startNs: fc.integer({ min: 0, max: 100_000 }),
    durationNs: fc.integer({ min: 1, max: 5000 }),
    bytes: fc.integer({ min: 1, max: 1e9 }),
  }),
  { minLength: 1, maxLength: 60 },
);

describe('bandwidth over time', () => {
  it('is a copy’s bytes over its duration while it runs, and nothing otherwise', () => {
    const bandwidth = bandwidthOf([{ startNs: 1000, durationNs: 2000, bytes: 100 }]);
    expect([0, 999, 1000, 2999, 3000].map((time) => bandwidth.at(time))).toEqual([0, 0, 5e7, 5e7, 0]);
    expect(bandwidth.peak).toBe(5e7);
    expect(bandwidth.steps(0, 4000, 100).map((step) => [step.startNs, step.rate])).toEqual([
      [0, 0],
      [1000, 5e7],
      [3000, 0],
    ]);
  });

  it('adds copies that run at once, and doesn’t rise between two that only touch', () => {
    const both = bandwidthOf([
      { startNs: 0, durationNs: 100, bytes: 10 },
      { startNs: 50, durationNs: 100, bytes: 10 },
    ]);
    expect(both.at(75)).toBeCloseTo(2e8);
    const touching = bandwidthOf([
      { startNs: 0, durationNs: 100, bytes: 10 },
      { startNs: 100, durationNs: 100, bytes: 10 },
    ]);
    expect(touching.peak).toBeCloseTo(1e8);
  });

  it('moves the same bytes whether steps are exact or means of pixels', () => {
    fc.assert(
      fc.property(copies, fc.constantFrom(5, 400), (given, pixels) => {
        const bandwidth = bandwidthOf(given);
        const end = 110_000;
        const total = given.reduce((sum, copy) => sum + copy.bytes, 0);
        const steps = bandwidth.steps(0, end, pixels);
        const moved = steps.reduce(
          (sum, step, k) => sum + (step.rate * ((steps[k + 1]?.startNs ?? end) - step.startNs)) / 1e9,
          0,
        );
        expect(moved / total).toBeCloseTo(1, 6);
        expect(steps.length).toBeLessThanOrEqual(2 * pixels + 2);
      }),
    );
  });
});

it('the links of several devices are one for each device and direction, of which none counts what another moves', () => {
  const builder = new TraceBuilder();
  for (const device of ['gpu0', 'gpu1']) {
    const lane = builder.lane({ kind: 'stream', id: `stream:${device}`, name: device, device });
    const copy = { lane, kind: 'copy', name: 'copy', startNs: 0, durationNs: 1000, bytes: 100 } as const;
    builder.add({ ...copy, src: 'pinned', dst: 'device' });
    if (device === 'gpu1') builder.add({ ...copy, src: 'device', dst: 'pinned' });
  }
  const trace = builder.build();
  const links = linksData(trace, allRows(trace));
  expect(links.map(({ direction, device, data }) => [direction, device, data.peak])).toEqual([
    ['h2d', 'gpu0', 1e8],
    ['h2d', 'gpu1', 1e8],
    ['d2h', 'gpu1', 1e8],
  ]);
});
