/**
 * The figures of one step, each with what it is made of. With U(x) the union of the intervals of x within the step, and |U|
 * its length:
 *
 *   pageableCopies   copies between host and device whose host memory is pageable
 *   pageableBytes    their bytes
 *   waitingCalls     cudaStreamSynchronize, cudaEventSynchronize, cudaDeviceSynchronize, and cudaMemcpy that isn't within the device
 *   exposedCopyNs    |U(copies between host and device, and calls of pageable ones) \ U(kernels and memsets)|: the two parts of
 *                    that name in core/lift/parts.ts
 *   hostHeldNs       the greatest |U(waiting calls, and calls of copies that hold the host)| of a thread (core/figures/hostTime.ts),
 *                    within the host's step, which may be another time than the device's
 *   idleShare        1 - |U(kernels, copies and memsets)| / step, of the device with the greatest
 *   stepNs           the step's duration
 */
import { isBlockingMemcpy, isHeldBy } from '../figures/hostTime.ts';
import { rowUnion } from '../figures/overlap.ts';
import { groupBy } from '../groupBy.ts';
import { splitTime } from '../lift/parts.ts';
import { coveredLength, type Intervals, length, union } from '../trace/intervals.ts';
import { activity, rowDevice, rowDirection, rowKind, rowStart } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import { memoryKinds, type RowIndex, type Trace } from '../trace/trace.ts';
import type { GateFigure } from './figures.ts';
import type { GateStep } from './steps.ts';

/** A row that adds to a figure. */
export interface Share {
  readonly row: RowIndex;
  /** The call of a row of the device; undefined where the trace doesn't hold it. */
  readonly call: RowIndex | undefined;
  readonly amount: number;
}

export interface StepFigure {
  readonly value: number;
  /** What it is made of, where rows are; those that overlap in time may add up to more than the value. */
  readonly shares: readonly Share[];
}

export type StepFigures = Readonly<Record<Exclude<GateFigure, 'hazards'>, StepFigure>>;

export interface MeasureOptions {
  readonly ignoreCopiesBelowBytes: number;
  /** Rows that are left out of a figure. */
  readonly isAllowed: (figure: GateFigure, row: RowIndex, call: RowIndex | undefined) => boolean;
}

export function measureStep(trace: Trace, step: GateStep, options: MeasureOptions): StepFigures {
  const one = new StepMeasure(trace, step, options);
  return {
    pageableCopies: one.pageableCopies(),
    pageableBytes: one.pageableBytes(),
    waitingCalls: one.waitingCalls(),
    exposedCopyNs: one.exposedCopies(),
    hostHeldNs: one.hostHeld(),
    idleShare: { value: one.idleShare(), shares: [] },
    stepNs: { value: step.toNs - step.fromNs, shares: [] },
  };
}

class StepMeasure {
  readonly #trace: Trace;
  readonly #step: GateStep;
  readonly #options: MeasureOptions;

  constructor(trace: Trace, step: GateStep, options: MeasureOptions) {
    this.#trace = trace;
    this.#step = step;
    this.#options = options;
  }

  pageableCopies(): StepFigure {
    return summed(this.#pageable('pageableCopies').map((row) => this.#share(row, 1)));
  }

  pageableBytes(): StepFigure {
    const { bytes } = this.#trace.columns;
    return summed(this.#pageable('pageableBytes').map((row) => this.#share(row, bytes[row] ?? 0)));
  }

  waitingCalls(): StepFigure {
    return summed(this.#waits('waitingCalls').map((row) => ({ row, call: row, amount: 1 })));
  }

  exposedCopies(): StepFigure {
    const { fromNs, toNs, device } = this.#step;
    const [copies, others] = [this.#hostCopies('exposedCopyNs'), device.filter((row) => !this.#isHostCopy(row))];
    const calls = copies.flatMap((row) => {
      const call = this.#step.hostCalls.get(row);
      return call === undefined || !this.#isPageable(row) ? [] : [call];
    });
    const spans = calls.map((call) => ({
      startNs: rowStart(this.#trace, call),
      endNs: rowEndNs(this.#trace, call),
      part: 'exposed-copy-pageable' as const,
    }));
    const parts = splitTime(this.#trace, [...others, ...copies], spans, fromNs, toNs);
    const value = parts
      .filter(({ part }) => part === 'exposed-copy-pageable' || part === 'exposed-copy-pinned')
      .reduce((sum, { ns }) => sum + ns, 0);
    const busy = this.#union(others.filter((row) => rowKind(this.#trace, row) !== 'copy'));
    const shares = copies.map((row) => this.#share(row, this.#exposed(row, busy)));
    return { value, shares: shares.filter(({ amount }) => amount > 0) };
  }

  hostHeld(): StepFigure {
    const held = this.#holdingCalls();
    let most: StepFigure = { value: 0, shares: [] };
    for (const rows of groupBy(held, ({ call }) => this.#trace.columns.lane[call] ?? -1).values()) {
      const value = length(
        this.#union(
          rows.map(({ call }) => call),
          this.#step.host,
        ),
      );
      if (value <= most.value) continue;
      const shares = rows.map(({ row, call }) => ({ row, call, amount: this.#heldNs(call) }));
      most = { value, shares: shares.filter(({ amount }) => amount > 0) };
    }
    return most;
  }

  idleShare(): number {
    const { fromNs, toNs, device } = this.#step;
    const whole = toNs - fromNs;
    if (!(whole > 0)) return 0;
    if (device.length === 0) return 1;
    const byDevice = groupBy(device, (row) => rowDevice(this.#trace, row));
    return Math.max(...[...byDevice.values()].map((rows) => 1 - length(this.#union(rows)) / whole));
  }

  #isHostCopy(row: RowIndex): boolean {
    if (rowKind(this.#trace, row) !== 'copy') return false;
    const direction = rowDirection(this.#trace, row);
    return direction === 'h2d' || direction === 'd2h';
  }

  #isPageable(row: RowIndex): boolean {
    const { srcMemory, dstMemory } = this.#trace.columns;
    return memoryKinds[srcMemory[row] ?? 0] === 'pageable' || memoryKinds[dstMemory[row] ?? 0] === 'pageable';
  }

  #hostCopies(figure: GateFigure): RowIndex[] {
    return this.#step.device.filter((row) => this.#isHostCopy(row) && !this.#isAllowed(figure, row));
  }

  #pageable(figure: GateFigure): RowIndex[] {
    const least = this.#options.ignoreCopiesBelowBytes;
    const { bytes } = this.#trace.columns;
    return this.#hostCopies(figure).filter((row) => this.#isPageable(row) && (bytes[row] ?? 0) >= least);
  }

  #isAllowed(figure: GateFigure, row: RowIndex): boolean {
    return this.#options.isAllowed(figure, row, this.#step.hostCalls.get(row));
  }

  /** Calls that wait; a row of the driver's call inside of the runtime's is the same call. */
  #waits(figure: GateFigure): RowIndex[] {
    const lastEnd = new Map<number, number>();
    return this.#step.calls.filter((row) => {
      if (!this.#isWait(row)) return false;
      const lane = this.#trace.columns.lane[row] ?? -1;
      const isInside = rowEndNs(this.#trace, row) <= (lastEnd.get(lane) ?? -1);
      if (!isInside) lastEnd.set(lane, rowEndNs(this.#trace, row));
      return !isInside && !this.#options.isAllowed(figure, row, row);
    });
  }

  #isWait(row: RowIndex): boolean {
    if (rowKind(this.#trace, row) === 'host-sync') return true;
    if (!isBlockingMemcpy(this.#trace.names[this.#trace.columns.name[row] ?? -1] ?? '')) return false;
    const copy = this.#step.hostCalls.activityOf(row);
    return copy === undefined || rowDirection(this.#trace, copy) !== 'd2d';
  }

  #holdingCalls(): { readonly row: RowIndex; readonly call: RowIndex }[] {
    const waits = this.#step.calls.filter((row) => rowKind(this.#trace, row) === 'host-sync');
    const held = this.#step.device.flatMap((row) => {
      const call = this.#step.hostCalls.get(row);
      if (call === undefined || rowKind(this.#trace, row) !== 'copy') return [];
      return isHeldBy(activity(this.#trace, row), activity(this.#trace, call)) ? [{ row, call }] : [];
    });
    return [...waits.map((row) => ({ row, call: row })), ...held].filter(
      ({ row, call }) => !this.#options.isAllowed('hostHeldNs', row, call),
    );
  }

  /** Time of a copy, and of the call that stages it, with no kernel. */
  #exposed(row: RowIndex, busy: Intervals): number {
    const call = this.#step.hostCalls.get(row);
    const own = this.#union(call === undefined || !this.#isPageable(row) ? [row] : [row, call]);
    let exposed = length(own);
    for (let at = 0; at < own.length; at += 2) exposed -= coveredLength(busy, own[at] ?? 0, own[at + 1] ?? 0);
    return exposed;
  }

  /** Within the step. */
  #union(rows: readonly RowIndex[], { fromNs, toNs }: Pick<GateStep, 'fromNs' | 'toNs'> = this.#step): Intervals {
    const whole = rowUnion({ trace: this.#trace }, rows);
    const starts = whole.filter((_, index) => index % 2 === 0).map((ns) => Math.max(fromNs, ns));
    const ends = whole.filter((_, index) => index % 2 === 1).map((ns) => Math.min(toNs, ns));
    return union(starts, ends);
  }

  #heldNs(row: RowIndex): number {
    const { fromNs, toNs } = this.#step.host;
    return Math.max(0, Math.min(toNs, rowEndNs(this.#trace, row)) - Math.max(fromNs, rowStart(this.#trace, row)));
  }

  #share(row: RowIndex, amount: number): Share {
    return { row, call: this.#step.hostCalls.get(row), amount };
  }
}

const summed = (shares: readonly Share[]): StepFigure => ({
  value: shares.reduce((sum, { amount }) => sum + amount, 0),
  shares,
});
