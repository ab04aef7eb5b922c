import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../../core/trace/run.ts';
import { read, traceBytes } from '../import/support.ts';
import { runInfo, smallRun, traceArbitrary } from '../trace/fixtures.ts';
import { type PerfettoTrace, readPerfetto, type Slice } from './readPerfetto.ts';
import {
  beginnings,
  exported,
  flowsTold,
  flowText,
  recordedRun,
  rowsTold,
  sorted,
  type ToldRow,
  toldRow,
} from './support.ts';

const isView = ({ category }: Slice): boolean => category === 'engine';

/** Returns the name of a slice's lane: a track for overlapping slices begins with the lane's name. */
function laneOf({ tracks }: PerfettoTrace, { track }: Slice): string {
  return (tracks.get(track)?.name ?? '').replace(/, overlapping \d+$/, '');
}

function rowOf(trace: PerfettoTrace, run: Run, slice: Slice): ToldRow {
  const { category: kind, name, startNs, durationNs, args } = slice;
  const begin = beginnings(run).get(Number(args['iteration'] ?? 0)) ?? 0;
  return toldRow({ kind, name, lane: laneOf(trace, slice), startNs: startNs - begin, durationNs }, args);
}

function flowsOf(trace: PerfettoTrace, run: Run): string[] {
  const from = new Map(trace.slices.flatMap((slice) => slice.flows.map((flow) => [flow, slice] as const)));
  return trace.slices
    .flatMap((to) =>
      to.endingFlows.map((flow) => {
        const start = from.get(flow);
        if (start === undefined) throw new Error(`flow ${flow} comes from nowhere`);
        return flowText(rowOf(trace, run, start), rowOf(trace, run, to));
      }),
    )
    .sort();
}

/** Returns slices of one track that overlap without one inside the other. */
function overlapping(slices: readonly Slice[]): Slice[] {
  const open = new Map<Slice['track'], number[]>();
  return slices.filter(({ track, startNs, durationNs }) => {
    const ends = open.get(track) ?? [];
    open.set(track, ends);
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= startNs) ends.pop();
    const fits = ends.length === 0 || (ends.at(-1) ?? 0) >= startNs + durationNs;
    ends.push(startNs + durationNs);
    return !fits;
  });
}

function requireSame(run: Run): void {
  const trace = readPerfetto(exported(run, 'perfetto'));
  const own = trace.slices.filter((slice) => !isView(slice));
  expect(sorted(own.map((slice) => rowOf(trace, run, slice)))).toEqual(sorted(rowsTold(run)));
  expect(flowsOf(trace, run)).toEqual(flowsTold(run));
  expect(overlapping(trace.slices)).toEqual([]);
  const seen = trace.slices.filter(isView).map((slice) => laneOf(trace, slice));
  const done = rowsTold(run).flatMap(({ engine }) => run.trace.lanes.find(({ id }) => id === engine)?.name ?? []);
  expect(seen.sort()).toEqual(done.sort());
}

describe('a Perfetto file', () => {
  it('gives back rows, times, bytes and flows of any trace', () => {
    fc.assert(
      fc.property(traceArbitrary, (trace) => requireSame({ info: runInfo(), trace })),
      { numRuns: 150 },
    );
  });

  it.each(['overlap/pinned-side-stream', 'lessons/two-gpus-two-threads', 'races/unordered-streams-event'])(
    'gives back the run %s',
    (name) => {
      requireSame(recordedRun(name));
    },
  );

  it('gives back an imported trace with its stacks, waits and flows', async () => {
    const run = await read(traceBytes('trace_streamed1_pinned1.json'));
    requireSame(run);
    const trace = readPerfetto(exported(run, 'perfetto'));
    const threads = [...trace.tracks.values()].flatMap(({ thread }) => thread ?? []);
    expect(threads.length).toBeGreaterThan(0);
    for (const { pid, tid } of threads) expect(run.trace.lanes.map(({ id }) => id)).toContain(`thread:${pid}:${tid}`);
  });

  it('has a process of the host, a group of the GPU, tracks of streams and engines, and the link as a counter', () => {
    const { tracks, counters, clocks } = readPerfetto(exported(smallRun(), 'perfetto'));
    const list = [...tracks.values()];
    const named = (name: string) => list.find((track) => track.name === name);
    expect(named('Host')?.process).toBeDefined();
    expect(named('main')?.thread).toMatchObject({ threadName: 'main' });
    expect(named('main')?.parentUuid).toBe(named('Host')?.uuid);
    for (const name of ['copy', 'compute', 'H2D engine', 'Compute', 'H2D link (bytes/s)']) {
      expect(named(name)?.parentUuid, name).toBe(named('GPU gpu')?.uuid);
    }
    // 4096 bytes in 6 µs, in each of the two iterations; the second begins at 10 µs.
    const rate = (4096 / 6000) * 1e9;
    expect(counters.map(({ timeNs, value }) => [timeNs, value])).toEqual([
      [2000, rate],
      [8000, 0],
      [12_000, rate],
      [18_000, 0],
    ]);
    expect(clocks).toContainEqual({ clockId: 1, timestamp: Date.parse('2026-11-20T05:00:00.000Z') * 1e6 });
  });
});
