/** Several ranks of a job: one run, one clock, and the waits of each rank. */
import { describe, expect, it } from 'vitest';
import { MergedRanks } from '../../../core/import/mergedRanks.ts';
import { alignClocks, collectivesOf } from '../../../core/lift/collectives.ts';
import { ranksAnswer } from '../../../core/lift/ranks.ts';
import { lowerMedian } from '../../../core/statistics.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { ranksIn, rankTrace } from '../../../core/trace/ranks.ts';
import type { Run } from '../../../core/trace/run.ts';
import { type DrawnJob, drawJob, reduceNs } from '../../support/jobTrace.ts';
import { read } from '../import/support.ts';

const ms = 1_000_000;

async function mergedJob(job: DrawnJob) {
  const drawn = drawJob(job);
  const runs: Run[] = [];
  for (const { text } of drawn) runs.push(await read(text));
  const merged = new MergedRanks();
  for (const run of runs) merged.add(run);
  return { drawn, runs, run: merged.finish('job') };
}

const slow = (which: number) => (rank: number, step: number) =>
  (rank === which ? 9 : 5) * ms + ((rank * 31 + step * 17) % 7) * 40_000;

const three: DrawnJob = { clocksNs: [0, 137_250_000, -3_000_412_000], computeNs: slow(1) };

/** Returns the ends of a rank's collectives on the merged run's clock. */
const ends = ({ trace }: Run, rank: number): number[] =>
  [...collectivesOf(rankTrace(trace, `[rank${rank}]`)).values()].flatMap(({ endNs }) => [...endNs]);

describe('the clocks of ranks', () => {
  it('are aligned within 20 us of how they were drawn', async () => {
    const { run } = await mergedJob(three);
    const first = ends(run, 0);
    for (const rank of [1, 2]) {
      const apart = ends(run, rank).map((ns, at) => Math.abs(ns - (first[at] ?? 0)));
      expect(apart).toHaveLength(15);
      expect(Math.max(...apart)).toBeLessThan(20_000);
    }
  });

  it('are aligned if one recording missed a collective that the others have', async () => {
    const job: DrawnJob = { clocksNs: [0, 40_000], computeNs: slow(1), missed: (rank) => (rank === 1 ? 1 : 0) };
    const { run } = await mergedJob(job);
    const first = ends(run, 0).slice(1);
    const apart = ends(run, 1).map((ns, at) => Math.abs(ns - (first[at] ?? 0)));
    expect(Math.max(...apart)).toBeLessThan(20_000);
  });

  it('are aligned by collectives that repeat, whatever ran once at the start', () => {
    const series = (...endNs: number[]) => {
      const all = { rows: new Int32Array(endNs.length), endNs: Float64Array.from(endNs) };
      return { ...all, startNs: all.endNs.map((ns) => ns - 50_000) };
    };
    const one = (shiftNs: number, once: number) =>
      new Map([
        ['broadcast', series(once)],
        ['reduce', series(...[1, 2, 3, 4].map((step) => step * ms + shiftNs + step * 900))],
      ]);
    const [, clock] = alignClocks([one(0, 100_000), one(30_000, 110_000)]);
    expect(clock?.offsetNs).toBeCloseTo(-30_000);
  });

  it('are not aligned by collectives that never ran at one time', () => {
    const one = (from: number, everyNs: number) => {
      const startNs = Float64Array.from({ length: 6 }, (_, at) => from + at * at * everyNs);
      return new Map([['reduce', { rows: new Int32Array(6), startNs, endNs: startNs.map((ns) => ns + 1000) }]]);
    };
    expect(alignClocks([one(0, 1 * ms), one(0, 7 * ms)]).map(({ base }) => base)).toEqual([0, 1]);
  });
});

describe('the ranks of a merged run', () => {
  it('have a group of lanes each, which a run file keeps', async () => {
    const { run, runs } = await mergedJob(three);
    const { trace } = decodeRun(encodeRun(run));
    expect(ranksIn(trace)).toEqual(['[rank0]', '[rank1]', '[rank2]']);
    expect(trace.count).toBe(runs.reduce((sum, one) => sum + one.trace.count, 0));
    expect(rankTrace(trace, '[rank1]').count).toBe(runs[1]?.trace.count);
    expect(trace.lanes.map(({ name }) => name).slice(0, 3)).toEqual([
      '[rank0] thread 100',
      '[rank0]gpu0 7',
      '[rank0]gpu0 20',
    ]);
  });

  it('wait for the last one to come, which is apart from their communication', async () => {
    const { run, drawn } = await mergedJob(three);
    const answer = ranksAnswer(run);
    expect(answer?.slowest).toBe(1);
    for (const [rank, { waitNs, exposedNs }] of drawn.entries()) {
      const found = answer?.ranks[rank];
      const slack = 3 * 20_000;
      expect(Math.abs((found?.waitNs ?? 0) - lowerMedian(waitNs))).toBeLessThan(slack);
      expect(Math.abs((found?.communicationNs ?? 0) - 3 * reduceNs)).toBeLessThan(slack);
      const exposed = found?.parts.find(({ part }) => part === 'communication')?.ns ?? 0;
      expect(exposedNs.some((ns) => Math.abs(ns - exposed) < 1000)).toBe(true);
    }
    expect(answer?.ranks[1]?.awaitedShare).toBeGreaterThan(0.95);
  });

  it('tell of each rank the steps that its own trace tells', async () => {
    const { run, runs } = await mergedJob(three);
    const answer = ranksAnswer(run);
    const alone = await Promise.all(runs.map(async (one) => ranksAnswer(one)));
    expect(alone).toEqual([null, null, null]);
    for (const { stepNs, parts } of answer?.ranks ?? []) {
      expect(Math.abs(parts.reduce((sum, { ns }) => sum + ns, 0) - (stepNs ?? 0))).toBeLessThan(1);
    }
    expect(answer?.lifted.parts).toEqual(answer?.ranks[1]?.parts);
  });

  it('wait within their communicators if each has one of its own', async () => {
    const groupOf = (rank: number): number[] => (rank < 2 ? [0, 1] : [2, 3]);
    // The two pairs have no common collective; their steps drift apart.
    const computeNs = (rank: number, step: number): number => ([3, 5, 11, 14][rank] ?? 0) + (step % 2);
    const { run } = await mergedJob({
      clocksNs: [0, 0, 0, 0],
      computeNs: (rank, step) => computeNs(rank, step) * ms,
      groupOf,
    });
    const answer = ranksAnswer(run);
    expect(answer?.ranks.map(({ waitNs }) => Math.round((waitNs ?? 0) / ms))).toEqual([2, 0, 3, 0]);
  });

  it('wait within their communicators if these keep step, and kernels name them', async () => {
    const groupOf = (rank: number): number[] => (rank < 2 ? [0, 1] : [2, 3]);
    const computeNs = (rank: number): number => [7, 9, 8, 9][rank] as number;
    const clocksNs = [0, 30_000, 70_000, 10_000];
    const { run } = await mergedJob({
      clocksNs,
      computeNs: (rank) => computeNs(rank) * ms,
      groupOf,
      namesGroups: true,
    });
    const answer = ranksAnswer(run);
    expect(answer?.ranks.map(({ waitNs }) => Math.round((waitNs ?? 0) / ms))).toEqual([2, 0, 1, 0]);
  });

  it('are advised to do the same work if one has more of it', async () => {
    const { run } = await mergedJob(three);
    const { uneven = null } = ranksAnswer(run) ?? {};
    expect(uneven?.slowest).toBe(1);
    expect(Math.abs((uneven?.kernelsNs ?? 0) - 9 * ms)).toBeLessThan(ms);
    expect(
      Math.abs((uneven?.evenStepNs ?? 0) - (ranksAnswer(run)?.ranks[1]?.stepNs ?? 0) + (2 / 3) * 4 * ms),
    ).toBeLessThan(ms / 2);
    const even = await mergedJob({ ...three, computeNs: () => 5 * ms });
    expect(ranksAnswer(even.run)?.uneven).toBeNull();
  });

  it('say that no wait is known if they have no collectives', async () => {
    const merged = new MergedRanks();
    for (const { text } of drawJob({ ...three, steps: 3 }))
      merged.add(await read(text.replaceAll(/nccl|AllReduce/g, 'own')));
    const answer = ranksAnswer(merged.finish('job'));
    expect(answer?.ranks.map(({ waitNs }) => waitNs)).toEqual([null, null, null]);
  });
});
