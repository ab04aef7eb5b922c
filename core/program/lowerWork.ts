/** Lowers the operations that move or compute: copies, kernels and multi-tensor copies. */
import { CopyscopeError } from '../errors.ts';
import { copyBytes } from '../experiment/describe.ts';
import { requireOptions } from '../experiment/multiCopyOptions.ts';
import type { OperationOf } from '../experiment/operations.ts';
import { maxBufferBytes } from '../experiment/resources.ts';
import { fieldPath } from '../shape/path.ts';
import { type Instruction, isLibraryKernel, type ProgramKernel } from './program.ts';
import type { Place, Scope } from './scope.ts';

/** The part of a buffer that an operation names; to the buffer's end where it gives no bytes. */
export function region(
  {
    buffer: id,
    offset,
    bytes,
  }: { readonly buffer: string; readonly offset: number; readonly bytes?: number | undefined },
  scope: Scope,
): { buffer: number; offset: number; bytes: number } {
  const buffer = scope.buffer(id);
  return { buffer, offset, bytes: bytes ?? scope.size(buffer) - offset };
}

/** cudaMemcpy runs in the default stream, whatever stream the operation names. */
export function lowerCopy(operation: OperationOf<'copy'>, { op, thread }: Place, scope: Scope): Instruction[] {
  const blocking = operation.mode === 'blocking-memcpy';
  const stream = scope.streams.resolve(blocking ? 'default' : operation.stream, thread);
  const copy: Instruction = {
    code: 'copy',
    op,
    src: scope.buffer(operation.src),
    srcOffset: operation.srcOffset,
    dst: scope.buffer(operation.dst),
    dstOffset: operation.dstOffset,
    bytes: copyBytes(operation, scope.experiment, scope.find),
    stream,
    blocking,
  };
  return operation.mode === 'blocking-to' ? [copy, { code: 'synchronizeStream', op, stream }] : [copy];
}

export function lowerKernel(
  operation: OperationOf<'kernel'>,
  place: Place,
  scope: Scope,
  stream: number,
): Instruction[] {
  const { op } = place;
  const reads = operation.reads.map((id) => scope.buffer(id));
  const writes = operation.writes.map((id) => scope.buffer(id));
  const kernel = kernelShape(operation, place, scope, reads, writes[0]);
  const launch: Instruction = { code: 'kernel', op, stream, kernel, smShare: operation.smShare, reads, writes };
  const isFirstUse = isLibraryKernel(kernel) && kernel.firstUse;
  return isFirstUse ? [{ code: 'makePlan', op, kernel, stream }, launch] : [launch];
}

function kernelShape(
  { kernel }: OperationOf<'kernel'>,
  { path }: Place,
  scope: Scope,
  [src = -1, other = -1]: readonly number[],
  dst = -1,
): ProgramKernel {
  if (kernel.kind === 'matmul') {
    const { m, n, k, dtype, tf32, workspace } = kernel;
    return { kind: 'matmul', src, other, dst, m, n, k, dtype, tf32, firstUse: workspace === 'first-use' };
  }
  if (kernel.kind === 'fft') {
    const { size, batch, plan } = kernel;
    return { kind: 'fft', src, dst, size, batch, firstUse: plan === 'first-use' };
  }
  if (kernel.kind !== 'stream') return kernel;
  const bytes = Math.min(scope.size(src), scope.size(dst));
  if (bytes % 4 !== 0) {
    throw new CopyscopeError({
      code: 'experiment.invalid',
      field: fieldPath([...path, 'reads']),
      message: `a byte-streaming kernel works on 32-bit words, and ${bytes} bytes is no whole number of them.`,
      remedy: 'Make both buffers a multiple of 4 bytes.',
    });
  }
  return { kind: 'stream', src, dst, bytes, passes: kernel.passes };
}

export function lowerMultiCopy(
  operation: OperationOf<'multiCopy'>,
  { op, path }: Place,
  scope: Scope,
  stream: number,
): Instruction {
  const { direction, payload, strategy, options } = operation;
  requireOptions(strategy, options, [...path, 'options']);
  const each = typeof payload.bytes === 'number' ? [payload.bytes] : payload.bytes;
  const sizes = Float64Array.from({ length: payload.tensors }, (_, tensor) => each[tensor % each.length] ?? 0);
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
  if (total > maxBufferBytes) {
    throw new CopyscopeError({
      code: 'experiment.invalid',
      field: fieldPath([...path, 'payload']),
      message: `${payload.tensors} tensors have ${total} bytes together, more than 1 TiB.`,
      remedy: 'Copy fewer or smaller tensors.',
    });
  }
  const plan = scope.multiCopies.push({ direction, sizes, memory: payload.memory, strategy, options }) - 1;
  return { code: 'multiCopy', op, plan, stream };
}
