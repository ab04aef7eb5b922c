/** Sorts a trace's rows by iteration, then start, then longer first, so that a range precedes its content. */
import { type CommonColumn, emptyColumns, type TraceColumns } from './trace.ts';

/** All rows are of one iteration if `iteration` is missing. */
type Order = Pick<TraceColumns, 'startNs' | 'durationNs'> & { readonly iteration?: Int32Array };

function isSorted(columns: Order, count: number): boolean {
  const comesBefore = comparison(columns);
  for (let row = 1; row < count; row += 1) if (comesBefore(row, row - 1)) return false;
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

function rowOrder(columns: TraceColumns, count: number): Int32Array {
  const order = new Int32Array(count);
  let place = 0;
  const laneOf = (row: number): number => columns.lane[row] as number;
  visitInOrder(columns, count, laneOf, (row) => {
    order[place] = row;
    place += 1;
  });
  return order;
}

/** Visits rows in order: chains those of each lane, which mostly are sorted already, then merges the lanes. */
export function visitInOrder(
  columns: Order,
  count: number,
  laneOf: (row: number) => number,
  visit: (row: number) => void,
): void {
  const comesBefore = comparison(columns);
  // The next row of the same lane; -1 after the last one.
  const next = new Int32Array(count).fill(-1);
  const [first, last, unsorted] = [[] as number[], [] as number[], new Set<number>()];
  for (let row = 0; row < count; row += 1) {
    const lane = laneOf(row);
    const before = last[lane];
    if (before === undefined) first[lane] = row;
    else {
      next[before] = row;
      if (comesBefore(row, before)) unsorted.add(lane);
    }
    last[lane] = row;
  }
  for (const lane of unsorted) first[lane] = sortChain(next, first[lane] as number, comesBefore);
  merge(next, Object.values(first), comesBefore, visit);
}

type ComesBefore = (a: number, b: number) => boolean;

/** Compares two rows; equal rows stay in the order in which they were added. */
function comparison({ iteration, startNs, durationNs }: Order): ComesBefore {
  const inIteration = (a: number, b: number): boolean =>
    startNs[a] === startNs[b]
      ? ((durationNs[b] as number) - (durationNs[a] as number) || a - b) < 0
      : (startNs[a] as number) < (startNs[b] as number);
  if (iteration === undefined) return inIteration;
  return (a, b) =>
    iteration[a] === iteration[b] ? inIteration(a, b) : (iteration[a] as number) < (iteration[b] as number);
}

/** Sorts the chain that begins with row `first`, and returns its new first row. */
function sortChain(next: Int32Array, first: number, comesBefore: ComesBefore): number {
  const rows: number[] = [];
  for (let row = first; row >= 0; row = next[row] as number) rows.push(row);
  rows.sort((a, b) => (comesBefore(a, b) ? -1 : 1));
  for (const [index, row] of rows.entries()) next[row] = rows[index + 1] ?? -1;
  return rows[0] as number;
}

/** Merges sorted chains with a binary heap of their first rows. */
function merge(next: Int32Array, heap: number[], comesBefore: ComesBefore, visit: (row: number) => void): void {
  for (let place = (heap.length >> 1) - 1; place >= 0; place -= 1) sink(heap, place, comesBefore);
  while (heap.length > 0) {
    const row = heap[0] as number;
    visit(row);
    const following = next[row] as number;
    const head = following >= 0 ? following : (heap.pop() as number);
    if (heap.length === 0) break;
    heap[0] = head;
    sink(heap, 0, comesBefore);
  }
}

function sink(heap: number[], from: number, comesBefore: ComesBefore): void {
  const row = heap[from] as number;
  let place = from;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && comesBefore(heap[child + 1] as number, heap[child] as number)) child += 1;
    const other = heap[child] as number;
    if (!comesBefore(other, row)) break;
    heap[place] = other;
    place = child;
  }
  heap[place] = row;
}
