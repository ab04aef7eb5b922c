import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../../core/trace/run.ts';
import { read, traceBytes } from '../import/support.ts';
import { runInfo, smallRun, traceArbitrary } from '../trace/fixtures.ts';
import {
  beginnings,
  exported,
  flowsTold,
  flowText,
  recordedRun,
  rowsTold,
  simulatedExample,
  sorted,
  type ToldRow,
  toldRow,
} from './support.ts';

interface TraceEvent {
  readonly ph: string;
  readonly cat: string;
  readonly name: string;
  readonly pid: number | string;
  readonly tid: number | string;
  readonly ts: number;
  readonly dur: number;
  readonly id: number;
  readonly args: Readonly<Record<string, number | string>>;
}

const eventsOf = (bytes: Uint8Array): TraceEvent[] => JSON.parse(new TextDecoder().decode(bytes)).traceEvents;
const threadOf = ({ pid, tid }: TraceEvent): string => `${pid} ${tid}`;
const nanoseconds = (microseconds: number): number => Math.round(microseconds * 1000);

function readChrome(run: Run) {
  const events = eventsOf(exported(run, 'chrome'));
  const threads = new Map(
    events.flatMap((event) => (event.name === 'thread_name' ? [[threadOf(event), String(event.args['name'])]] : [])),
  );
  const begins = beginnings(run);
  const rowOf = (event: TraceEvent): ToldRow => {
    const begin = begins.get(Number(event.args['iteration'] ?? 0)) ?? 0;
    const own = {
      kind: event.cat,
      name: event.name,
      lane: (threads.get(threadOf(event)) ?? '').replace(/, overlapping \d+$/, ''),
      startNs: nanoseconds(event.ts) - begin,
      durationNs: nanoseconds(event.dur),
    };
    return toldRow(own, event.args);
  };
  const slices = events.filter(({ ph }) => ph === 'X');
  return { events, threads, slices, rows: slices.filter(({ cat }) => cat !== 'engine').map(rowOf) };
}

/** Slices of one thread that neither lie inside of one another nor follow one another. */
function overlapping(slices: readonly TraceEvent[]): unknown[] {
  const open = new Map<string, number[]>();
  return slices.filter((slice) => {
    const [start, end] = [nanoseconds(slice.ts), nanoseconds(slice.ts) + nanoseconds(slice.dur)];
    const ends = open.get(threadOf(slice)) ?? [];
    open.set(threadOf(slice), ends);
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= start) ends.pop();
    const fits = ends.length === 0 || (ends.at(-1) ?? 0) >= end;
    ends.push(end);
    return !fits;
  });
}

function requireSame(run: Run): void {
  const { rows, slices } = readChrome(run);
  expect(sorted(rows)).toEqual(sorted(rowsTold(run)));
  expect(overlapping(slices)).toEqual([]);
}

describe('a Chrome trace', () => {
  it('gives back rows, times and bytes of any trace, and no thread has an overlap', () => {
    fc.assert(
      fc.property(traceArbitrary, (trace) => requireSame({ info: runInfo(), trace })),
      { numRuns: 150 },
    );
  });

  it('gives back runs that were recorded, simulated and imported', async () => {
    requireSame(recordedRun('overlap/pinned-side-stream'));
    requireSame(recordedRun('lessons/two-gpus-two-threads'));
    requireSame(simulatedExample('pipelines/strategy-b'));
    requireSame(await read(traceBytes('trace_streamed1_pinned1.json')));
  });

  it('joins each flow’s ends by its number, at the beginning of the rows that they belong to', () => {
    const run = recordedRun('races/unordered-streams-event');
    const { events, slices, rows } = readChrome(run);
    const own = slices.filter(({ cat }) => cat !== 'engine');
    const rowAt = (event: TraceEvent | undefined): ToldRow[] =>
      own.flatMap((slice, index) =>
        event !== undefined && threadOf(slice) === threadOf(event) && slice.ts === event.ts
          ? [rows[index] as ToldRow]
          : [],
      );
    const ends = events.filter(({ ph }) => ph === 'f');
    const possible = ends.map(({ id, ...end }) => {
      const start = events.find((event) => event.ph === 's' && event.id === id);
      return rowAt(start).flatMap((from) => rowAt({ ...end, id }).map((to) => flowText(from, to)));
    });
    const told = flowsTold(run);
    expect(possible).toHaveLength(told.length);
    for (const flow of told)
      expect(
        possible.some((texts) => texts.includes(flow)),
        flow,
      ).toBe(true);
  });

  it('puts what overlaps on one stream on a track of its own, beside the stream’s', () => {
    const run = smallRun();
    const { columns } = run.trace;
    // The kernel's row moves to the copy's stream, where both overlap.
    const copy = run.trace.lanes.findIndex(({ id }) => id === 'stream:copy');
    for (let row = 0; row < run.trace.count; row += 1) {
      if (run.trace.lanes[columns.lane[row] ?? 0]?.kind === 'stream') columns.lane[row] = copy;
    }
    const names = [...readChrome(run).threads.values()];
    expect(names).toContain('copy, overlapping 1');
    expect(names.indexOf('copy, overlapping 1')).toBe(names.indexOf('copy') + 1);
    requireSame(run);
  });

  it('counts what each link carries', () => {
    const counters = readChrome(smallRun()).events.filter(({ ph }) => ph === 'C');
    expect(counters.map(({ name, ts, args }) => [name, ts, args['bytes/s']])).toEqual(
      [2, 8, 12, 18].map((ts, index) => ['H2D link (bytes/s)', ts, index % 2 === 0 ? (4096 / 6000) * 1e9 : 0]),
    );
  });
});
