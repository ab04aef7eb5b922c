/** What the name of a copy says: Kineto writes its kind and both memories, as 'Memcpy HtoD (Pageable -> Device)'. */
import { type CopyDirection, copyDirection, type MemoryKind } from '../trace/trace.ts';

export interface CopyName {
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Null where neither the kind nor the memories tell. */
  readonly direction: CopyDirection | null;
  /** Between two devices. */
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

/** CUPTI's memory kinds. Managed memory may be on either side of the link, so it is not one of ours. */
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
