/** Times a payload of the engine's own making, as the benchmarks do. */
import { type CopyCounts, type NativeMeasurement, nativeCopies } from './nativeCopies.ts';
import { type CopyTuning, toNativeOptions } from './options.ts';

export const copyDirections = ['h2d', 'd2h', 'd2d', 'h2h'] as const;
export type CopyDirection = (typeof copyDirections)[number];

export interface MeasureRequest extends CopyTuning {
  /** As for startCopy: cuda:0, cpu-device:0. */
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
  /** Rest before each repetition, in milliseconds. Default: none. */
  readonly pauseMs?: number;
  /**
   * Times a plain loop of asynchronous copies and one synchronise next to each repetition, without the engine, over the
   * same memory: first one goes first, then the other.
   */
  readonly besideBare?: boolean;
}

/** Blocks until done. Every byte of the first warm-up and of a run after the last repetition is verified. */
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

/** What the engine of a device holds, and has ever allocated. */
export const copyCounts = (device: string): CopyCounts => nativeCopies().copyCounts(device);

/** Gives memory that is not in use back to the system, the staging ring included. */
export const trimCopies = (device: string): void => nativeCopies().copyTrim(device);
