import type { Instruction, ProgramKernel } from './program.ts';

interface Access {
  readonly buffer: number;
  readonly writes: boolean;
}

const none: readonly Access[] = [];

const touchesMemory = (kernel: ProgramKernel): kernel is Extract<ProgramKernel, { readonly dst: number }> =>
  'dst' in kernel;

/** Returns the buffers that the instruction itself reads and writes; none for a graph's launch. */
export function accesses(instruction: Instruction): readonly Access[] {
  const [read, written] = [readBuffer(instruction), writtenBuffer(instruction)];
  if (read === null && written === null) return none;
  const isProduct = instruction.code === 'kernel' && instruction.kernel.kind === 'matmul';
  return [
    ...(read === null ? [] : [{ buffer: read, writes: false }]),
    ...(isProduct ? [{ buffer: instruction.kernel.other, writes: false }] : []),
    ...(written === null ? [] : [{ buffer: written, writes: true }]),
  ];
}

function readBuffer(instruction: Instruction): number | null {
  switch (instruction.code) {
    case 'copy':
    case 'pin':
      return instruction.src;
    case 'read':
    case 'item':
      return instruction.buffer;
    case 'kernel':
      return touchesMemory(instruction.kernel) ? instruction.kernel.src : null;
    default:
      return null;
  }
}

/** Returns the buffer that an instruction writes; null if it writes none. */
export function writtenBuffer(instruction: Instruction): number | null {
  switch (instruction.code) {
    case 'copy':
    case 'pin':
      return instruction.dst;
    case 'write':
    case 'memset':
    // The content is undefined afterwards, which counts as a change.
    case 'allocate':
    case 'free':
      return instruction.buffer;
    case 'kernel':
      return touchesMemory(instruction.kernel) ? instruction.kernel.dst : null;
    default:
      return null;
  }
}

/** Returns the buffers that at least one of the instructions writes. */
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
