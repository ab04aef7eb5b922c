/**
 * Finds the stream in which a graph was launched. No trace shows it: nodes ran there and in the graph's own streams,
 * and one of those may have begun first.
 */
import type { RowIndex, Trace } from '../trace/trace.ts';
import type { Calls } from './calls.ts';

/** Returns lanes of streams used by calls with one activity, which excludes a graph's own streams. */
export function programStreams({ columns }: Trace, calls: Calls): ReadonlySet<number> {
  const lanes = new Set<number>();
  for (let place = 0; place < calls.length; place += 1) {
    const row = calls.firstActivity(place);
    if (row >= 0 && calls.nextActivity(row) < 0) lanes.add(columns.lane[row] ?? -1);
  }
  return lanes;
}

/** Returns a call's activity that began first in a stream of the program; or the first of all if none did. */
export const firstOfProgram = (
  { columns }: Trace,
  activities: readonly RowIndex[],
  streams: ReadonlySet<number>,
): RowIndex | undefined => activities.find((row) => streams.has(columns.lane[row] ?? -1)) ?? activities[0];
