/**
 * Meaning of kind numbers. The file's own ENUM_* tables define them, since they differ from CUPTI's (a pageable source
 * is 0 here and 1 there). For a file without them, uses the numbers that Nsight Systems documents.
 */
import type { CopyDirection, MemoryKind } from '../../trace/trace.ts';

export type EnumTable = ReadonlyMap<number, string>;

export interface CopyKind {
  /** Kineto's notation: HtoD. */
  readonly word: string;
  readonly direction: CopyDirection | null;
  readonly isPeer: boolean;
  /** Moved by the driver between host and device, like managed memory. */
  readonly isManaged: boolean;
}

const directions: Readonly<Record<string, CopyDirection>> = {
  HTOD: 'h2d',
  HTOA: 'h2d',
  DTOH: 'd2h',
  ATOH: 'd2h',
  ATOA: 'd2d',
  ATOD: 'd2d',
  DTOA: 'd2d',
  DTOD: 'd2d',
  PTOP: 'd2d',
  HTOH: 'h2h',
};

const copyWords = ['HTOD', 'DTOH', 'HTOA', 'ATOH', 'ATOA', 'ATOD', 'DTOA', 'DTOD', 'HTOH', 'PTOP'];
const managedWords = ['UVM_HTOD', 'UVM_DTOH', 'UVM_DTOD'];

/** `id` of copyKind; names in ENUM_CUDA_MEMCPY_OPER end like CUDA_MEMCPY_KIND_HTOD. */
export function copyKind(id: number, names: EnumTable | null): CopyKind {
  const name = names === null ? ([undefined, ...copyWords, ...managedWords][id] ?? '') : (names.get(id) ?? '');
  const word = /(?:^|_)([HDAP])TO([HDAP])$/.exec(name);
  if (word === null) return { word: '', direction: null, isPeer: false, isManaged: false };
  const ends = `${word[1]}TO${word[2]}`;
  return {
    word: `${word[1]}to${word[2]}`,
    direction: directions[ends] ?? null,
    isPeer: ends === 'PTOP',
    isManaged: /UVM|UNIFIED/.test(name),
  };
}

export interface MemoryWord {
  /** Kineto's notation: Pageable. */
  readonly word: string;
  readonly memory: MemoryKind;
}

const memoryNames = ['PAGEABLE', 'PINNED', 'DEVICE', 'ARRAY', 'MANAGED', 'DEVICE_STATIC', 'MANAGED_STATIC'];
const memories: Readonly<Record<string, MemoryWord>> = {
  PAGEABLE: { word: 'Pageable', memory: 'pageable' },
  PINNED: { word: 'Pinned', memory: 'pinned' },
  DEVICE: { word: 'Device', memory: 'device' },
  ARRAY: { word: 'Array', memory: 'device' },
  DEVICE_STATIC: { word: 'Device Static', memory: 'device' },
  // Managed memory may be on either side of the link, so none of our kinds fits.
  MANAGED: { word: 'Managed', memory: 'unknown' },
  MANAGED_STATIC: { word: 'Managed Static', memory: 'unknown' },
};
const unknownMemory: MemoryWord = { word: 'Unknown', memory: 'unknown' };

/** `id` of srcKind, dstKind or memKind; names in ENUM_CUDA_MEM_KIND end like ..._MEMORY_KIND_PAGEABLE. */
export function memoryKind(id: number, names: EnumTable | null): MemoryWord {
  const name = names === null ? (memoryNames[id] ?? '') : (names.get(id) ?? '').replace(/^.*MEMORY_KIND_/, '');
  return memories[name] ?? unknownMemory;
}

export type SyncKind = 'stream-wait' | 'other';
const streamWaitId = 2;

/** `id` of syncType; names in ENUM_CUPTI_SYNC_TYPE end like ..._TYPE_STREAM_WAIT_EVENT. */
export function syncKind(id: number, names: EnumTable | null): SyncKind {
  const isWait = names === null ? id === streamWaitId : /STREAM_WAIT_EVENT$/.test(names.get(id) ?? '');
  return isWait ? 'stream-wait' : 'other';
}

export type NvtxKind = 'range' | 'mark' | 'other';
const nvtxIds: Readonly<Record<number, NvtxKind>> = { 34: 'mark', 59: 'range', 60: 'range' };

/** `id` of eventType; ENUM_NSYS_EVENT_TYPE has NvtxPushPopRange, NvtxStartEndRange and NvtxMark. */
export function nvtxKind(id: number, names: EnumTable | null): NvtxKind {
  if (names === null) return nvtxIds[id] ?? 'other';
  const name = names.get(id) ?? '';
  if (/^Nvtxt?(PushPop|StartEnd)Range$/.test(name)) return 'range';
  return /^Nvtxt?Mark$/.test(name) ? 'mark' : 'other';
}

export type StreamFlag = 'default stream' | 'blocking' | 'non-blocking' | '';
const streamFlags: readonly StreamFlag[] = ['', 'blocking', 'non-blocking', 'default stream'];

/** `id` of flag; names in ENUM_CUPTI_STREAM_TYPE end like ..._CREATE_FLAG_NON_BLOCKING. */
export function streamFlag(id: number, names: EnumTable | null): StreamFlag {
  if (names === null) return streamFlags[id] ?? '';
  const name = names.get(id) ?? '';
  if (/NON_BLOCKING$/.test(name)) return 'non-blocking';
  if (/FLAG_NULL$/.test(name)) return 'default stream';
  return /FLAG_DEFAULT$/.test(name) ? 'blocking' : '';
}
