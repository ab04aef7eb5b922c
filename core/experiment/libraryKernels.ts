/** Kernels of cuBLAS and cuFFT: their operands, the operands' bytes, and a check of their buffers. */
import type { OperationOf } from './operations.ts';
import { dtypeBytes } from './resources.ts';

type Shape = OperationOf<'kernel'>['kernel'];
export type LibraryShape = Extract<Shape, { kind: 'matmul' | 'fft' }>;

export interface Operand {
  readonly field: 'reads' | 'writes';
  readonly index: number;
  /** For example 'the first factor, 64 by 32 numbers of float32,'. */
  readonly what: string;
  readonly bytes: number;
}

export const isLibraryShape = (kernel: Shape): kernel is LibraryShape =>
  kernel.kind === 'matmul' || kernel.kind === 'fft';

/** Returns the operands in the order of `reads`, then of `writes`. */
export function operandsOf(kernel: LibraryShape): readonly Operand[] {
  if (kernel.kind === 'fft') {
    const { size, batch } = kernel;
    const bytes = size * batch * dtypeBytes.complex64;
    const numbers = `${batch} by ${size} complex numbers`;
    return [
      { field: 'reads', index: 0, what: `its input, ${numbers},`, bytes },
      { field: 'writes', index: 0, what: `its output, ${numbers},`, bytes },
    ];
  }
  const { m, n, k, dtype } = kernel;
  const matrix = (what: string, rows: number, columns: number) => ({
    what: `${what}, ${rows} by ${columns} numbers of ${dtype},`,
    bytes: rows * columns * dtypeBytes[dtype],
  });
  return [
    { field: 'reads', index: 0, ...matrix('its first factor', m, k) },
    { field: 'reads', index: 1, ...matrix('its second factor', k, n) },
    { field: 'writes', index: 0, ...matrix('its product', m, n) },
  ];
}

type Path = readonly (string | number)[];
type Report = (path: Path, message: string, remedy: string) => void;

/** `sizes`: bytes of each declared buffer. */
export function checkLibraryKernel(
  operation: OperationOf<'kernel'>,
  path: Path,
  sizes: ReadonlyMap<string, number>,
  report: Report,
): void {
  const { kernel, smShare } = operation;
  if (!isLibraryShape(kernel)) return;
  checkCounts(operation, path, report);
  for (const { field, index, what, bytes } of operandsOf(kernel)) {
    const id = operation[field][index];
    const size = id === undefined ? undefined : sizes.get(id);
    if (size === undefined || size >= bytes) continue;
    const message = `"${id}" has ${size} bytes, and ${what} needs ${bytes}.`;
    report([...path, field, index], message, 'Make the buffer larger, or the kernel smaller.');
  }
  const written = operation.writes[0];
  if (written !== undefined && operation.reads.includes(written)) {
    const message = `"${written}" is read and written by one ${kernel.kind} kernel.`;
    report([...path, 'writes', 0], message, 'Name a buffer of its own for what it writes.');
  }
  if (smShare !== 1) {
    const message = `the library chooses how much of the device a ${kernel.kind} kernel fills, so it can't be ${smShare}.`;
    report([...path, 'smShare'], message, 'Leave "smShare" out.');
  }
  if (kernel.kind === 'matmul' && kernel.tf32 && kernel.dtype !== 'float32') {
    const message = `TF32 is a way to multiply float32, and the numbers are ${kernel.dtype}.`;
    report([...path, 'kernel', 'tf32'], message, 'Leave "tf32" out, or use float32.');
  }
}

function checkCounts({ kernel, reads, writes }: OperationOf<'kernel'>, path: Path, report: Report): void {
  const wanted = kernel.kind === 'matmul' ? { reads: 2, writes: 1 } : { reads: 1, writes: 1 };
  const remedy =
    kernel.kind === 'matmul'
      ? 'Name both factors in "reads" (m by k, then k by n), and the product in "writes".'
      : 'Name its input in "reads" and its output in "writes".';
  for (const [field, found] of [
    ['reads', reads.length],
    ['writes', writes.length],
  ] as const) {
    const count = wanted[field];
    if (found === count) continue;
    const buffers = count === 1 ? 'one buffer' : `${count} buffers`;
    report([...path, field], `a ${kernel.kind} kernel takes exactly ${buffers} here, not ${found}.`, remedy);
  }
}
