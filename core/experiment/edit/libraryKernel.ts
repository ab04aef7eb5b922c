/** Edits of cuBLAS and cuFFT kernels, whose buffers must be large enough for their operands. */
import type { Experiment } from '../experiment.ts';
import { isLibraryShape, operandsOf } from '../libraryKernels.ts';
import type { OperationOf } from '../operations.ts';
import { bufferBytes } from '../resources.ts';
import { deviceBuffer } from './declarations.ts';
import { type Edited, edit } from './edit.ts';
import { setAt } from './operations.ts';
import { type OperationPath, operationOf } from './paths.ts';

/** Makes the kernel as large as its smallest buffer allows, up to a few milliseconds. */
export function setLibraryKernel(draft: Experiment, operation: OperationOf<'kernel'>, kind: 'matmul' | 'fft'): void {
  const inputs = kind === 'matmul' ? 2 : 1;
  const taken = Array.from({ length: inputs + 1 }, (_, position) =>
    deviceBuffer(draft, position, ['input', kind === 'matmul' ? 'factor' : 'output', 'output'][position] ?? 'output'),
  );
  operation.reads = taken.slice(0, inputs);
  operation.writes = taken.slice(inputs);
  operation.smShare = 1;
  const bytes = Math.min(...draft.buffers.flatMap((one) => (taken.includes(one.id) ? [bufferBytes(one)] : [])));
  if (kind === 'matmul') {
    const extent = Math.max(1, Math.min(4096, Math.floor(Math.sqrt(bytes / 4))));
    operation.kernel = {
      kind,
      m: extent,
      n: extent,
      k: extent,
      dtype: 'float32',
      tf32: false,
      workspace: 'before-run',
    };
  } else {
    const size = 2 ** Math.max(1, Math.min(20, Math.floor(Math.log2(bytes / 8))));
    operation.kernel = { kind, size, batch: 1, plan: 'before-run' };
  }
}

/**
 * Sets a field of a library kernel, and enlarges its buffers if needed, since a person who types a size means the
 * operands too. Drops TF32 if the numbers aren't float32 any more.
 */
export function setLibraryField(experiment: Experiment, path: OperationPath, field: string, value: unknown): Edited {
  return edit(experiment, (draft) => {
    const operation = operationOf(draft, path);
    if (operation.op !== 'kernel' || !isLibraryShape(operation.kernel)) return [operation];
    setAt(operation.kernel, [field], value);
    if (operation.kernel.kind === 'matmul' && operation.kernel.dtype !== 'float32') operation.kernel.tf32 = false;
    for (const { field: end, index, bytes } of operandsOf(operation.kernel)) {
      const buffer = draft.buffers.find(({ id }) => id === operation[end][index]);
      if (buffer === undefined || bufferBytes(buffer) >= bytes) continue;
      buffer.bytes = bytes;
      delete buffer.dtype;
      delete buffer.shape;
    }
    return [operation];
  });
}
