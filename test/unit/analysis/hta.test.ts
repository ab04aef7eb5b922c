/**
 * Compares our tables with figures by Holistic Trace Analysis's formulas, which a separate script computed from the
 * same files (test/fixtures/pytorch-traces/hta_figures.py). Our runs were exported as such files for it: its figures
 * must equal our figures of the runs.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bandwidthSeries } from '../../../core/explain/figures/copyBandwidth.ts';
import { criticalPath } from '../../../core/explain/figures/criticalPath.ts';
import { streamIdle } from '../../../core/explain/figures/idle.ts';
import { launchStatistics } from '../../../core/explain/figures/launches.ts';
import { overlap } from '../../../core/explain/figures/overlap.ts';
import { queueUse } from '../../../core/explain/figures/queue.ts';
import { temporalBreakdown } from '../../../core/explain/figures/temporal.ts';
import { type Iteration, iterationOf } from '../../../core/trace/iteration.ts';
import type { Run } from '../../../core/trace/run.ts';
import { exported, recordedRun } from '../export/support.ts';
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

const folder = join(import.meta.dirname, '../../fixtures/pytorch-traces');
const figuresIn = (file: string) =>
  Object.entries(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Record<string, Figures>);

const imported = (name: string): Promise<Run> => read(traceBytes(name));
/** Returns a shipped run by the name of its exported file, such as 'overlap-pinned-side-stream.json'. */
const own = (name: string): Run => recordedRun(name.replace(/\.json$/, '').replace('-', '/'));
const exportedAgain = async (run: Run): Promise<Run> => read(exported(run, 'pytorch', 0));

type Open = (name: string) => Promise<Run>;
const all: (readonly [string, Figures, Open])[] = [
  ...figuresIn('hta-figures.json').map(([name, figures]) => [name, figures, imported] as const),
  ...figuresIn('exported-figures.json').map(
    ([name, figures]) => [name, figures, (file: string) => exportedAgain(own(file))] as const,
  ),
];

/** Returns entries of a list by stream number, as the figures have them. */
const byStream = <Entry extends { readonly lane: string }>(list: readonly Entry[]) =>
  Object.fromEntries(list.map(({ lane, ...rest }) => [lane.split(':').at(-1), rest]));

const kinds = { HtoD: 'h2d', DtoH: 'd2h', DtoD: 'd2d', memset: 'memset' } as const;

describe.each(all)('%s, as Holistic Trace Analysis counts', (name, figures, open) => {
  const iteration = async (file: string): Promise<Iteration> => iterationOf((await open(file)).trace, 0);

  it('temporal breakdown', async () => {
    expect(temporalBreakdown(await iteration(name))).toMatchObject([figures.temporal]);
  });

  it('overlap of copies with kernels', async () => {
    const { h2dKernel, d2hKernel } = overlap(await iteration(name));
    expect({ h2dKernelNs: h2dKernel.timeNs, d2hKernelNs: d2hKernel.timeNs }).toEqual(figures.overlap);
  });

  it('idle time by cause', async () => {
    // If work of one stream overlaps, HTA counts a kernel wait below 0.
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
      // Kineto rounds its rates; ours are bytes divided by time.
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
