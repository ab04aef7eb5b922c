/**
 * A quantity over time, as steps: how much is queued, how much memory is held. Built once, and then it answers each
 * frame with the least and the most of every pixel, so that no peak is lost however far one has zoomed out.
 */
import { lowerBound } from '../lowerBound.ts';

/** From times[k] until times[k + 1] the value is values[k]. As it crosses between threads. */
export interface CounterSteps {
  /** Ascending, each later than the one before; the first is when the counter begins. */
  readonly times: Float64Array;
  readonly values: Float64Array;
}

export interface CounterData extends CounterSteps {
  /** Least and most of each group of steps: groupSteps of them at the first level, groupSteps groups at the next. */
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

/** Least and most of each pixel. Filled anew for each frame. */
export interface CounterColumns {
  least: Float64Array;
  most: Float64Array;
}

export class Counter {
  readonly #times: Float64Array;
  readonly #values: Float64Array;
  readonly #levels: CounterData['levels'];
  /** Highest value there is; 0 where there is none. */
  readonly peak: number;
  // What #between() found: two numbers, thousands of times a frame, and no garbage.
  #least = 0;
  #most = 0;

  constructor({ times, values, levels }: CounterData) {
    this.#times = times;
    this.#values = values;
    this.#levels = levels;
    this.#between(-1, times.length);
    this.peak = this.#most;
  }

  /** 0 before the counter begins. */
  at(timeNs: number): number {
    return this.#values[this.#stepAt(timeNs)] ?? 0;
  }

  /** Least and most over [fromNs, toNs). */
  over(fromNs: number, toNs: number): { readonly least: number; readonly most: number } {
    const first = this.#stepAt(fromNs);
    const end = lowerBound(Math.max(first, 0), this.#times.length, (k) => (this.#times[k] as number) < toNs);
    this.#between(first, Math.max(end, first + 1));
    return { least: this.#least, most: this.#most };
  }

  /** Least and most in each of `pixels` equal parts of [fromNs, toNs). The columns must be at least as long. */
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
      // The last step to begin in this pixel goes on into the next, unless that begins with a step of its own.
      first = end < times.length && (times[end] as number) === pixelEnd ? end : end - 1;
    }
  }

  /** First step from `from` on that begins at `timeNs` or later; in steps that double, since it is near. */
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

  /** Least and most of the steps `first` to `end - 1`; before the first step the value is 0. */
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

  /** The last step that has begun at a time; -1 before the first. */
  #stepAt(timeNs: number): number {
    return lowerBound(0, this.#times.length, (k) => (this.#times[k] as number) <= timeNs) - 1;
  }
}
