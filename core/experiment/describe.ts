/** A short name for an operation where its author gave none. */
import { formatBytes, formatDuration } from '../units.ts';
import type { Experiment } from './experiment.ts';
import type { Operation, OperationOf } from './operations.ts';
import { type BufferDeclaration, bufferBytes } from './resources.ts';

export type BufferFinder = (id: string) => BufferDeclaration | undefined;

/** Finds buffers by id at once: for those who describe many operations of one experiment. */
export function bufferFinder({ buffers }: Experiment): BufferFinder {
  const table = new Map(buffers.map((buffer) => [buffer.id, buffer]));
  return (id) => table.get(id);
}

const search =
  ({ buffers }: Experiment): BufferFinder =>
  (id) =>
    buffers.find((buffer) => buffer.id === id);

const descriptions = new WeakMap<Operation, { readonly buffers: Experiment['buffers']; readonly text: string }>();

/**
 * The operation's label, or a description such as 'H2D 20 MiB' or 'record copied'. Kept for the operation as long as the
 * buffers are the same: an edit shares all other operations with the document before, which is described anew each time.
 */
export function describeOperation(operation: Operation, experiment: Experiment, find = search(experiment)): string {
  if (operation.label !== undefined) return operation.label;
  const { buffers } = experiment;
  const known = descriptions.get(operation);
  if (known?.buffers === buffers) return known.text;
  const text = describeUnlabelled(operation, experiment, find);
  descriptions.set(operation, { buffers, text });
  return text;
}

/** The same, for who asks once: to keep texts of thousands of operations takes longer than to make them. */
export const describeOnce = (operation: Operation, experiment: Experiment, find: BufferFinder): string =>
  operation.label ?? describeUnlabelled(operation, experiment, find);

function describeUnlabelled(operation: Operation, experiment: Experiment, find: BufferFinder): string {
  switch (operation.op) {
    case 'copy':
      return `${copyDirection(operation, find)} ${formatBytes(copyBytes(operation, experiment, find))}`;
    case 'kernel':
      return kernelText(operation.kernel);
    case 'work':
      return `work ${formatDuration(operation.durationNs)}`;
    case 'hostFunction':
      return `host function ${formatDuration(operation.durationNs)}`;
    case 'recordEvent':
      return `record ${operation.event}`;
    case 'waitEvent':
      return `wait for ${operation.event}`;
    case 'synchronizeEvent':
      return `synchronize ${operation.event}`;
    case 'synchronizeStream':
      return `synchronize ${operation.stream}`;
    case 'synchronizeDevice':
      return 'synchronize device';
    case 'queryStream':
      return `query ${operation.stream}`;
    case 'queryEvent':
      return `query ${operation.event}`;
    case 'elapsedTime':
      return `elapsed ${operation.start} to ${operation.end}`;
    case 'repeat':
      return `repeat ${operation.count}×`;
    case 'range':
      return operation.name;
    case 'multiCopy':
      return multiCopyText(operation);
    case 'pin':
      return `pin ${operation.src}`;
    case 'signal':
    case 'waitSignal':
      return `${operation.op === 'signal' ? 'signal' : 'wait for'} ${operation.signal}`;
    case 'graphCapture':
    case 'graphLaunch':
      return `${operation.op === 'graphCapture' ? 'capture' : 'launch'} ${operation.graph}`;
    default:
      return `${operation.op} ${operation.buffer}`;
  }
}

function kernelText(kernel: OperationOf<'kernel'>['kernel']): string {
  if (kernel.kind === 'matmul') {
    const { m, n, k, dtype, tf32 } = kernel;
    return `matmul ${m}×${k}×${n} ${tf32 ? 'TF32' : dtype}`;
  }
  return kernel.kind === 'fft' ? `fft ${kernel.batch}×${kernel.size}` : `${kernel.kind} kernel`;
}

function multiCopyText({ direction, payload, strategy }: OperationOf<'multiCopy'>): string {
  return `${direction.toUpperCase()} ${payload.tensors} ${payload.tensors === 1 ? 'tensor' : 'tensors'}, ${strategy}`;
}

/** Bytes that a copy moves: as written, or all that fits in both buffers. Zero where a buffer is missing. */
export function copyBytes(operation: OperationOf<'copy'>, experiment: Experiment, find = search(experiment)): number {
  if (operation.bytes !== undefined) return operation.bytes;
  const size = (id: string): number => {
    const buffer = find(id);
    return buffer === undefined ? 0 : bufferBytes(buffer);
  };
  return Math.max(0, Math.min(size(operation.src) - operation.srcOffset, size(operation.dst) - operation.dstOffset));
}

/** What a copy leaves of its source, in words: '20.0 of 64.0 MiB'. Null where it moves all of it. */
export function shortCopy(
  operation: OperationOf<'copy'>,
  experiment: Experiment,
  find = search(experiment),
): { readonly text: string; readonly isMeant: boolean } | null {
  const [source, target] = [find(operation.src), find(operation.dst)];
  if (source === undefined || target === undefined) return null;
  const [moved, all] = [copyBytes(operation, experiment, find), bufferBytes(source)];
  if (moved >= all) return null;
  const [part, whole] = [formatBytes(moved), formatBytes(all)];
  const unit = part.slice(part.indexOf(' '));
  const text = `${whole.endsWith(unit) ? part.slice(0, part.indexOf(' ')) : part} of ${whole}`;
  // What was typed is meant, and so is an offset; that the target has no more room may be an oversight.
  return { text, isMeant: operation.bytes !== undefined || moved === all - operation.srcOffset };
}

export function copyDirection(operation: OperationOf<'copy'>, find: BufferFinder): 'H2D' | 'D2H' | 'D2D' | 'H2H' {
  const side = (id: string): 'D' | 'H' => (find(id)?.memory === 'device' ? 'D' : 'H');
  return `${side(operation.src)}2${side(operation.dst)}`;
}
