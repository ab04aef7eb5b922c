/** Waits whose event has no mark: the likeliest record equals that of an exhaustive search, in bounded time. */
import { expect, it } from 'vitest';
import type { Calls } from '../../../core/lift/calls.ts';
import { eventPairs } from '../../../core/lift/events.ts';
import { hostLine } from '../../../core/lift/hostLine.ts';
import { rowEndNs } from '../../../core/trace/rows.ts';
import type { RowIndex, Trace } from '../../../core/trace/trace.ts';
import { complete, read, traceOf } from '../import/support.ts';
import { Random } from '../support/random.ts';

/** Returns launches in some streams, with records and waits between them; many times are equal. */
async function eventful(random: Random, calls: number, streams: number): Promise<Trace> {
  const events = Array.from({ length: calls }, (_, at) => {
    const correlation = at + 1;
    const call = (name: string) => complete('cuda_runtime', name, at * 4, 1, { correlation });
    switch (random.below(4)) {
      case 0:
        return [call('cudaEventRecord')];
      case 1:
        return [call('cudaStreamWaitEvent')];
      default: {
        const start = at * 4 + random.below(3) * 4;
        const args = { device: 0, stream: 7 + random.below(streams), correlation };
        return [call('cudaLaunchKernel'), complete('kernel', 'k', start, 1 + random.below(3) * 4, args)];
      }
    }
  });
  return (await read(traceOf(events.flat()))).trace;
}

/** Compares every record of the last 64, with every stream before it, with every other stream after the wait. */
function lookedAtAll(trace: Trace, calls: Calls, streams: readonly number[]) {
  const { columns } = trace;
  const lane = (row: RowIndex): number => columns.lane[row] ?? -1;
  const records: { place: number; by: number; last: Map<number, RowIndex> }[] = [];
  const last = new Map<number, RowIndex>();
  const next = (stream: number, place: number): RowIndex | undefined =>
    Array.from({ length: calls.length }, (_, at) => calls.firstActivity(at)).find(
      (row, at) => at > place && row >= 0 && lane(row) === stream,
    );
  const pairs: unknown[] = [];
  let by = -1;
  for (let place = 0; place < calls.length; place += 1) {
    for (const row of calls.activities(place)) {
      last.set(lane(row), row);
      by = lane(row);
    }
    if (calls.kind(place) === 'record') records.push({ place, by, last: new Map(last) });
    if (calls.kind(place) !== 'wait') continue;
    let [found, least]: [unknown, number] = [null, Number.POSITIVE_INFINITY];
    for (const record of records.slice(-64)) {
      for (const recorded of streams) {
        const before = record.last.get(recorded);
        for (const waiting of streams) {
          const after = waiting === recorded ? undefined : next(waiting, place);
          if (before === undefined || after === undefined) continue;
          const gap = (columns.startNs[after] ?? 0) - rowEndNs(trace, before);
          const cost = gap + (record.by === recorded ? 0 : 5000);
          if (gap < -500 || cost > least) continue;
          [found, least] = [{ record: record.place, wait: place, recorded, waiting, isKnown: false }, cost];
        }
      }
    }
    if (found !== null) pairs.push(found);
  }
  return pairs;
}

it('is what a look at all records and streams finds', async () => {
  const random = new Random(20261125);
  let pairs = 0;
  for (let round = 0; round < 15; round += 1) {
    const trace = await eventful(random, 20 + random.below(200), 2 + random.below(5));
    const { calls, streams } = hostLine(trace);
    const found = eventPairs(trace, calls, [...streams]);
    expect(found, `round ${round}`).toEqual(lookedAtAll(trace, calls, [...streams]));
    pairs += found.length;
  }
  expect(pairs).toBeGreaterThan(50);
});
