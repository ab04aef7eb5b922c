/** Kineto's names, by which its readers distinguish events. */
import { readCopyName } from '../../import/copyName.ts';
import {
  type CopyDirection,
  isHostMemory,
  type MemoryKind,
  memoryKinds,
  type RowIndex,
  type Trace,
} from '../../trace/trace.ts';

/** Returns a range's category by its name in PyTorch: operators, Python functions and modules, annotations. */
export function rangeCategory(name: string): string {
  if (/^(nn\.Module: |<built-in )|\.py\(\d+\): /.test(name)) return 'python_function';
  return /^\w+::/.test(name) ? 'cpu_op' : 'user_annotation';
}

/** Names of driver calls begin with cu and a capital letter. */
export const callCategory = (name: string): string => (/^cu[A-Z]/.test(name) ? 'cuda_driver' : 'cuda_runtime');

const directions: Readonly<Record<CopyDirection, string>> = { h2d: 'HtoD', d2h: 'DtoH', d2d: 'DtoD', h2h: 'HtoH' };

/** CUPTI distinguishes only page-locked memory from other host memory. */
function kinetoMemory(memory: MemoryKind): string {
  if (memory === 'device') return 'Device';
  if (memory === 'pageable') return 'Pageable';
  return isHostMemory(memory) ? 'Pinned' : 'Unknown';
}

/** Returns the copy's own name if Kineto's notation has the same meaning, or else such a name. */
export function kinetoCopyName(trace: Trace, row: RowIndex, name: string, direction: CopyDirection | null): string {
  const { srcMemory, dstMemory, engine } = trace.columns;
  const [src, dst] = [srcMemory, dstMemory].map((column) => memoryKinds[column[row] as number] ?? 'none') as [
    MemoryKind,
    MemoryKind,
  ];
  const told = readCopyName(name);
  if (told.src === src && told.dst === dst && told.direction === direction) return name;
  const isPeer = /:peer\b|:p2p\b/.test(trace.lanes[engine[row] as number]?.id ?? '');
  const kind = isPeer ? 'PtoP' : direction === null ? 'Unknown' : directions[direction];
  return `Memcpy ${kind} (${kinetoMemory(src)} -> ${kinetoMemory(dst)})`;
}

/** Kineto's readers recognise a memset by how its name begins. */
export const kinetoMemsetName = (name: string): string => (name.startsWith('Memset') ? name : 'Memset (Device)');
