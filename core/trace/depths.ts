/** Stacks overlapping rows: each row gets the lowest free depth at its start, so a range lies above its content. */

/** A binary min-heap of numbers. */
class Heap {
  readonly #items: number[] = [];
  readonly #rank: (item: number) => number;

  constructor(rank: (item: number) => number) {
    this.#rank = rank;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): number {
    return this.#items[0] ?? -1;
  }

  push(item: number): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#rank(items[parent] ?? 0) <= this.#rank(item)) break;
      items[at] = items[parent] ?? 0;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number {
    const items = this.#items;
    const least = items[0] ?? -1;
    const last = items.pop() ?? -1;
    if (items.length > 0) this.#sink(last);
    return least;
  }

  #sink(item: number): void {
    const items = this.#items;
    const rank = this.#rank(item);
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      if (child + 1 < items.length && this.#rank(items[child + 1] ?? 0) < this.#rank(items[child] ?? 0)) child += 1;
      if (rank <= this.#rank(items[child] ?? 0)) break;
      items[at] = items[child] ?? 0;
      at = child;
    }
    items[at] = item;
  }
}

/** Number of depths that are searched one by one. If more rows overlap, a heap finds the free depth. */
const fewDepths = 48;

export interface Depths {
  /** Depth of each row. */
  readonly depths: Uint32Array;
  /** Number of rows of each depth. */
  readonly counts: readonly number[];
}

/**
 * Returns the lowest free depth for each row, given ascending starts and their ends. Rows of one depth don't overlap,
 * but one may start where another ends. Rows without duration share a depth only at different times.
 */
export function assignDepths(starts: Float64Array, ends: Float64Array): Depths {
  const few = assignFew(starts, ends);
  if (few !== null) return few;
  const depths = assignMany(starts, ends);
  const counts: number[] = [];
  for (const depth of depths) counts[depth] = (counts[depth] ?? 0) + 1;
  return { depths, counts };
}

/** Returns null if more than a few rows overlap at once. */
function assignFew(starts: Float64Array, ends: Float64Array): Depths | null {
  const depths = new Uint32Array(starts.length);
  const counts: number[] = [];
  const lastStart = new Float64Array(fewDepths);
  const lastEnd = new Float64Array(fewDepths);
  for (let row = 0; row < starts.length; row += 1) {
    const now = starts[row] as number;
    let depth = 0;
    while (depth < counts.length && !((lastEnd[depth] as number) <= now && (lastStart[depth] as number) < now)) {
      depth += 1;
    }
    if (depth === fewDepths) return null;
    lastStart[depth] = now;
    lastEnd[depth] = ends[row] as number;
    depths[row] = depth;
    counts[depth] = (counts[depth] ?? 0) + 1;
  }
  return { depths, counts };
}

function assignMany(starts: Float64Array, ends: Float64Array): Uint32Array {
  const depths = new Uint32Array(starts.length);
  const busy = new Heap((row) => ends[row] ?? 0);
  const free = new Heap((depth) => depth);
  let used = 0;
  const isOver = (row: number, now: number): boolean => (ends[row] ?? 0) <= now && (starts[row] ?? 0) < now;
  for (let row = 0; row < starts.length; row += 1) {
    const now = starts[row] ?? 0;
    while (busy.size > 0 && isOver(busy.peek(), now)) free.push(depths[busy.pop()] ?? 0);
    if (free.size > 0) {
      depths[row] = free.pop();
    } else {
      depths[row] = used;
      used += 1;
    }
    busy.push(row);
  }
  return depths;
}
