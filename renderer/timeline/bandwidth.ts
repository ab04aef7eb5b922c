/**
 * Bandwidth of one direction over time, from its copies: each moves its bytes evenly over its duration, and copies
 * under way at once add up. Bytes per second.
 */
import { rowDirection } from '../../core/analysis/iteration.ts';
import { lowerBound, type RowRange } from '../../core/trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../../core/trace/trace.ts';

/** From `startNs` on, until the next step, `rate` bytes per second. */
export interface BandwidthStep {
  readonly startNs: number;
  readonly rate: number;
}

const copyCode = rowKinds.indexOf('copy');

/** Copies of a direction that last and move something. */
export function copyRows(trace: Trace, range: RowRange, direction: 'h2d' | 'd2h'): RowIndex[] {
  const { kind, bytes, durationNs } = trace.columns;
  const found: RowIndex[] = [];
  for (let row = range.from; row < range.to; row += 1) {
    const moves = kind[row] === copyCode && (bytes[row] ?? 0) > 0 && (durationNs[row] ?? 0) > 0;
    if (moves && rowDirection(trace, row) === direction) found.push(row);
  }
  return found;
}

export class Bandwidth {
  /** Highest rate there is. */
  readonly peak: number;
  readonly #times: Float64Array;
  readonly #rates: Float64Array;
  /** #moved[k]: bytes moved before #times[k]. */
  readonly #moved: Float64Array;

  constructor(trace: Trace, rows: readonly RowIndex[]) {
    const { startNs, durationNs, bytes } = trace.columns;
    const changes = rows.flatMap((row) => {
      const [start, duration] = [startNs[row] ?? 0, durationNs[row] ?? 0];
      const rate = ((bytes[row] ?? 0) / duration) * 1e9;
      return [
        { at: start, by: rate, copies: 1 },
        { at: start + duration, by: -rate, copies: -1 },
      ];
    });
    changes.sort((a, b) => a.at - b.at);
    this.#times = Float64Array.from(changes, (change) => change.at);
    this.#rates = new Float64Array(changes.length);
    this.#moved = new Float64Array(changes.length);
    this.peak = this.#sum(changes);
  }

  /** Exactly at one time. */
  at(timeNs: number): number {
    return this.#rates[this.#stepAt(timeNs)] ?? 0;
  }

  /** Bytes moved before a time. */
  movedBefore(timeNs: number): number {
    const step = this.#stepAt(timeNs);
    if (step < 0) return 0;
    const since = timeNs - (this.#times[step] ?? 0);
    return (this.#moved[step] ?? 0) + ((this.#rates[step] ?? 0) * since) / 1e9;
  }

  /** Steps over [fromNs, toNs]: exact where there are few enough, else each pixel's mean, which moves the same bytes. */
  steps(fromNs: number, toNs: number, pixels: number): BandwidthStep[] {
    const first = this.#stepAt(fromNs) + 1;
    const end = lowerBound(first, this.#times.length, (k) => (this.#times[k] ?? 0) < toNs);
    const start: BandwidthStep = { startNs: fromNs, rate: this.at(fromNs) };
    if (end - first > 2 * pixels) return this.#means(fromNs, toNs, pixels);
    const inside = Array.from({ length: end - first }, (_, k) => this.#step(first + k));
    return [start, ...inside.filter((step, k) => step.startNs !== inside[k + 1]?.startNs)];
  }

  #means(fromNs: number, toNs: number, pixels: number): BandwidthStep[] {
    const width = (toNs - fromNs) / pixels;
    return Array.from({ length: Math.ceil(pixels) }, (_, pixel) => {
      const startNs = fromNs + pixel * width;
      const moved = this.movedBefore(startNs + width) - this.movedBefore(startNs);
      return { startNs, rate: (moved / width) * 1e9 };
    });
  }

  #step(k: number): BandwidthStep {
    return { startNs: this.#times[k] ?? 0, rate: this.#rates[k] ?? 0 };
  }

  /** The last step that has begun at a time; -1 before the first. */
  #stepAt(timeNs: number): number {
    return lowerBound(0, this.#times.length, (k) => (this.#times[k] ?? 0) <= timeNs) - 1;
  }

  #sum(changes: readonly { readonly by: number; readonly copies: number }[]): number {
    let [rate, copies, peak, moved] = [0, 0, 0, 0];
    changes.forEach((change, k) => {
      moved += k === 0 ? 0 : (rate * ((this.#times[k] ?? 0) - (this.#times[k - 1] ?? 0))) / 1e9;
      copies += change.copies;
      // With no copy under way the rate is none, whatever rounding has left over.
      rate = copies === 0 ? 0 : rate + change.by;
      this.#rates[k] = rate;
      this.#moved[k] = moved;
      if (this.#times[k] !== this.#times[k + 1]) peak = Math.max(peak, rate);
    });
    return peak;
  }
}
