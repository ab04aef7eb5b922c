/** The addon's interface to the copy engine. */
import { type Addon, loadAddon } from '../addon.ts';
import type { NativeOptions } from './options.ts';

export interface NativeMeasureRequest {
  readonly device: string;
  /** Index into copyDirections. */
  readonly direction: number;
  /** Index into copyStrategies. */
  readonly strategy: number;
  /** Bytes of each tensor. */
  readonly sizes: Float64Array;
  /** 1 if the host side is page-locked. */
  readonly pinned: number;
  readonly repetitions: number;
  readonly warmups: number;
  /** Sleep before each repetition. */
  readonly pauseNs: number;
  /** 1: next to each repetition, a plain loop of asynchronous copies and one synchronise, without the engine. */
  readonly beside: number;
}

export interface NativeMeasurement {
  readonly ns: Float64Array;
  /** Times of the plain loop next to each repetition; empty if it was not requested. */
  readonly bareNs: Float64Array;
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

/** Opaque objects of the addon. */
declare const opaque: unique symbol;
export type NativeCopy = { readonly [opaque]: 'copy' };
export type NativeStorage = { readonly [opaque]: 'storage' };
export type NativeStream = { readonly [opaque]: 'stream' };

/** A host tensor that isn't contiguous; numbers in elements. */
export interface StridedLeaf {
  readonly index: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

interface HostLeaves {
  /** All leaves; the first ones are arguments of the call too. */
  readonly leaves: readonly ArrayBufferView[];
  /** Bytes of each leaf, and of all. With them a small upload starts before all leaves have been read. */
  readonly sizes?: Float64Array;
  readonly total?: number;
  /** Element size of each leaf, or of all. Default: those of the typed arrays. */
  readonly elementSizes: Uint8Array | number | undefined;
  readonly strided: readonly StridedLeaf[];
  readonly options: NativeOptions | undefined;
}

export interface DeviceLeaves {
  readonly storages: readonly NativeStorage[];
  readonly storageOf: Int32Array;
  readonly offsets: Float64Array;
  readonly bytes: Float64Array;
  readonly elementSizes: Uint8Array;
}

/** Place of each result: its storage's number, or -1 if it is empty, its offset in bytes, and its bytes. */
export interface StartedCopy {
  readonly copy: NativeCopy;
  /** True if all of it is in its stream, and will be on the wire in a moment. */
  readonly submitted: boolean;
  readonly storages: readonly NativeStorage[];
  readonly storageOf: Int32Array;
  readonly offsets: Float64Array;
  readonly bytes: Float64Array;
}
export type StartedHostCopy = StartedCopy & { readonly pinned: boolean };

export const copyStates = ['pending', 'done', 'failed', 'cancelled'] as const;

export interface NativeCopies {
  copyUpload(
    request: HostLeaves & { device: string; stream: NativeStream | undefined },
    ...first: readonly ArrayBufferView[]
  ): StartedCopy;
  copyDownload(
    request: DeviceLeaves & { device: string; options: NativeOptions | undefined; stream: NativeStream | undefined },
  ): StartedHostCopy;
  copyAcross(
    request: DeviceLeaves & {
      device: string;
      source: string;
      options: NativeOptions | undefined;
      stream: NativeStream | undefined;
      sourceStream: NativeStream | undefined;
    },
  ): StartedCopy;
  copyHost(request: HostLeaves, ...first: readonly ArrayBufferView[]): StartedHostCopy;
  /**
   * Within a device, the first of its tensors is the source. `pairs`: row of the source and row of the target, of each
   * block. `table`: direction, bytes, number of blocks and fastest strategy, of each measured point.
   */
  copyBlocks(
    request: DeviceLeaves &
      Record<'direction' | 'rowBytes' | 'strategy' | 'pinned', number> &
      Record<'pairs' | 'table', Float64Array> & {
        device: string;
        leaves: readonly ArrayBufferView[];
        stream: NativeStream | undefined;
      },
  ): StartedCopy;
  /** Returns an index into copyStates. */
  copyState(copy: NativeCopy): number;
  /** Returns at once, and calls the listener from the event loop when the copy has ended. */
  copyNotify(copy: NativeCopy, listener: () => void): void;
  copyError(copy: NativeCopy): Error | undefined;
  copyCancel(copy: NativeCopy): void;
  /** Returns ArrayBuffers of results on the host, once; copies if the runtime allows no external ones. */
  copyBuffers(copy: NativeCopy): { readonly buffers: readonly ArrayBuffer[]; readonly external: boolean };
  copyRelease(storage: NativeStorage): void;
  /** Detaches an ArrayBuffer of results; its memory is freed within a turn of the event loop. */
  copyDetach(buffer: ArrayBuffer): void;
  copyPinned(device: string, bytes: number): ArrayBuffer;
  copyStream(device: string): NativeStream;
  copySynchronize(stream: NativeStream): void;
  copySimulate(request: {
    device: string;
    failAfter?: number;
    failHandleAfter?: number;
    delayNs?: number;
    holdNext?: number;
    memoryBytes?: number;
  }): void;
  copyMeasure(request: NativeMeasureRequest): NativeMeasurement;
  copyCounts(device: string): CopyCounts;
  copyTrim(device: string): void;
}

let loaded: (Addon & NativeCopies) | undefined;

/** Throws a CopyscopeError `native.…` if there is no addon. */
export function nativeCopies(): NativeCopies {
  loaded ??= loadAddon() as Addon & NativeCopies;
  return loaded;
}
