/** Which buffers an instruction reads and writes. */
import type { Instruction } from './program.ts';

interface Access {
  readonly buffer: number;
  readonly writes: boolean;
}

const none: readonly Access[] = [];

export function accesses(instruction: Instruction): readonly Access[] {
  switch (instruction.code) {
    case 'copy':
      return readThenWrite(instruction.src, instruction.dst);
    case 'write':
    case 'read':
      return [{ buffer: instruction.buffer, writes: instruction.code === 'write' }];
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
  return accesses(instruction).find((access) => access.writes)?.buffer ?? null;
}

/** Buffers that at least one of the instructions writes. */
export function writtenBuffers(instructions: readonly Instruction[]): Set<number> {
  return new Set(instructions.map(writtenBuffer).filter((buffer) => buffer !== null));
}
