/**
 * Links the rows of each lane in the order in which they are added, which is nearly always their order of time. At the
 * end one pass merges the lanes.
 */
import type { LaneIndex, RowIndex } from './trace.ts';

const none = -1;

/** Times of the rows, all in one iteration. */
export interface RowTimes {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
}

export class LaneChains {
  /** Next row of the same lane, by row. */
  #next: Int32Array;
  /** First row of each lane. */
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  /** 1 for a lane in which a row was added out of order. */
  readonly #isTangled: Uint8Array;

  constructor(lanes: number, capacity: number) {
    this.#next = new Int32Array(capacity);
    this.#first = new Int32Array(lanes).fill(none);
    this.#last = new Int32Array(lanes).fill(none);
    this.#isTangled = new Uint8Array(lanes);
  }

  grow(capacity: number): void {
    const next = new Int32Array(capacity);
    next.set(this.#next);
    this.#next = next;
  }

  /** Adds a row whose times are already set. Ignores a row without a lane. */
  add(row: RowIndex, lane: LaneIndex, { startNs, durationNs }: RowTimes): void {
    const last = this.#last[lane];
    if (last === undefined) return;
    this.#next[row] = none;
    this.#last[lane] = row;
    if (last === none) {
      this.#first[lane] = row;
      return;
    }
    this.#next[last] = row;
    const step = (startNs[row] as number) - (startNs[last] as number);
    if (step < 0 || (step === 0 && (durationNs[row] as number) > (durationNs[last] as number))) {
      this.#isTangled[lane] = 1;
    }
  }

  /** Visits all rows by start, then longer ones first, then in the order in which they were added. */
  visit(times: RowTimes, visit: (row: RowIndex) => void): void {
    const { startNs } = times;
    const next = this.#next;
    // A binary heap of the lanes with rows left, by their first row.
    const heads = this.#heads(times);
    const starts = Float64Array.from(heads, (row) => startNs[row] as number);
    let size = heads.length;
    for (let place = (size >> 1) - 1; place >= 0; place -= 1) sink(heads, starts, size, place, times);
    while (size > 0) {
      const row = heads[0] as number;
      visit(row);
      let head = next[row] as number;
      if (head === none) {
        size -= 1;
        head = heads[size] as number;
      }
      heads[0] = head;
      starts[0] = startNs[head] as number;
      sink(heads, starts, size, 0, times);
    }
  }

  /** Sorts all lanes, then returns the first row of each lane that has rows. */
  #heads(times: RowTimes): Int32Array {
    for (let lane = 0; lane < this.#first.length; lane += 1)
      if (this.#isTangled[lane] === 1) this.#untangle(lane, times);
    return this.#first.filter((row) => row !== none);
  }

  #untangle(lane: LaneIndex, times: RowTimes): void {
    const rows: RowIndex[] = [];
    for (let row = this.#first[lane] as number; row !== none; row = this.#next[row] as number) rows.push(row);
    const sorted = Int32Array.from(rows).sort((a, b) => (comesBefore(a, b, times) ? -1 : 1));
    let last = none;
    for (const row of sorted) {
      if (last === none) this.#first[lane] = row;
      else this.#next[last] = row;
      last = row;
    }
    this.#next[last] = none;
    this.#last[lane] = last;
    this.#isTangled[lane] = 0;
  }
}

function comesBefore(a: RowIndex, b: RowIndex, { startNs, durationNs }: RowTimes): boolean {
  const byStart = (startNs[a] as number) - (startNs[b] as number);
  if (byStart !== 0) return byStart < 0;
  const byDuration = (durationNs[b] as number) - (durationNs[a] as number);
  return byDuration === 0 ? a < b : byDuration < 0;
}

/** Sinks the lane at `from` in the heap. `starts` has the heads' starts, which usually decide. */
function sink(heads: Int32Array, starts: Float64Array, size: number, from: number, times: RowTimes): void {
  const row = heads[from] as number;
  const start = starts[from] as number;
  let place = from;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= size) break;
    if (child + 1 < size && isBefore(heads, starts, child + 1, child, times)) child += 1;
    const other = starts[child] as number;
    if (other > start || (other === start && !comesBefore(heads[child] as number, row, times))) break;
    heads[place] = heads[child] as number;
    starts[place] = other;
    place = child;
  }
  heads[place] = row;
  starts[place] = start;
}

function isBefore(heads: Int32Array, starts: Float64Array, a: number, b: number, times: RowTimes): boolean {
  const first = starts[a] as number;
  const second = starts[b] as number;
  return first === second ? comesBefore(heads[a] as number, heads[b] as number, times) : first < second;
}
