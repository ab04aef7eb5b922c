/** Options of a copy, with the strategies' documented names, and their numbers for the addon. */
import { CopyscopeError } from '../../core/errors.ts';
import { copyStrategies } from '../../core/experiment/operations.ts';

export type CopyStrategy = (typeof copyStrategies)[number];

/** Names and defaults of the first five are those of ACCV-Lab's multi-tensor copier. */
export interface CopyTuning {
  /** Default: pipelined. */
  readonly strategy?: CopyStrategy;
  /** Stages host memory through page-locked buffers, and allocates results on the host page-locked. Default: true. */
  readonly use_pinned_staging?: boolean;
  /** Packs contiguous host tensors of at most 256 KiB into shared allocations on the device. Default: true. */
  readonly pack_cpu_tensors?: boolean;
  /** Alignment of each packed tensor, besides that of its element's size. Default: 16. */
  readonly min_packed_alignment_bytes?: number;
  /** Bytes of a shared allocation, unless one tensor alone is larger. Default: 32 MiB. */
  readonly max_packed_chunk_bytes?: number;
  /** Schedules in a separate thread; otherwise startCopy returns when all copies are done. Default: true. */
  readonly use_background_thread?: boolean;
  /** Number of host threads that copy, including the scheduling one. Default: chosen from payload and cores. */
  readonly threads?: number;
  /** Page-locked slots of each thread. Default: as many as fit into 64 MiB in all. */
  readonly slotsPerThread?: number;
  /** Bytes of a slot. Default: 4 MiB. */
  readonly slotBytes?: number;
  /** Bytes of one transfer over the link, at most a slot's. Default: chosen from the payload. */
  readonly chunkBytes?: number;
  /** Bypasses the processor's caches when filling slots, or D2H results. Default: chosen from payload and threads. */
  readonly streamingStores?: boolean;
}

/** Options as the addon reads them; missing ones have the addon's defaults. */
export type NativeOptions = Record<string, number>;

const switches = {
  use_pinned_staging: 'usePinnedStaging',
  pack_cpu_tensors: 'packCpuTensors',
  use_background_thread: 'useBackgroundThread',
  streamingStores: 'streamingStores',
} as const;

const numbers = {
  min_packed_alignment_bytes: { to: 'minPackedAlignmentBytes', least: 1, most: 2 ** 30 },
  max_packed_chunk_bytes: { to: 'maxPackedChunkBytes', least: 0, most: 2 ** 40 },
  threads: { to: 'threads', least: 1, most: 256 },
  slotsPerThread: { to: 'slotsPerThread', least: 1, most: 64 },
  slotBytes: { to: 'slotBytes', least: 4096, most: 2 ** 30 },
  chunkBytes: { to: 'chunkBytes', least: 4096, most: 2 ** 30 },
} as const;

const keysOf = <T extends object>(object: T): (keyof T)[] => Object.keys(object) as (keyof T)[];

/** Returns undefined if no option is set. Throws a CopyscopeError `copy.bad-option` that names the option. */
export function toNativeOptions(tuning: CopyTuning): NativeOptions | undefined {
  const native: NativeOptions = {};
  if (tuning.strategy !== undefined) native['strategy'] = strategyNumber(tuning.strategy);
  for (const name of keysOf(switches)) {
    const value = tuning[name];
    if (value === undefined) continue;
    if (typeof value !== 'boolean') throw badOption(name, value, 'true or false');
    native[switches[name]] = value ? 1 : 0;
  }
  for (const name of keysOf(numbers)) {
    const value = tuning[name];
    if (value === undefined) continue;
    const { to, least, most } = numbers[name];
    const valid = Number.isInteger(value) && value >= least && value <= most;
    if (!valid) throw badOption(name, value, `a whole number from ${least} to ${most}`);
    native[to] = value;
  }
  return Object.keys(native).length > 0 ? native : undefined;
}

export function strategyNumber(strategy: CopyStrategy): number {
  const index = copyStrategies.indexOf(strategy);
  if (index < 0) throw badOption('strategy', strategy, `one of ${copyStrategies.join(', ')}`);
  return index;
}

/** Returns an error `copy.bad-option`. */
export function badOption(field: string, value: unknown, expected: string): CopyscopeError {
  return new CopyscopeError({
    code: 'copy.bad-option',
    field,
    message: `${JSON.stringify(value) ?? String(value)} is not ${expected}.`,
    remedy: `Give ${expected}.`,
  });
}
