/** Multi-tensor copies with threads of their own: how fast several copy on the host, when they begin, how they wait. */
import { median } from '../analysis/statistics.ts';
import { groupBy } from '../groupBy.ts';
import { sleepers } from '../simulator/multiCopies.ts';
import { KiB, MiB } from '../units.ts';
import { stream, synchronize } from './operations.ts';
import type { Operation, PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded, type Span } from './reading.ts';

const tensors = 48;
const counts = [1, 2, 4, 8, 16] as const;

export function addTensorProbes(builder: PlanBuilder): void {
  const bytes = Math.min(4 * MiB, builder.options.largestBytes / 4);
  for (const threads of counts) addThreads(builder, threads, bytes);
  addContended(builder);
}

const multiCopy = (label: string, count: number, bytes: number, more: object): Operation => ({
  ...{ op: 'multiCopy', label, stream: 'work', payload: { tensors: count, bytes } },
  ...more,
});

/** Each thread takes one tensor after another, and copies it into page-locked memory that earlier iterations have left. */
function addThreads(builder: PlanBuilder, threads: number, bytes: number): void {
  const operations = [multiCopy('packed', tensors, bytes, { strategy: 'packed', options: { threads } }), synchronize()];
  const found = builder
    .probe(`tensors by ${threads} threads`, { streams: [stream] }, operations)
    .point('host.threads', 'threads', threads, (recorded) =>
      together(lanes(recorded), threads).map((row) => (threads * bytes * 1e9) / durationOf(row)),
    );
  if (threads !== sleepers + 1) return;
  found.value('host.sleeperWakeNs', (recorded) => {
    const begins = lanes(recorded).map(([first]) => first?.startNs ?? Number.NaN);
    const call = recorded.call('packed');
    return begins.length < threads || call === undefined ? undefined : Math.max(...begins) - call.startNs;
  });
}

/** What each thread has copied. */
function lanes(recorded: Recorded): Span[][] {
  const packed = recorded.calls('packed').filter(({ bytes }) => bytes > 0);
  return [...groupBy(packed, ({ laneId }) => laneId).values()];
}

/** Rows while all threads copy; none where some thread has found nothing to do. */
function together(all: readonly (readonly Span[])[], threads: number): Span[] {
  if (all.length < threads) return [];
  const from = Math.max(...all.map((rows) => rows[0]?.startNs ?? 0));
  const until = Math.min(...all.map((rows) => rows.at(-1)?.endNs ?? 0));
  return all.flat().filter(({ startNs, endNs }) => startNs >= from && endNs <= until);
}

/**
 * Threads that put small tensors into a stream go one after another: what each takes longer than a thread alone. In the
 * first such copy helpers wake late.
 */
function addContended(builder: PlanBuilder): void {
  const [few, many, bytes] = [200, 600, 4 * KiB];
  const pinned = { id: 'pinned', memory: 'pinned' as const, bytes };
  const device = { id: 'device', memory: 'device' as const, bytes };
  const side = (count: number, label = `${count}`) => multiCopy(label, count, bytes, { strategy: 'threaded-pinning' });
  const payload = { tensors: few, bytes, memory: 'pinned' };
  const alone = multiCopy('alone', few, bytes, { strategy: 'non-blocking-loop', payload });
  const parts = { streams: [stream], buffers: [pinned, device] };
  builder
    .probe('tensors side by side', parts, [alone, side(few, 'warm'), side(few), side(many), synchronize()])
    .value('calls.contendedNs', (recorded) => {
      const each = (busyNs(recorded.calls(`${many}`)) - busyNs(recorded.calls(`${few}`))) / (many - few);
      return Math.max(0, each - median(callNs('alone', 'cudaMemcpyAsync')(recorded)));
    });
}

/** From the first tensor that a thread copied to the last: what the device has yet to do isn't in it. */
function busyNs(rows: readonly Span[]): number {
  const copied = rows.filter(({ bytes }) => bytes > 0);
  return Math.max(...copied.map(({ endNs }) => endNs)) - Math.min(...copied.map(({ startNs }) => startNs));
}
