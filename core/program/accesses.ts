/** Regions of buffers that an instruction reads and writes. */

import { type LibraryShape, operandsOf } from '../experiment/libraryKernels.ts';
import type { Blocks, Instruction, LibraryKernel } from './program.ts';

export interface Access {
  readonly buffer: number;
  readonly writes: boolean;
  readonly offset: number;
  /** Null for the whole buffer. An item reads at most these. */
  readonly bytes: number | null;
}

const none: readonly Access[] = [];
const reads = (buffer: number, offset: number, bytes: number): Access => ({ buffer, writes: false, offset, bytes });
const writes = (buffer: number, offset: number, bytes: number | null): Access => ({
  buffer,
  writes: true,
  offset,
  bytes,
});

/** Returns the data that the instruction itself moves; none for the launch of a graph, which runs what was captured. */
export function accesses(instruction: Instruction): readonly Access[] {
  switch (instruction.code) {
    case 'copy': {
      const { src, srcOffset, dst, dstOffset, bytes } = instruction;
      return [reads(src, srcOffset, bytes), writes(dst, dstOffset, bytes)];
    }
    case 'blockCopy':
    case 'packBlocks': {
      const { src, dst, blocks } = instruction;
      return [...regions(src, false, blocks), ...regions(dst, true, blocks)];
    }
    case 'pin':
      return [reads(instruction.src, 0, instruction.bytes), writes(instruction.dst, 0, instruction.bytes)];
    case 'read':
      return [reads(instruction.buffer, instruction.offset, instruction.bytes)];
    case 'item':
      return [reads(instruction.buffer, 0, 4)];
    case 'write':
    case 'memset':
      return [writes(instruction.buffer, instruction.offset, instruction.bytes)];
    // The content of a buffer is undefined after these, so they count as changing it.
    case 'allocate':
    case 'free':
      return [writes(instruction.buffer, 0, null)];
    case 'kernel': {
      const { kernel } = instruction;
      if (kernel.kind === 'stream') return [reads(kernel.src, 0, kernel.bytes), writes(kernel.dst, 0, kernel.bytes)];
      if (!('dst' in kernel)) return none;
      const operands = operandsOfKernel(kernel).map(({ buffer, bytes }) => reads(buffer, 0, bytes));
      return [...operands, writes(kernel.dst, 0, resultBytes(kernel))];
    }
    default:
      return none;
  }
}

/** Returns the regions of all blocks in one buffer, in order of address; adjacent ones are one. */
function regions(buffer: number, isWritten: boolean, { sizes, srcOffsets, dstOffsets }: Blocks): Access[] {
  const offsets = isWritten ? dstOffsets : srcOffsets;
  const order = [...offsets.keys()].sort((a, b) => (offsets[a] ?? 0) - (offsets[b] ?? 0));
  const found: { buffer: number; writes: boolean; offset: number; bytes: number }[] = [];
  for (const block of order) {
    const [offset, bytes] = [offsets[block] ?? 0, sizes[block] ?? 0];
    const last = found.at(-1);
    const isNext = last !== undefined && offset <= last.offset + last.bytes;
    if (isNext) last.bytes = Math.max(last.bytes, offset + bytes - last.offset);
    else found.push({ buffer, writes: isWritten, offset, bytes });
  }
  return found;
}

/** Returns the buffer that an instruction writes; null if it writes none. */
export const writtenBuffer = (instruction: Instruction): number | null =>
  accesses(instruction).find((access) => access.writes)?.buffer ?? null;

/** Buffers that at least one of the instructions writes. */
export function writtenBuffers(...lists: readonly (readonly Instruction[])[]): Set<number> {
  const written = new Set<number>();
  for (const instructions of lists) {
    for (const instruction of instructions) {
      const buffer = writtenBuffer(instruction);
      if (buffer !== null) written.add(buffer);
    }
  }
  return written;
}

interface Touched {
  readonly buffer: number;
  readonly bytes: number;
}

const shapeOf = (kernel: LibraryKernel): LibraryShape =>
  kernel.kind === 'fft'
    ? { kind: 'fft', size: kernel.size, batch: kernel.batch, plan: 'before-run' }
    : { ...kernel, workspace: 'before-run' };

function touched(kernel: LibraryKernel, field: 'reads' | 'writes'): Touched[] {
  const buffers = field === 'writes' ? [kernel.dst] : kernel.kind === 'fft' ? [kernel.src] : [kernel.src, kernel.other];
  return operandsOf(shapeOf(kernel))
    .filter((operand) => operand.field === field)
    .map(({ bytes }, index) => ({ buffer: buffers[index] ?? -1, bytes }));
}

/** In the order in which the kernel names them. */
export const operandsOfKernel = (kernel: LibraryKernel): readonly Touched[] => touched(kernel, 'reads');

const resultBytes = (kernel: LibraryKernel): number => touched(kernel, 'writes')[0]?.bytes ?? 0;
