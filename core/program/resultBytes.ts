/** Bytes that a library kernel reads and writes. */
import { type LibraryShape, operandsOf } from '../experiment/libraryKernels.ts';
import type { LibraryKernel } from './program.ts';

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

export const resultBytes = (kernel: LibraryKernel): number => touched(kernel, 'writes')[0]?.bytes ?? 0;
