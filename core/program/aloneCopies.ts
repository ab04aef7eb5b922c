import type { Instruction, Program } from './program.ts';

/**
 * Returns the devices on which nothing runs next to the copy: both devices of a cudaMemcpy between two devices in the
 * legacy default stream. It comes after all earlier work of both and before all later work (CUDA C++ Programming Guide,
 * peer-to-peer memory copy).
 */
export function aloneOn(instruction: Instruction, { buffers, streams }: Program): readonly number[] {
  if (instruction.code !== 'copy' || !instruction.blocking) return nowhere;
  const [from, to] = [buffers[instruction.src]?.device ?? -1, buffers[instruction.dst]?.device ?? -1];
  const isBetween = from >= 0 && to >= 0 && from !== to;
  return isBetween && streams[instruction.stream]?.kind === 'legacy-default' ? [from, to] : nowhere;
}

const nowhere: readonly number[] = [];
