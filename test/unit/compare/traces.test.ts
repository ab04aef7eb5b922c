/** Two recorded traces of one program, with copies from pinned and from pageable memory. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { runSteps } from '../../../core/apps/gate/steps.ts';
import { compareRuns, type RunComparison } from '../../../core/explain/compare/comparison.ts';
import { bySize, effectNs } from '../../../core/explain/compare/format.ts';
import { spentNs } from '../../../core/explain/compare/spent.ts';
import { length, union } from '../../../core/trace/intervals.ts';
import { iterationRows } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import { rowKinds } from '../../../core/trace/trace.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { read } from '../import/support.ts';
import { drawTrace } from '../support/draw.ts';

describe('a pinned and a pageable trace of one program', () => {
  let found: RunComparison;
  beforeAll(async () => {
    const read = (name: string) => importTraceFile(`test/fixtures/pytorch-pairs/${name}.json.gz`, 'test');
    found = compareRuns(await read('vision.pinned'), await read('vision.pageable'), runSteps);
  });

  it('have one line for the copy of one tensor, whatever memory it is in', () => {
    const copies = found.operations.filter(({ kind, label }) => kind === 'copy' && label.includes('28.1 MiB'));
    expect(copies.map(({ side, label }) => [side, label])).toEqual([['both', 'H2D 28.1 MiB, pinned and pageable']]);
  });

  it('traces are compared step by step, and the difference of their steps is significant', () => {
    expect(found.steps).toMatchObject({ a: 4, b: 4, duration: { judgement: 'larger' } });
    expect(found.makespan.judgement).toBe('undecided');
  });

  it('operations that cost the step most come first, and kernels without a change last', () => {
    const [first] = bySize(found.operations);
    expect(first?.label).toBe('H2D 28.1 MiB, pinned and pageable');
    const step = found.steps?.duration.differenceNs ?? 0;
    expect(effectNs(first as RunComparison['operations'][number]) / step).toBeGreaterThan(0.7);
  });
});

it('compares Python objects by name, whatever their addresses are', async () => {
  const traced = async (address: string): Promise<Run> => {
    const at = { pid: 1, tid: 1, ts: 10, dur: 5 };
    const events = [{ ph: 'X', cat: 'python_function', name: `<function load at ${address}>`, ...at }];
    return read(new TextEncoder().encode(JSON.stringify({ traceEvents: events })));
  };
  const { operations } = compareRuns(await traced('0x7f01'), await traced('0x7f02'));
  expect(operations.map(({ side, label }) => [side, label])).toEqual([['both', '<function load>']]);
});

describe('time spent of the makespan', () => {
  it('excludes copies and host work that overlap kernels', () => {
    const trace = drawTrace({
      rows: {
        c: { kind: 'host-call', op: 0 },
        C: { kind: 'copy', op: 0, engine: 'h2d', src: 'pinned', dst: 'device' },
        K: { kind: 'kernel', op: 1, engine: 'compute' },
      },
      lanes: ['thread:main ccc..ccc', 'stream:side ..CCCC..', 'stream:default ...KKKK.'],
    });
    const range = iterationRows(trace, 0);
    const spent = spentNs(trace, range);
    const of = (kind: string): number =>
      spent.reduce((sum, ns, at) => sum + (rowKinds[trace.columns.kind[range.from + at] ?? 0] === kind ? ns : 0), 0);
    expect([of('kernel'), of('copy'), of('host-call')]).toEqual([4000, 1000, 3000]);
  });

  it('adds up to all time in which anything ran', () => {
    const lane = fc.array(fc.constantFrom('.', 'a'), { minLength: 4, maxLength: 12 });
    fc.assert(
      fc.property(lane, lane, lane, (host, side, main) => {
        const drawn = (name: string, cells: readonly string[], sign: string) =>
          `${name} ${cells.map((cell) => (cell === 'a' ? sign : '.')).join('')}`;
        const trace = drawTrace({
          rows: {
            c: { kind: 'host-call', op: 0 },
            C: { kind: 'copy', op: 0, engine: 'h2d', src: 'pinned', dst: 'device' },
            K: { kind: 'kernel', op: 1, engine: 'compute' },
          },
          lanes: [drawn('thread:main', host, 'c'), drawn('stream:side', side, 'C'), drawn('stream:default', main, 'K')],
        });
        const { from, to } = iterationRows(trace, 0);
        const rows = Array.from({ length: to - from }, (_, at) => from + at);
        const starts = rows.map((row) => trace.columns.startNs[row] ?? 0);
        const ends = rows.map((row, at) => (starts[at] ?? 0) + (trace.columns.durationNs[row] ?? 0));
        const sum = spentNs(trace, { from, to }).reduce((total, ns) => total + ns, 0);
        expect(sum).toBeCloseTo(length(union(starts, ends)), 3);
      }),
    );
  });
});
