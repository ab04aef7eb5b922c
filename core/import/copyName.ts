/**
 * Kineto's words for copies and memories. The name of a copy has its kind and both memories: 'Memcpy HtoD (Pageable ->
 * Device)'.
 */
import { type CopyDirection, copyDirection, type MemoryKind } from '../trace/trace.ts';

export interface CopyName {
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Null if neither the kind nor the memories show it. */
  readonly direction: CopyDirection | null;
  /** Whether it is between two devices. */
  readonly isPeer: boolean;
}

/** In the order of CUPTI's numbers. */
export const copyWords = ['', 'HtoD', 'DtoH', 'HtoA', 'AtoH', 'AtoA', 'AtoD', 'DtoA', 'DtoD', 'HtoH', 'PtoP'];
export const memoryWords = [
  ...['Unknown', 'Pageable', 'Pinned', 'Device', 'Array', 'Managed', 'Device Static', 'Managed Static'],
];

const directions: Readonly<Record<string, CopyDirection>> = {
  HtoD: 'h2d',
  HtoA: 'h2d',
  DtoH: 'd2h',
  AtoH: 'd2h',
  DtoD: 'd2d',
  DtoA: 'd2d',
  AtoD: 'd2d',
  AtoA: 'd2d',
  PtoP: 'd2d',
  HtoH: 'h2h',
};

/** CUPTI's memory kinds. Managed memory may be on either side of the link, so none of our kinds fits. */
const memories: Readonly<Record<string, MemoryKind>> = {
  Pageable: 'pageable',
  Pinned: 'pinned',
  Device: 'device',
  Array: 'device',
  'Device Static': 'device',
};

export const directionOf = (copyWord: string): CopyDirection | null => directions[copyWord] ?? null;

export const memoryOf = (memoryWord: string): MemoryKind => memories[memoryWord] ?? 'unknown';

export function readCopyName(name: string): CopyName {
  const kind = /\b([HDAP]to[HDAP])\b/.exec(name)?.[1] ?? '';
  const sides = /\(([^()]*?)\s*->\s*([^()]*?)\)/.exec(name);
  const [src, dst] = [memoryOf(sides?.[1] ?? ''), memoryOf(sides?.[2] ?? '')];
  return { src, dst, direction: directionOf(kind) ?? copyDirection(src, dst), isPeer: kind === 'PtoP' };
}
