/**
 * Bandwidth of one direction over time in bytes per second. Each copy moves its bytes evenly over its duration, and
 * simultaneous copies add up.
 */
import { lowerBound } from '../../../core/lowerBound.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../../../core/trace/trace.ts';
import { paintCode, paintNames } from '../../common/palette.ts';

/** Transfers over each link. Every device has its own link, so copies of other devices don't count. */
type LinkDirection = 'h2d' | 'd2h';

interface LinkName {
  readonly direction: LinkDirection;
  /** Null if the run has one device only. */
  readonly device: string | null;
}

/** Data passed between threads. */
export interface LinkData extends LinkName {
  readonly data: BandwidthData;
}

export interface Link extends LinkName {
  readonly bandwidth: Bandwidth;
}

/** Returns a link for each direction and device; none if nothing moves. */
export function linksData(trace: Trace, range: RowRange): LinkData[] {
  const devices = [...new Set(trace.lanes.flatMap(({ device }) => (device === '' ? [] : [device])))];
  return (['h2d', 'd2h'] as const).flatMap((direction) => {
    const rows = copyRows(trace, range, direction);
    const parts =
      devices.length < 2
        ? [{ device: null, rows }]
        : devices.map((device) => ({ device, rows: rows.filter((row) => deviceOf(trace, row) === device) }));
    return parts.flatMap((part) =>
      part.rows.length === 0 ? [] : [{ direction, device: part.device, data: bandwidthData(trace, part.rows) }],
    );
  });
}

const deviceOf = ({ lanes, columns }: Trace, row: number): string | undefined =>
  lanes[columns.lane[row] as number]?.device;

/** A rate in bytes per second from `startNs` until the next step. */
export interface BandwidthStep {
  readonly startNs: number;
  readonly rate: number;
}

const copyCode = rowKinds.indexOf('copy');

/** Returns the copies of a direction with duration and bytes, in order of start. */
export function copyRows(trace: Trace, range: RowRange, direction: 'h2d' | 'd2h'): Uint32Array {
  const { kind, bytes, durationNs } = trace.columns;
  const wanted = paintNames.indexOf(direction);
  const moves = (row: RowIndex): boolean =>
    kind[row] === copyCode &&
    (bytes[row] as number) > 0 &&
    (durationNs[row] as number) > 0 &&
    paintCode(trace, row) === wanted;
  let count = 0;
  for (let row = range.from; row < range.to; row += 1) if (moves(row)) count += 1;
  const found = new Uint32Array(count);
  count = 0;
  for (let row = range.from; row < range.to && count < found.length; row += 1) if (moves(row)) found[count++] = row;
  return found;
}

/** Data passed between threads. */
export interface BandwidthData {
  readonly peak: number;
  readonly times: Float64Array;
  readonly rates: Float64Array;
  /** moved[k]: bytes moved before times[k]. */
  readonly moved: Float64Array;
}

export function bandwidthData(trace: Trace, rows: Uint32Array): BandwidthData {
  const { startNs, durationNs, bytes } = trace.columns;
  const count = rows.length;
  const ends = new Float64Array(count);
  const by = new Float64Array(count);
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] as number;
    ends[at] = (startNs[row] as number) + (durationNs[row] as number);
    by[at] = ((bytes[row] as number) / (durationNs[row] as number)) * 1e9;
  }
  const byEnd = orderOf(ends);
  const times = new Float64Array(2 * count);
  const rates = new Float64Array(2 * count);
  const moved = new Float64Array(2 * count);
  let [rate, copies, peak, sum, start, end] = [0, 0, 0, 0, 0, 0];
  for (let k = 0; k < 2 * count; k += 1) {
    const ending = (byEnd === null ? end : byEnd[end]) as number;
    const endsAt = ends[ending] as number;
    const startsAt = start < count ? (startNs[rows[start] as number] as number) : Number.POSITIVE_INFINITY;
    const isStart = startsAt <= endsAt;
    const now = isStart ? startsAt : endsAt;
    sum += k === 0 ? 0 : (rate * (now - (times[k - 1] as number))) / 1e9;
    // The previous rate is a peak only if it lasted; of several changes at one time only the last counts.
    if (k > 0 && now > (times[k - 1] as number)) peak = Math.max(peak, rate);
    copies += isStart ? 1 : -1;
    // The rate is 0 without copies, whatever rounding error is left.
    rate = copies === 0 ? 0 : rate + (isStart ? (by[start] as number) : -(by[ending] as number));
    times[k] = now;
    rates[k] = rate;
    moved[k] = sum;
    if (isStart) start += 1;
    else end += 1;
  }
  return { peak, times, rates, moved };
}

/** Returns positions in ascending order of value, or null if they are sorted already, as on one engine. */
function orderOf(values: Float64Array): Uint32Array | null {
  for (let at = 1; at < values.length; at += 1) {
    if ((values[at] as number) < (values[at - 1] as number)) {
      return Uint32Array.from(values.keys()).sort((a, b) => (values[a] as number) - (values[b] as number));
    }
  }
  return null;
}

export class Bandwidth {
  /** Highest rate in bytes per second. */
  readonly peak: number;
  readonly #times: Float64Array;
  readonly #rates: Float64Array;
  /** #moved[k]: bytes moved before #times[k]. */
  readonly #moved: Float64Array;

  constructor({ peak, times, rates, moved }: BandwidthData) {
    this.peak = peak;
    this.#times = times;
    this.#rates = rates;
    this.#moved = moved;
  }

  /** Returns the rate at one time. */
  at(timeNs: number): number {
    return this.#rates[this.#stepAt(timeNs)] ?? 0;
  }

  /** Returns the bytes moved before a time. */
  movedBefore(timeNs: number): number {
    const step = this.#stepAt(timeNs);
    if (step < 0) return 0;
    const since = timeNs - (this.#times[step] ?? 0);
    return (this.#moved[step] ?? 0) + ((this.#rates[step] ?? 0) * since) / 1e9;
  }

  /** Returns steps over [fromNs, toNs]: exact if there are few, else each pixel's mean, which moves the same bytes. */
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

  /** Returns the last step that began at or before a time, or -1. */
  #stepAt(timeNs: number): number {
    return lowerBound(0, this.#times.length, (k) => (this.#times[k] ?? 0) <= timeNs) - 1;
  }
}
