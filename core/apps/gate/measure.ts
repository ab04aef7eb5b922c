/**
 * Measures the figures of one step and the rows that add to them. U(x) is the union of the intervals of x within the step,
 * |U| its length:
 *
 *   pageableCopies   number of copies between host and device with pageable host memory
 *   pageableBytes    bytes of these copies
 *   waitingCalls     number of cudaStreamSynchronize, cudaEventSynchronize, cudaDeviceSynchronize, and of cudaMemcpy unless
 *                    it copies within the device
 *   exposedCopyNs    |U(copies between host and device, and calls of pageable ones) \ U(kernels and memsets)|: the two parts
 *                    of that name in core/lift/parts.ts
 *   hostHeldNs       |U(waiting calls, and calls of copies that block the host)| (core/explain/figures/hostTime.ts), within the host's
 *                    time of the step, which can differ from the device's; of the thread with the largest value
 *   idleShare        1 - |U(kernels, copies and memsets)| / step, of the device with the largest value
 *   stepNs           duration of the step
 */
import { isBlockingMemcpy, isHeldBy } from '../../explain/figures/hostTime.ts';
import { groupBy } from '../../groupBy.ts';
import { splitTime } from '../../lift/parts.ts';
import { coveredLength, type Intervals, length, unionOf } from '../../trace/intervals.ts';
import { activity, rowDevice, rowDirection, rowKind, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { memoryKinds, type RowIndex, type Trace } from '../../trace/trace.ts';
import type { GateFigure } from './figures.ts';
import type { GateStep } from './steps.ts';

/** A row that adds to a figure. */
export interface Share {
  readonly row: RowIndex;
  /** Call of a device row; undefined if the trace lacks it. */
  readonly call: RowIndex | undefined;
  readonly amount: number;
}

export interface StepFigure {
  readonly value: number;
  /** Rows that add to the figure, if it has any. Rows that overlap in time may add up to more than the value. */
  readonly shares: readonly Share[];
}

export type StepFigures = Readonly<Record<Exclude<GateFigure, 'hazards'>, StepFigure>>;

export interface MeasureOptions {
  readonly ignoreCopiesBelowBytes: number;
  /** Whether the rules exclude a row from a figure. */
  readonly isAllowed: (figure: GateFigure, row: RowIndex, call: RowIndex | undefined) => boolean;
}

export function measureStep(
  trace: Trace,
  step: GateStep,
  { ignoreCopiesBelowBytes, isAllowed }: MeasureOptions,
): StepFigures {
  const { fromNs, toNs, device, hostCalls } = step;
  const { bytes, lane, srcMemory, dstMemory } = trace.columns;
  const isHostCopy = (row: RowIndex): boolean => {
    const direction = rowKind(trace, row) === 'copy' ? rowDirection(trace, row) : null;
    return direction === 'h2d' || direction === 'd2h';
  };
  const isPageable = (row: RowIndex): boolean =>
    [srcMemory, dstMemory].some((memory) => memoryKinds[memory[row] ?? 0] === 'pageable');
  const shareOf = (row: RowIndex, amount: number): Share => ({ row, call: hostCalls.get(row), amount });
  const hostCopies = (figure: GateFigure): RowIndex[] =>
    device.filter((row) => isHostCopy(row) && !isAllowed(figure, row, hostCalls.get(row)));
  const pageable = (figure: GateFigure, amountOf: (row: RowIndex) => number): StepFigure =>
    summed(
      hostCopies(figure)
        .filter((row) => isPageable(row) && (bytes[row] ?? 0) >= ignoreCopiesBelowBytes)
        .map((row) => shareOf(row, amountOf(row))),
    );

  const exposedCopies = (): StepFigure => {
    const [copies, others] = [hostCopies('exposedCopyNs'), device.filter((row) => !isHostCopy(row))];
    const staged = copies.map((row) => ({ row, call: isPageable(row) ? hostCalls.get(row) : undefined }));
    const spans = staged.flatMap(({ call }) =>
      call === undefined
        ? []
        : { startNs: rowStart(trace, call), endNs: rowEndNs(trace, call), part: 'exposed-copy-pageable' as const },
    );
    const value = splitTime(trace, [...others, ...copies], spans, fromNs, toNs)
      .filter(({ part }) => part === 'exposed-copy-pageable' || part === 'exposed-copy-pinned')
      .reduce((sum, { ns }) => sum + ns, 0);
    const busy = unionIn(
      trace,
      step,
      others.filter((row) => rowKind(trace, row) !== 'copy'),
    );
    const shares = staged.map(({ row, call }) => {
      const own = unionIn(trace, step, call === undefined ? [row] : [row, call]);
      let exposed = length(own);
      for (let at = 0; at < own.length; at += 2) exposed -= coveredLength(busy, own[at] ?? 0, own[at + 1] ?? 0);
      return shareOf(row, exposed);
    });
    return { value, shares: shares.filter(({ amount }) => amount > 0) };
  };

  const isWait = (row: RowIndex): boolean => {
    if (rowKind(trace, row) === 'host-sync') return true;
    if (!isBlockingMemcpy(trace.names[trace.columns.name[row] ?? -1] ?? '')) return false;
    const copy = hostCalls.activityOf(row);
    return copy === undefined || rowDirection(trace, copy) !== 'd2d';
  };
  /** Counts waiting calls. A driver call inside a runtime call is the same call. */
  const waits = (): StepFigure => {
    const lastEnd = new Map<number, number>();
    const rows = step.calls.filter((row) => {
      if (!isWait(row)) return false;
      const isInside = rowEndNs(trace, row) <= (lastEnd.get(lane[row] ?? -1) ?? -1);
      if (!isInside) lastEnd.set(lane[row] ?? -1, rowEndNs(trace, row));
      return !isInside && !isAllowed('waitingCalls', row, row);
    });
    return summed(rows.map((row) => ({ row, call: row, amount: 1 })));
  };

  const hostHeld = (): StepFigure => {
    const waiting = step.calls.filter((row) => rowKind(trace, row) === 'host-sync').map((row) => ({ row, call: row }));
    const held = device.flatMap((row) => {
      const call = hostCalls.get(row);
      if (call === undefined || rowKind(trace, row) !== 'copy') return [];
      return isHeldBy(activity(trace, row), activity(trace, call)) ? [{ row, call }] : [];
    });
    const holding = [...waiting, ...held].filter(({ row, call }) => !isAllowed('hostHeldNs', row, call));
    const figures = [...groupBy(holding, ({ call }) => lane[call] ?? -1).values()].map((rows): StepFigure => {
      const shares = rows.map(({ row, call }) => {
        const amount = length(unionIn(trace, step.host, [call]));
        return { row, call, amount };
      });
      const calls = rows.map(({ call }) => call);
      return { value: length(unionIn(trace, step.host, calls)), shares: shares.filter(({ amount }) => amount > 0) };
    });
    return figures.reduce((most, one) => (one.value > most.value ? one : most), { value: 0, shares: [] });
  };

  const idleShare = (): number => {
    if (!(toNs > fromNs)) return 0;
    if (device.length === 0) return 1;
    const byDevice = [...groupBy(device, (row) => rowDevice(trace, row)).values()];
    return Math.max(...byDevice.map((rows) => 1 - length(unionIn(trace, step, rows)) / (toNs - fromNs)));
  };

  return {
    pageableCopies: pageable('pageableCopies', () => 1),
    pageableBytes: pageable('pageableBytes', (row) => bytes[row] ?? 0),
    waitingCalls: waits(),
    exposedCopyNs: exposedCopies(),
    hostHeldNs: hostHeld(),
    idleShare: { value: idleShare(), shares: [] },
    stepNs: { value: toNs - fromNs, shares: [] },
  };
}

/** Returns the time of the rows within a stretch. */
const unionIn = (trace: Trace, { fromNs, toNs }: Stretch, rows: readonly RowIndex[]): Intervals =>
  unionOf(
    rows.length,
    (index) => Math.max(fromNs, rowStart(trace, rows[index] ?? 0)),
    (index) => Math.min(toNs, rowEndNs(trace, rows[index] ?? 0)),
  );

type Stretch = Pick<GateStep, 'fromNs' | 'toNs'>;

const summed = (shares: readonly Share[]): StepFigure => ({
  value: shares.reduce((sum, { amount }) => sum + amount, 0),
  shares,
});
