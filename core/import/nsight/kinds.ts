/**
 * Meaning of kind numbers. The file's own ENUM_* tables define them, since they differ from CUPTI's (a pageable source
 * is 0 here and 1 there). For a file without them, uses the numbers that Nsight Systems documents.
 */
import { copyWords, memoryWords } from '../copyName.ts';

export type EnumTable = ReadonlyMap<number, string>;

/** CUPTI's kinds, and then copies of managed memory, which the driver moves. */
const copyKinds = [...copyWords, 'UVM_HtoD', 'UVM_DtoH', 'UVM_DtoD'];

/** By the end of their names in ENUM_CUDA_MEM_KIND. */
const memoriesByName = new Map(memoryWords.map((word) => [word.toUpperCase().replace(' ', '_'), word]));

interface CopyKind {
  /** Kineto's notation, HtoD; empty if unknown. */
  readonly word: string;
  readonly isManaged: boolean;
}

/** `id` of copyKind; names in ENUM_CUDA_MEMCPY_OPER end like CUDA_MEMCPY_KIND_HTOD. */
export function copyKind(id: number, names: EnumTable | null): CopyKind {
  const name = names === null ? (copyKinds[id] ?? '') : (names.get(id) ?? '');
  const word = /(?:^|_)([HDAP])(?:TO|to)([HDAP])$/.exec(name);
  if (word === null) return { word: '', isManaged: false };
  return { word: `${word[1]}to${word[2]}`, isManaged: /UVM|UNIFIED/.test(name) };
}

/**
 * Returns Kineto's word for `id` of srcKind, dstKind or memKind. Names in ENUM_CUDA_MEM_KIND end like
 * ..._MEMORY_KIND_PAGEABLE; without them the numbers are CUPTI's minus 1.
 */
export function memoryWord(id: number, names: EnumTable | null): string {
  if (names === null) return memoryWords[id + 1] ?? 'Unknown';
  return memoriesByName.get((names.get(id) ?? '').replace(/^.*MEMORY_KIND_/, '')) ?? 'Unknown';
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
