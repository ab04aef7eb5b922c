/**
 * Our tables beside figures by Holistic Trace Analysis's formulas, which a script of its own computed from the same
 * files (test/fixtures/pytorch-traces/hta_figures.py).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bandwidthSeries } from '../../../core/analysis/copyBandwidth.ts';
import { criticalPath } from '../../../core/analysis/criticalPath.ts';
import { streamIdle } from '../../../core/analysis/idle.ts';
import { type Iteration, iterationOf } from '../../../core/analysis/iteration.ts';
import { launchStatistics } from '../../../core/analysis/launches.ts';
import { overlap } from '../../../core/analysis/overlap.ts';
import { queueUse } from '../../../core/analysis/queue.ts';
import { temporalBreakdown } from '../../../core/analysis/temporal.ts';
import { read, traceBytes } from '../import/support.ts';

interface Figures {
  readonly temporal: object;
  readonly overlap: { readonly h2dKernelNs: number; readonly d2hKernelNs: number };
  readonly idle: Readonly<Record<string, object>>;
  readonly queues: Readonly<Record<string, object>>;
  readonly queuesOf8: Readonly<Record<string, object>>;
  readonly launches: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly bandwidth: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly criticalPath: { readonly lengthNs: number };
}

const file = join(import.meta.dirname, '../../fixtures/pytorch-traces/hta-figures.json');
const all = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Figures>);
const iteration = async (name: string): Promise<Iteration> => iterationOf((await read(traceBytes(name))).trace, 0);

/** Entries of a list by stream number, as the figures have them. */
const byStream = <Entry extends { readonly lane: string }>(list: readonly Entry[]) =>
  Object.fromEntries(list.map(({ lane, ...rest }) => [lane.split(':').at(-1), rest]));

const kinds = { HtoD: 'h2d', DtoH: 'd2h', DtoD: 'd2d', memset: 'memset' } as const;

describe.each(all)('%s, as Holistic Trace Analysis counts', (name, figures) => {
  it('temporal breakdown', async () => {
    expect(temporalBreakdown(await iteration(name))).toMatchObject([figures.temporal]);
  });

  it('overlap of copies with kernels', async () => {
    const { h2dKernel, d2hKernel } = overlap(await iteration(name));
    expect({ h2dKernelNs: h2dKernel.timeNs, d2hKernelNs: d2hKernel.timeNs }).toEqual(figures.overlap);
  });

  it('idle time by cause', async () => {
    // Where work of one stream overlaps, HTA counts a kernel wait below 0.
    const idle = streamIdle(await iteration(name)).map(({ kernelWaitNs, overlapNs, ...rest }) => {
      return { ...rest, kernelWaitNs: kernelWaitNs - overlapNs };
    });
    expect(byStream(idle)).toMatchObject(figures.idle);
  });

  it('queue length, and time blocked on a full queue', async () => {
    expect(byStream(queueUse(await iteration(name)))).toMatchObject(figures.queues);
    expect(byStream(queueUse(await iteration(name), 8))).toMatchObject(figures.queuesOf8);
  });

  it('launch statistics', async () => {
    const found = launchStatistics(await iteration(name)).map(
      ({ hostCall, operations, delayNs, short, slowCalls, lateStarts }) => {
        return [hostCall, { operations, delayMaxNs: delayNs.max, short, slowCalls, lateStarts }];
      },
    );
    expect(Object.fromEntries(found)).toMatchObject(
      Object.fromEntries(Object.entries(figures.launches).map(([call, { delaySumNs: _, ...rest }]) => [call, rest])),
    );
  });

  it('memory bandwidth', async () => {
    const series = bandwidthSeries(await iteration(name));
    const found = Object.entries(figures.bandwidth).map(([kind, { points, minGBs = 0, maxGBs = 0 }]) => {
      const own = series.find((one) => one.kind === kinds[kind as keyof typeof kinds]);
      const rates = [...(own?.bytesPerSecond ?? [])].filter((rate) => rate > 0).map((rate) => rate / 1e9);
      // Kineto writes rates rounded; ours are bytes over time.
      expect(Math.min(...rates)).toBeCloseTo(minGBs, 6);
      expect(Math.max(...rates)).toBeCloseTo(maxGBs, 6);
      return [rates.length, points];
    });
    for (const [own, points] of found) expect(own).toBe(points);
    expect(series).toHaveLength(Object.keys(figures.bandwidth).length);
  });

  it('critical path', async () => {
    const { lengthNs, parts } = criticalPath(await iteration(name));
    expect(lengthNs).toBeCloseTo(figures.criticalPath.lengthNs, 3);
    expect(parts.reduce((sum, part) => sum + part.timeNs, 0)).toBeCloseTo(lengthNs, 3);
  });
});
