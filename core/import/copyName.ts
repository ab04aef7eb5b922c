/** Parses the name of a copy. Kineto writes its kind and both memories: 'Memcpy HtoD (Pageable -> Device)'. */
import { type CopyDirection, copyDirection, type MemoryKind } from '../trace/trace.ts';

export interface CopyName {
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Null if neither the kind nor the memories show it. */
  readonly direction: CopyDirection | null;
  /** Whether it is between two devices. */
  readonly isPeer: boolean;
}

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

export function readCopyName(name: string): CopyName {
  const kind = /\b([HDAP]to[HDAP])\b/.exec(name)?.[1] ?? '';
  const sides = /\(([^()]*?)\s*->\s*([^()]*?)\)/.exec(name);
  const src = memories[sides?.[1] ?? ''] ?? 'unknown';
  const dst = memories[sides?.[2] ?? ''] ?? 'unknown';
  return { src, dst, direction: directions[kind] ?? copyDirection(src, dst), isPeer: kind === 'PtoP' };
}
