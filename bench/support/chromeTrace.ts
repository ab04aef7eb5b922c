import type { Trace } from '../../core/trace/trace.ts';

/** Yields the rows in Chrome's trace format, piece by piece. Times are in microseconds. */
export function* chromeTrace({ columns, lanes, names, count }: Trace): Generator<string> {
  yield '[';
  for (let row = 0; row < count; ) {
    const lines: string[] = [];
    for (const end = Math.min(count, row + 20_000); row < end; row += 1) {
      const name = JSON.stringify(names[columns.name[row] ?? 0] ?? '');
      const [ts, dur] = [(columns.startNs[row] ?? 0) / 1000, (columns.durationNs[row] ?? 0) / 1000];
      const event = `{"ph":"X","pid":1,"tid":${columns.lane[row]},"ts":${ts},"dur":${dur},"name":${name}}`;
      lines.push(row === 0 ? event : `,\n${event}`);
    }
    yield lines.join('');
  }
  yield* lanes.map(
    (lane, tid) => `,\n{"ph":"M","name":"thread_name","pid":1,"tid":${tid},"args":{"name":${JSON.stringify(lane.id)}}}`,
  );
  yield ']';
}
