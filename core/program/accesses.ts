/** Which buffers an instruction reads and writes. */
import type { Instruction } from './program.ts';

interface Access {
  readonly buffer: number;
  readonly writes: boolean;
}

const none: readonly Access[] = [];

/** Data that the instruction itself moves. What it says of a graph's launch is nothing: that runs what was captured. */
export function accesses(instruction: Instruction): readonly Access[] {
  switch (instruction.code) {
    case 'copy':
    case 'pin':
      return readThenWrite(instruction.src, instruction.dst);
    case 'read':
    case 'item':
      return [{ buffer: instruction.buffer, writes: false }];
    case 'write':
    case 'memset':
    // What a buffer holds is undefined after these, so they count as changing it.
    case 'allocate':
    case 'free':
      return [{ buffer: instruction.buffer, writes: true }];
    case 'kernel':
      return instruction.kernel.kind === 'stream'
        ? readThenWrite(instruction.kernel.src, instruction.kernel.dst)
        : none;
    default:
      return none;
  }
}

const readThenWrite = (src: number, dst: number): Access[] => [
  { buffer: src, writes: false },
  { buffer: dst, writes: true },
];

/** The buffer that an instruction writes; null where it writes none. */
export function writtenBuffer(instruction: Instruction): number | null {
  for (const { buffer, writes } of accesses(instruction)) if (writes) return buffer;
  return null;
}

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
