/** Devices whose stream-ordered pools a program allocates from. */
import type { Program } from './program.ts';

/** Returns the numbers of the devices, each once. `allocators`: whose allocations count. */
export function pooledDevices({ threads, buffers }: Program, ...allocators: readonly string[]): number[] {
  const devices = threads
    .flatMap(({ instructions }) => instructions)
    .flatMap((one) => (one.code === 'allocate' && allocators.includes(one.allocator) ? [buffers[one.buffer]] : []))
    .flatMap((buffer) => (buffer?.memory === 'device' ? [buffer.device] : []));
  return [...new Set(devices)];
}

/** Returns a note on the release threshold, which every engine raises; empty if the program uses no pool. */
export const poolNotes = (program: Program): string[] =>
  pooledDevices(program, 'pool').length === 0
    ? []
    : [
        'Pools keep freed memory: their release threshold (cudaMemPoolAttrReleaseThreshold) is raised to its maximum. With CUDA’s default of 0, each synchronise gives freed memory back, and the next allocation maps it anew.',
      ];
