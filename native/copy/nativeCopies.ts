/** The addon's own interface to the copy engine. */
import { type Addon, loadAddon } from '../addon.ts';

export interface NativeMeasureRequest {
  readonly device: string;
  /** Index into copyDirections. */
  readonly direction: number;
  /** Index into copyStrategies. */
  readonly strategy: number;
  /** Bytes of each tensor. */
  readonly sizes: Float64Array;
  /** 1 where the host side is page-locked. */
  readonly pinned: number;
  readonly repetitions: number;
  readonly warmups: number;
  /** Sleep before each repetition. */
  readonly pauseNs: number;
  /** 1: a plain loop of asynchronous copies and one synchronise, without the engine. */
  readonly bare: number;
}

export interface NativeMeasurement {
  readonly ns: Float64Array;
  readonly bytes: number;
  readonly checked: number;
  readonly wrong: number;
  /** Pinned and device allocations, events and threads made during the repetitions. */
  readonly allocations: number;
}

export interface PoolCounts {
  /** Allocations ever made, and their bytes. */
  readonly allocations: number;
  readonly allocatedBytes: number;
  /** Bytes held from the system now, and those of them in use. */
  readonly reservedBytes: number;
  readonly usedBytes: number;
}

export interface CopyCounts {
  readonly pinned: PoolCounts;
  readonly device: PoolCounts;
  readonly eventsMade: number;
  readonly threadsStarted: number;
  readonly ringBytes: number;
}

export interface NativeCopies {
  copyMeasure(request: NativeMeasureRequest): NativeMeasurement;
  copyCounts(device: string): CopyCounts;
  copyTrim(device: string): void;
}

let loaded: (Addon & NativeCopies) | undefined;

/** Throws a CopyscopeError `native.…` where there is no addon. */
export function nativeCopies(): NativeCopies {
  loaded ??= loadAddon() as Addon & NativeCopies;
  return loaded;
}
