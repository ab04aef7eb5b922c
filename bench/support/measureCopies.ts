/** Measures copies of a payload that the engine itself makes, as the benchmarks do. */
import { type CopyCounts, type NativeMeasurement, nativeCopies } from '../../native/copy/nativeCopies.ts';
import { type CopyTuning, toNativeOptions } from '../../native/copy/options.ts';

export const copyDirections = ['h2d', 'd2h', 'd2d', 'h2h'] as const;
export type CopyDirection = (typeof copyDirections)[number];

export interface MeasureRequest extends CopyTuning {
  /** Device as in startCopy: cuda:0, cpu-device:0. */
  readonly device: string;
  readonly direction: CopyDirection;
  /** Bytes of each tensor. */
  readonly sizes: ArrayLike<number>;
  /** Kind of the host memory. Default: pageable. */
  readonly memory?: 'pageable' | 'pinned';
  /** Default: 7. */
  readonly repetitions?: number;
  /** Default: 2. */
  readonly warmups?: number;
  /** Pause before each repetition in milliseconds. Default: none. */
  readonly pauseMs?: number;
  /**
   * Also measures a plain loop of asynchronous copies and one synchronise next to each repetition, without the engine,
   * over the same memory, in alternating order.
   */
  readonly besideBare?: boolean;
}

/** Blocks until done. Verifies every byte of the first warm-up and of a run after the last repetition. */
export function measureCopies(request: MeasureRequest): NativeMeasurement {
  return nativeCopies().copyMeasure({
    strategy: 6,
    ...toNativeOptions(request),
    device: request.device,
    direction: copyDirections.indexOf(request.direction),
    sizes: Float64Array.from(request.sizes),
    pinned: request.memory === 'pinned' ? 1 : 0,
    repetitions: request.repetitions ?? 7,
    warmups: request.warmups ?? 2,
    pauseNs: (request.pauseMs ?? 0) * 1e6,
    beside: request.besideBare === true ? 1 : 0,
  });
}

/** Returns the memory that a device's engine holds, and the allocations it has ever made. */
export const copyCounts = (device: string): CopyCounts => nativeCopies().copyCounts(device);

/** Returns unused memory to the system, including the staging ring. */
export const trimCopies = (device: string): void => nativeCopies().copyTrim(device);
