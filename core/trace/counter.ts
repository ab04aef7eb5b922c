/**
 * A quantity over time as steps, such as queued work or allocated memory. Built once, it answers each frame with
 * minimum and maximum of every pixel, so no peak is lost at any zoom.
 */
import { lowerBound } from '../lowerBound.ts';

/** The value is values[k] from times[k] until times[k + 1]. Transferable between threads. */
export interface CounterSteps {
  /** Strictly ascending. The counter begins at the first one. */
  readonly times: Float64Array;
  readonly values: Float64Array;
}

export interface CounterData extends CounterSteps {
  /** Minimum and maximum of groups of steps: groupSteps steps at the first level, groupSteps groups at the next. */
  readonly levels: readonly { readonly least: Float64Array; readonly most: Float64Array }[];
}

const groupSteps = 32;

export function counterData({ times, values }: CounterSteps): CounterData {
  const levels: { least: Float64Array; most: Float64Array }[] = [];
  let [least, most]: [Float64Array, Float64Array] = [values, values];
  while (least.length > groupSteps) {
    const level = { least: grouped(least, Math.min), most: grouped(most, Math.max) };
    levels.push(level);
    ({ least, most } = level);
  }
  return { times, values, levels };
}

function grouped(values: Float64Array, pick: (a: number, b: number) => number): Float64Array {
  const groups = new Float64Array(Math.ceil(values.length / groupSteps));
  for (let group = 0; group < groups.length; group += 1) {
    const end = Math.min((group + 1) * groupSteps, values.length);
    let best = values[group * groupSteps] as number;
    for (let at = group * groupSteps + 1; at < end; at += 1) best = pick(best, values[at] as number);
    groups[group] = best;
  }
  return groups;
}

/** Minimum and maximum of each pixel. Refilled for each frame. */
export interface CounterColumns {
  least: Float64Array;
  most: Float64Array;
}

export class Counter {
  readonly #times: Float64Array;
  readonly #values: Float64Array;
  readonly #levels: CounterData['levels'];
  /** Highest value; 0 without steps. */
  readonly peak: number;
  // Result of #between(). Fields rather than an object, because it is called thousands of times per frame.
  #least = 0;
  #most = 0;

  constructor({ times, values, levels }: CounterData) {
    this.#times = times;
    this.#values = values;
    this.#levels = levels;
    this.#between(-1, times.length);
    this.peak = this.#most;
  }

  /** Returns 0 before the counter begins. */
  at(timeNs: number): number {
    return this.#values[this.#stepAt(timeNs)] ?? 0;
  }

  /** Returns minimum and maximum in [fromNs, toNs). */
  over(fromNs: number, toNs: number): { readonly least: number; readonly most: number } {
    const first = this.#stepAt(fromNs);
    const end = lowerBound(Math.max(first, 0), this.#times.length, (k) => (this.#times[k] as number) < toNs);
    this.#between(first, Math.max(end, first + 1));
    return { least: this.#least, most: this.#most };
  }

  /** Sets minimum and maximum of `pixels` equal parts of [fromNs, toNs). The columns must be at least as long. */
  fill({ least, most }: CounterColumns, fromNs: number, toNs: number, pixels: number): void {
    const pixelNs = (toNs - fromNs) / pixels;
    const times = this.#times;
    let first = this.#stepAt(fromNs);
    for (let pixel = 0; pixel < pixels; pixel += 1) {
      const pixelEnd = fromNs + (pixel + 1) * pixelNs;
      const end = this.#gallop(first + 1, pixelEnd);
      if (end === first + 1) {
        const value = first < 0 ? 0 : (this.#values[first] as number);
        least[pixel] = value;
        most[pixel] = value;
      } else {
        this.#between(first, end);
        least[pixel] = this.#least;
        most[pixel] = this.#most;
      }
      // The pixel's last step continues into the next pixel, unless that begins with a step of its own.
      first = end < times.length && (times[end] as number) === pixelEnd ? end : end - 1;
    }
  }

  /** Returns the first step from `from` on that begins at or after `timeNs`. Doubles its steps, since it is near. */
  #gallop(from: number, timeNs: number): number {
    const times = this.#times;
    let [low, high] = [from, from];
    for (let step = 1; high < times.length && (times[high] as number) < timeNs; step *= 2) {
      low = high + 1;
      high += step;
    }
    high = Math.min(high, times.length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((times[middle] as number) < timeNs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Finds minimum and maximum of the steps `first` to `end - 1`. Before the first step the value is 0. */
  #between(first: number, end: number): void {
    this.#least = first < 0 ? 0 : Number.POSITIVE_INFINITY;
    this.#most = first < 0 ? 0 : Number.NEGATIVE_INFINITY;
    let [from, to] = [Math.max(first, 0), end];
    let [least, most]: [Float64Array, Float64Array] = [this.#values, this.#values];
    for (const level of this.#levels) {
      const [inner, outer] = [Math.ceil(from / groupSteps), Math.floor(to / groupSteps)];
      if (inner >= outer) break;
      this.#walk(least, most, from, inner * groupSteps);
      this.#walk(least, most, outer * groupSteps, to);
      ({ least, most } = level);
      [from, to] = [inner, outer];
    }
    this.#walk(least, most, from, to);
  }

  #walk(least: Float64Array, most: Float64Array, from: number, to: number): void {
    for (let at = from; at < to; at += 1) {
      if ((least[at] as number) < this.#least) this.#least = least[at] as number;
      if ((most[at] as number) > this.#most) this.#most = most[at] as number;
    }
  }

  /** Returns the last step that has begun at a time; -1 before the first. */
  #stepAt(timeNs: number): number {
    return lowerBound(0, this.#times.length, (k) => (this.#times[k] as number) <= timeNs) - 1;
  }
}
