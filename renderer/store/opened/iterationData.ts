/** One iteration, indexed for drawing. A worker makes it for an opened run, so it is mostly typed arrays. */
import type { LaneCounter } from '../../../core/explain/figures/laneCounters.ts';
import { allLaneData, type LaneData } from '../../../core/trace/laneIndex.ts';
import { iterationRows, makespanNs, type RowRange } from '../../../core/trace/rows.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import { type LinkData, linksData } from './bandwidth.ts';

export interface IterationData {
  readonly number: number;
  readonly rows: RowRange;
  readonly makespanNs: number;
  /** Data by position in trace.lanes. */
  readonly lanes: readonly LaneData[];
  readonly links: readonly LinkData[];
}

export function indexIteration(trace: Trace, number: number): IterationData {
  const rows = iterationRows(trace, number);
  return {
    number,
    rows,
    makespanNs: makespanNs(trace, rows),
    lanes: allLaneData(trace, rows),
    links: linksData(trace, rows),
  };
}

/** Returns the memory of an indexed iteration, for transfer to another thread. */
export function buffersOf({ lanes, links }: IterationData): ArrayBuffer[] {
  const layers = lanes.flatMap((lane) => [...lane.bars, ...lane.marks]);
  const arrays: ArrayBufferView[] = [
    ...layers.flatMap(({ rows, starts, ends, groupStarts, busy, longest }) => [
      ...[rows, starts, ends, groupStarts, busy],
      ...longest.flatMap(({ positions, lengths }) => [positions, lengths]),
    ]),
    ...links.flatMap(({ data: { times, rates, moved } }) => [times, rates, moved]),
  ];
  return memoryOf(arrays);
}

/** Returns the memory of counters. */
export const counterBuffers = (counters: readonly LaneCounter[]): ArrayBuffer[] =>
  memoryOf(
    counters.flatMap(({ data: { times, values, levels } }) => [
      ...[times, values],
      ...levels.flatMap(({ least, most }) => [least, most]),
    ]),
  );

const memoryOf = (arrays: readonly ArrayBufferView[]): ArrayBuffer[] =>
  [...new Set(arrays.map(({ buffer }) => buffer))].filter((buffer) => buffer instanceof ArrayBuffer);
