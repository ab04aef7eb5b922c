/** Sorts a trace's rows by iteration, then start, then longer first, so that a range precedes its content. */
import { type CommonColumn, emptyColumns, type TraceColumns } from './trace.ts';

type Order = Pick<TraceColumns, 'iteration' | 'startNs' | 'durationNs'>;

function isSorted({ iteration, startNs, durationNs }: Order, count: number): boolean {
  for (let row = 1; row < count; row += 1) {
    const before = row - 1;
    const step =
      at(iteration, row) - at(iteration, before) ||
      at(startNs, row) - at(startNs, before) ||
      at(durationNs, before) - at(durationNs, row);
    if (step < 0) return false;
  }
  return true;
}

/** Returns empty columns of `count` rows, including the optional columns that `columns` has. */
export const columnsLike = ({ hostAddress }: TraceColumns, count: number): TraceColumns => ({
  ...emptyColumns(count),
  ...(hostAddress === undefined ? {} : { hostAddress: new Float64Array(count) }),
});

type OwnedColumns = { -readonly [Name in keyof TraceColumns]: TraceColumns[Name] };

/** Puts the first `count` rows in order, one column after another, so that at most one is in memory twice. The sort is stable. */
export function sortOwned(columns: OwnedColumns, count: number): TraceColumns {
  const order = isSorted(columns, count) ? null : rowOrder(columns, count);
  for (const name of columnNames(columns)) replace(columns, name, order, count);
  return columns;
}

function replace<Name extends CommonColumn>(
  columns: OwnedColumns,
  name: Name,
  order: Int32Array | null,
  count: number,
): void {
  const from = columns[name];
  if (order === null) {
    // The rest was never written, and takes no memory.
    if (from.length > count) columns[name] = from.subarray(0, count) as OwnedColumns[Name];
    return;
  }
  const to = from.slice(0, count) as OwnedColumns[Name];
  gather(from, to, order);
  columns[name] = to;
}

/** Returns the names of all columns that exist. */
export const columnNames = (columns: TraceColumns): CommonColumn[] => Object.keys(columns) as CommonColumn[];

/** Sets element i of `to` to element `order[i]` of `from`. One loop per type is ten times faster than a shared one. */
export function gather(from: TraceColumns[CommonColumn], to: TraceColumns[CommonColumn], order: Int32Array): void {
  if (from instanceof Float64Array && to instanceof Float64Array) gatherDoubles(from, to, order);
  else if (from instanceof Int32Array && to instanceof Int32Array) gatherIntegers(from, to, order);
  else if (from instanceof Uint8Array && to instanceof Uint8Array) gatherBytes(from, to, order);
}

function gatherDoubles(from: Float64Array, to: Float64Array, order: Int32Array): void {
  for (let index = 0; index < to.length; index += 1) to[index] = from[order[index] ?? 0] ?? 0;
}

function gatherIntegers(from: Int32Array, to: Int32Array, order: Int32Array): void {
  for (let index = 0; index < to.length; index += 1) to[index] = from[order[index] ?? 0] ?? 0;
}

function gatherBytes(from: Uint8Array, to: Uint8Array, order: Int32Array): void {
  for (let index = 0; index < to.length; index += 1) to[index] = from[order[index] ?? 0] ?? 0;
}

/** Returns the order of rows: sorts each lane, since most are sorted already, then merges the lanes. */
export function rowOrder(columns: Order & Pick<TraceColumns, 'lane'>, count: number): Int32Array {
  const { rows, ends } = byLane(columns.lane, count);
  const comesBefore = comparison(columns);
  let start = 0;
  for (const end of ends) {
    const lane = rows.subarray(start, end);
    if (!isInOrder(lane, comesBefore)) lane.sort((a, b) => (comesBefore(a, b) ? -1 : 1));
    start = end;
  }
  return merged(rows, ends, comesBefore);
}

type ComesBefore = (a: number, b: number) => boolean;

/** Compares two rows; equal rows stay in the order in which they were added. */
function comparison({ iteration, startNs, durationNs }: Order): ComesBefore {
  return (a, b) => {
    if (startNs[a] !== startNs[b] && iteration[a] === iteration[b]) return at(startNs, a) < at(startNs, b);
    const step = at(iteration, a) - at(iteration, b) || at(durationNs, b) - at(durationNs, a) || a - b;
    return step < 0;
  };
}

/** Groups rows by lane in the order in which they were added. `ends` has the end of each group. */
function byLane(lanes: Int32Array, count: number): { rows: Int32Array; ends: Int32Array } {
  let most = 0;
  for (let row = 0; row < count; row += 1) most = Math.max(most, at(lanes, row));
  const places = new Int32Array(most + 2);
  for (let row = 0; row < count; row += 1) {
    const next = Math.max(0, at(lanes, row)) + 1;
    places[next] = at(places, next) + 1;
  }
  for (let lane = 1; lane < places.length; lane += 1) places[lane] = at(places, lane) + at(places, lane - 1);
  const rows = new Int32Array(count);
  for (let row = 0; row < count; row += 1) {
    const lane = Math.max(0, at(lanes, row));
    const place = at(places, lane);
    rows[place] = row;
    places[lane] = place + 1;
  }
  return { rows, ends: places.subarray(0, most + 1) };
}

function isInOrder(rows: Int32Array, comesBefore: ComesBefore): boolean {
  for (let index = 1; index < rows.length; index += 1) {
    if (comesBefore(at(rows, index), at(rows, index - 1))) return false;
  }
  return true;
}

/** Merges sorted groups with a binary heap of the groups by their first rows. */
function merged(rows: Int32Array, ends: Int32Array, comesBefore: ComesBefore): Int32Array {
  const next = Int32Array.from(ends, (_, group) => (group === 0 ? 0 : at(ends, group - 1)));
  const heap = Array.from(ends.keys()).filter((group) => at(next, group) < at(ends, group));
  const isLess = (a: number, b: number): boolean => comesBefore(at(rows, at(next, a)), at(rows, at(next, b)));
  for (let place = (heap.length >> 1) - 1; place >= 0; place -= 1) sink(heap, place, isLess);
  const order = new Int32Array(rows.length);
  for (let index = 0; index < order.length; index += 1) {
    const group = heap[0] ?? 0;
    const row = at(next, group);
    order[index] = at(rows, row);
    next[group] = row + 1;
    if (row + 1 === at(ends, group)) {
      const last = heap.pop();
      if (heap.length > 0 && last !== undefined) heap[0] = last;
    }
    sink(heap, 0, isLess);
  }
  return order;
}

function sink(heap: number[], from: number, isLess: (a: number, b: number) => boolean): void {
  const group = heap[from];
  if (group === undefined) return;
  let place = from;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isLess(heap[child + 1] ?? 0, heap[child] ?? 0)) child += 1;
    const other = heap[child] ?? 0;
    if (!isLess(other, group)) break;
    heap[place] = other;
    place = child;
  }
  heap[place] = group;
}

const at = (column: Float64Array | Int32Array, row: number): number => column[row] ?? 0;
