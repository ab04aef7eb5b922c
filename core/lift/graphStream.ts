/**
 * Which stream a graph was launched in. No trace tells it: its nodes ran there and in streams of the graph's own, and one
 * of those may have begun first.
 */
import type { RowIndex, Trace } from '../trace/trace.ts';
import type { Calls } from './calls.ts';

/** Lanes of the streams that calls with one activity put work in: a graph's own streams are none of them. */
export function programStreams({ columns }: Trace, calls: Calls): ReadonlySet<number> {
  const lanes = new Set<number>();
  for (let place = 0; place < calls.length; place += 1) {
    const row = calls.firstActivity(place);
    if (row >= 0 && calls.nextActivity(row) < 0) lanes.add(columns.lane[row] ?? -1);
  }
  return lanes;
}

/** What of a call began first in a stream of the program; or first of all, where none did. */
export const firstOfProgram = (
  { columns }: Trace,
  activities: readonly RowIndex[],
  streams: ReadonlySet<number>,
): RowIndex | undefined => activities.find((row) => streams.has(columns.lane[row] ?? -1)) ?? activities[0];
