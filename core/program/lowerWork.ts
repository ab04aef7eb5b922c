/** Lowers the operations that move or compute: copies, kernels and multi-tensor copies. */
import { CopyscopeError } from '../errors.ts';
import { copyBytes } from '../experiment/describe.ts';
import { requireOptions } from '../experiment/multiCopyOptions.ts';
import type { OperationOf } from '../experiment/operations.ts';
import { maxBufferBytes } from '../experiment/resources.ts';
import { fieldPath } from '../shape/path.ts';
import { type Instruction, isLibraryKernel, type MultiCopyRelay, type ProgramKernel } from './program.ts';
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
  const relays = relaysOf(operation, path, scope, stream);
  const plan = scope.multiCopies.push({ direction, sizes, memory: payload.memory, strategy, options, relays }) - 1;
  return { code: 'multiCopy', op, plan, stream };
}

/** Throws a CopyscopeError `experiment.invalid` where the copy can't have relays, or not these. */
function relaysOf(
  { relay, strategy, direction }: OperationOf<'multiCopy'>,
  path: Place['path'],
  { experiment, streams }: Scope,
  stream: number,
): MultiCopyRelay[] {
  if (relay === undefined) return [];
  const refuse = (message: string, remedy: string): never => {
    throw new CopyscopeError({
      code: 'experiment.invalid',
      field: fieldPath([...path, 'relay']),
      message,
      remedy,
    });
  };
  const own = streams.streams[stream]?.device ?? 0;
  const name = experiment.devices[own]?.id ?? '';
  if (strategy !== 'pipelined') refuse(`strategy ${strategy} has no relays.`, 'Use pipelined, or delete relay.');
  if (direction !== 'h2d' && direction !== 'd2h') {
    refuse(
      `a ${direction} copy crosses no link that a relay could share.`,
      'Delete relay, or copy from or to the host.',
    );
  }
  if (relay !== 'auto' && relay.includes(name)) {
    refuse(`"${name}" is the device of the copy's own stream.`, 'Name other devices.');
  }
  const others = experiment.devices.flatMap(({ id }, device) =>
    device !== own && (relay === 'auto' || relay.includes(id)) ? [device] : [],
  );
  if (others.length > 0 && !experiment.environment.peerAccess) {
    refuse(
      `what is relayed passes between the memory of "${name}" and that of other devices, and peer access is off.`,
      'Set environment.peerAccess, or delete relay.',
    );
  }
  return others.map((device) => ({ device, ...streams.relay(device) }));
}
