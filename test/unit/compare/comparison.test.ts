import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { anchorNs } from '../../../core/explain/compare/anchor.ts';
import { compareRuns, type Difference, type RunComparison } from '../../../core/explain/compare/comparison.ts';
import { matchOperations } from '../../../core/explain/compare/matching.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import type { Run, RunInfo } from '../../../core/trace/run.ts';
import type { RowKind, Trace } from '../../../core/trace/trace.ts';
import { drawTrace } from '../support/draw.ts';
import { experimentOf } from '../support/experiments.ts';
import { runInfo } from '../trace/fixtures.ts';

const runOf = (experiment: Experiment | null, trace: Trace, changes: Partial<RunInfo> = {}): Run => ({
  info: runInfo({ experiment, ...changes }),
  trace,
});

const buffers = [
  { id: 'host', memory: 'pinned', bytes: 1024 },
  { id: 'gpu', memory: 'device', bytes: 1024 },
] as const;
const copy = { op: 'copy', src: 'host', dst: 'gpu' } as const;
const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 } } as const;

const overlapped = experimentOf({ buffers: [...buffers], streams: [{ id: 'side', flags: 'non-blocking' }] }, [
  { ...copy, stream: 'side' },
  { ...kernel, label: 'step' },
  { op: 'synchronizeDevice' },
]);

const rows = {
  c: { kind: 'host-call', op: 0 },
  k: { kind: 'host-call', op: 1 },
  s: { kind: 'host-sync', op: 2 },
  C: { kind: 'copy', op: 0, engine: 'h2d', src: 'pinned', dst: 'device' },
  K: { kind: 'kernel', op: 1, engine: 'compute' },
} as const;

const drawing = (iteration: number, stream: string, side: string) => ({
  rows,
  iteration,
  lanes: ['thread:main  cckkssssss', `stream:side  ${side}`, `stream:default ${stream}`],
});

/** Returns a trace with an iteration for each line. */
const traceOf = (...lines: readonly (readonly [stream: string, side: string])[]): Trace =>
  drawTrace(...lines.map(([stream, side], iteration) => drawing(iteration, stream, side)));

describe('two runs of one experiment', () => {
  const before = runOf(overlapped, traceOf(...Array(4).fill(['....KKKK..', '..CCCC....'])));
  const after = runOf(overlapped, traceOf(...Array(4).fill(['....KK......', '..CCCCCCCC..'])));
  const found = compareRuns(before, after);

  it('matches operations by number, and says what took longer and whether that is more than the spread', () => {
    expect(found.matchedBy).toBe('number');
    expect(found.operations.map(({ a, b, side }) => [a, b, side])).toEqual([
      [0, 0, 'both'],
      [1, 1, 'both'],
      [2, 2, 'both'],
    ]);
    const [copied, step, wait] = found.operations;
    expect(copied?.duration).toMatchObject({ differenceNs: 4000, ratio: 2, judgement: 'larger' });
    expect(copied?.host).toMatchObject({ differenceNs: 0, judgement: 'equal' });
    expect(step).toMatchObject({ label: 'step', kind: 'kernel', countA: 1, countB: 1 });
    expect(step?.duration.differenceNs).toBe(-2000);
    expect(step?.start.differenceNs).toBe(0);
    // Only the host has the wait: its host time is its duration.
    expect(wait?.duration.a?.median).toBe(6000);
    expect(wait?.host.a).toBeNull();
  });

  it('says how busy, idle and overlapped each lane was', () => {
    const lane = (id: string) => found.lanes.find(({ a }) => a === id);
    expect(lane('engine:gpu:h2d')).toMatchObject({
      busy: { a: { median: 4000 }, b: { median: 8000 }, differenceNs: 4000 },
      overlap: { a: { median: 2000 }, b: { median: 2000 }, differenceNs: 0 },
      idle: { a: { median: 6000 }, b: { median: 2000 } },
    });
    // Calls take 4 µs; the copy runs during two of those. Waiting is no work.
    expect(lane('thread:main')).toMatchObject({ busy: { a: { median: 4000 } }, overlap: { a: { median: 2000 } } });
    expect(found.makespan).toMatchObject({ a: { median: 10_000 }, b: { median: 10_000 }, judgement: 'equal' });
  });

  it('counts only iterations in which an operation did what it does', () => {
    const twice = compareRuns(
      before,
      runOf(overlapped, traceOf(['....KK.KK.', '..CCCC....'], ['..........', 'CC........'])),
    );
    expect(twice.operations[1]).toMatchObject({ countA: 1, duration: { b: { count: 1, median: 4000 } } });
  });
});

describe('experiments that differ', () => {
  const changed = experimentOf({ buffers: [...buffers], streams: [{ id: 'side', flags: 'non-blocking' }] }, [
    { op: 'work', durationNs: 1000 },
    { ...copy, stream: 'default' },
    { ...kernel, label: 'step', stream: 'side' },
    { op: 'synchronizeDevice' },
  ]);
  const moved = {
    W: { kind: 'host-work', op: 0 },
    c: { kind: 'host-call', op: 1 },
    C: { kind: 'copy', op: 1, engine: 'h2d', src: 'pinned', dst: 'device' },
    K: { kind: 'kernel', op: 2, engine: 'compute' },
    s: { kind: 'host-sync', op: 3 },
  } as const;
  const trace = drawTrace({
    rows: moved,
    lanes: ['thread:main Wccsssss', 'stream:default ..CCC', 'stream:side ..KKKK'],
  });
  const found = compareRuns(runOf(overlapped, traceOf(['....KKKK..', '..CCCC....'])), runOf(changed, trace));

  it('operations are matched by id wherever they stand, and those that were written apart by label', () => {
    const end = { op: 'synchronizeDevice', id: 'end' };
    const upload = { ...copy, label: 'upload' };
    const a = experimentOf({ buffers: [...buffers] }, [{ ...upload, id: 'one' }, { ...upload, id: 'two' }, end]);
    const b = experimentOf({ buffers: [...buffers] }, [
      end,
      { ...upload, id: 'two', label: 'again' },
      { ...upload, id: 'three' },
    ]);
    expect([...matchOperations(a, b)]).toEqual([2, 1, 0]);
  });

  it('lists what was added and removed', () => {
    expect(found.matchedBy).toBe('document');
    expect(found.operations.map(({ a, b, side, kind }) => [a, b, side, kind])).toEqual([
      [0, 1, 'both', 'copy'],
      [1, 2, 'both', 'kernel'],
      [2, 3, 'both', 'host-sync'],
      [null, 0, 'only-b', 'host-work'],
    ]);
    expect(found.operations[3]?.duration).toMatchObject({ a: null, differenceNs: null, judgement: null });
  });

  it('matches what a trace without an experiment has by kind and name', () => {
    const named = { K: { kind: 'kernel', name: 'gemm' }, L: { kind: 'kernel', name: 'softmax' } } as const;
    const imported = (lane: string): Run => runOf(null, drawTrace({ rows: named, lanes: [`stream:7 ${lane}`] }));
    const both = compareRuns(imported('KK.LL.KK'), imported('KKKLLL'));
    expect(both.matchedBy).toBe('name');
    expect(
      both.operations.map(({ label, countA, countB, duration }) => [label, countA, countB, duration.differenceNs]),
    ).toEqual([
      ['gemm', 2, 1, -1000],
      ['softmax', 1, 1, 1000],
    ]);
  });
});

describe('any two runs', () => {
  const kinds: readonly RowKind[] = ['host-call', 'host-sync', 'host-work', 'copy', 'kernel', 'memset', 'event-record'];
  const row = fc.record({
    kind: fc.constantFrom(...kinds),
    op: fc.integer({ min: 0, max: 2 }),
    startNs: fc.integer({ min: 0, max: 50 }),
    durationNs: fc.integer({ min: 0, max: 30 }),
    iteration: fc.integer({ min: 0, max: 5 }),
    stream: fc.integer({ min: 0, max: 1 }),
  });
  const run = fc
    .record({ rows: fc.array(row, { maxLength: 40 }), engine: fc.constantFrom('cuda', 'sim') })
    .map(({ rows: all, engine }) => runOf(overlapped, traceFrom(all), { engine: engine as 'cuda' | 'sim' }));

  function traceFrom(
    all: readonly {
      kind: RowKind;
      op: number;
      startNs: number;
      durationNs: number;
      iteration: number;
      stream: number;
    }[],
  ): Trace {
    const builder = new TraceBuilder();
    const main = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
    const streams = [0, 1].map((number) =>
      builder.lane({ kind: 'stream', id: `stream:${number}`, name: String(number), device: 'gpu' }),
    );
    const compute = builder.lane({ kind: 'compute', id: 'compute:gpu', name: 'Compute', device: 'gpu' });
    for (const { stream, ...one } of all) {
      const isHost = one.kind.startsWith('host-');
      const mark = one.kind === 'event-record';
      builder.add({
        ...one,
        durationNs: mark ? 0 : one.durationNs,
        name: one.kind,
        lane: isHost ? main : (streams[stream] ?? main),
        ...(isHost || mark ? {} : { engine: compute }),
      });
    }
    return builder.build();
  }

  const differences = ({ makespan, lanes, operations }: RunComparison): Difference[] => [
    makespan,
    ...lanes.flatMap(({ busy, overlap, idle }) => [busy, overlap, idle]),
    ...operations.flatMap(({ duration, start, host }) => [duration, start, host]),
  ];

  it('differ in nothing from themselves', () => {
    fc.assert(
      fc.property(run, (one) => {
        const found = compareRuns(one, one);
        for (const { a, b, differenceNs, judgement } of differences(found)) {
          expect(b).toEqual(a);
          expect(differenceNs).toBe(a === null ? null : 0);
          expect(judgement).toBe(a === null ? null : 'equal');
        }
        expect([...found.lanes, ...found.operations].every(({ side }) => side === 'both')).toBe(true);
      }),
    );
  });

  it('swap their signs where they change places', () => {
    fc.assert(
      fc.property(run, run, (one, other) => {
        const [there, back] = [compareRuns(one, other), compareRuns(other, one)];
        const keyed = (found: RunComparison) =>
          new Map([
            ['makespan', found.makespan],
            ...found.lanes.map((lane) => [lane.name + lane.kind, lane.busy] as const),
            ...found.operations.map(({ a, b, duration }) => [`op ${a ?? b}`, duration] as const),
          ]);
        const reverse = keyed(back);
        for (const [key, { a, b, differenceNs, judgement }] of keyed(there)) {
          const opposite = reverse.get(key);
          expect([opposite?.a, opposite?.b, opposite?.judgement]).toEqual([b, a, judgement]);
          expect((opposite?.differenceNs ?? 0) + (differenceNs ?? 0)).toBe(0);
        }
        expect(reverse.size).toBe(keyed(there).size);
      }),
    );
  });

  it('have lanes whose busy and idle times make up the makespan, and overlap within what is busy', () => {
    fc.assert(
      fc.property(run, (one) => {
        const { lanes, makespan } = compareRuns(one, one);
        for (const { busy, idle, overlap } of lanes) {
          if (busy.a === null || idle.a === null || overlap.a === null) continue;
          if (busy.a.count === 1) expect(busy.a.median + idle.a.median).toBe(makespan.a?.median);
          expect(overlap.a.median).toBeLessThanOrEqual(busy.a.median);
        }
      }),
    );
  });
});

const trace = traceOf(['....KKKK..', '..CCCC....'], ['.....KKK..', '..CCCC....']);

it('the anchor is when an operation was issued, began or ended in the chosen iteration', () => {
  expect(anchorNs(trace, 0, 0, 'issue')).toBe(0);
  expect(anchorNs(trace, 0, 0, 'start')).toBe(2000);
  expect(anchorNs(trace, 0, 0, 'end')).toBe(6000);
  expect(anchorNs(trace, 0, 1, 'start')).toBe(4000);
  expect(anchorNs(trace, 1, 1, 'start')).toBe(5000);
  expect(anchorNs(trace, 0, 2, 'end')).toBe(10_000);
  expect(anchorNs(trace, 0, 9, 'start')).toBeNull();
});
