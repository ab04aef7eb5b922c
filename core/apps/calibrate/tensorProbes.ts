/** Probes for multi-tensor copies with several threads: their total copying speed on the host. */

import { groupBy } from '../../groupBy.ts';
import { MiB } from '../../units.ts';
import { stream, synchronize } from './operations.ts';
import type { Operation, PlanBuilder } from './plan.ts';
import { durationOf, type Recorded, type Span } from './reading.ts';

const tensors = 48;
const counts = [1, 2, 4, 8, 16] as const;

export function addTensorProbes(builder: PlanBuilder): void {
  const bytes = Math.min(4 * MiB, builder.options.largestBytes / 4);
  for (const threads of counts) addThreads(builder, threads, bytes);
}

const multiCopy = (label: string, count: number, bytes: number, more: object): Operation => ({
  ...{ op: 'multiCopy', label, stream: 'work', payload: { tensors: count, bytes } },
  ...more,
});

/** Each thread copies one tensor after another into page-locked memory that earlier iterations have left. */
function addThreads(builder: PlanBuilder, threads: number, bytes: number): void {
  const operations = [multiCopy('packed', tensors, bytes, { strategy: 'packed', options: { threads } }), synchronize()];
  builder
    .probe(`tensors by ${threads} threads`, { streams: [stream] }, operations)
    .point('host.threads', 'threads', threads, (recorded) =>
      together(lanes(recorded), threads).map((row) => (threads * bytes * 1e9) / durationOf(row)),
    );
}

/** Returns each thread's copies. */
function lanes(recorded: Recorded): Span[][] {
  const packed = recorded.calls('packed').filter(({ bytes }) => bytes > 0);
  return [...groupBy(packed, ({ laneId }) => laneId).values()];
}

/** Returns the rows during which all threads copy; empty if a thread found nothing to do. */
function together(all: readonly (readonly Span[])[], threads: number): Span[] {
  if (all.length < threads) return [];
  const from = Math.max(...all.map((rows) => rows[0]?.startNs ?? 0));
  const until = Math.min(...all.map((rows) => rows.at(-1)?.endNs ?? 0));
  return all.flat().filter(({ startNs, endNs }) => startNs >= from && endNs <= until);
}
