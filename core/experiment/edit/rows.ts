/** What an operation becomes in another row of the score: other stream, or the host thread itself. */
import type { NewOperation, Operation } from '../operations.ts';

/** A row: a stream by the id that operations use, or the host thread. */
export type Target = { readonly row: 'host' } | { readonly row: 'stream'; readonly stream: string };

/** Operations that name a stream, but are done by the host. */
const hostOperations: readonly Operation['op'][] = [
  'synchronizeStream',
  'queryStream',
  'allocate',
  'free',
  'recordStream',
];

/** The stream that carries out an operation; null where the host does. */
export function streamOf(operation: Operation): string | null {
  if (!('stream' in operation) || hostOperations.includes(operation.op)) return null;
  return operation.op === 'copy' && operation.mode === 'blocking-memcpy' ? 'default' : operation.stream;
}

/**
 * The operation in another row. A wait is cudaStreamWaitEvent in a stream and cudaEventSynchronize on the host; work of
 * the host is a host function in a stream. What can't be in that row keeps its own.
 */
export function inRow(operation: Operation, target: Target): Operation;
export function inRow(operation: NewOperation, target: Target): NewOperation;
export function inRow(operation: NewOperation, target: Target): NewOperation {
  return target.row === 'host' ? onHost(operation) : inStream(operation, target.stream);
}

function onHost(operation: NewOperation): NewOperation {
  if (operation.op === 'waitEvent') {
    const { stream: _, ...rest } = operation;
    return { ...rest, op: 'synchronizeEvent' };
  }
  if (operation.op === 'hostFunction') {
    const { stream: _, ...rest } = operation;
    return { ...rest, op: 'work' };
  }
  return operation;
}

function inStream(operation: NewOperation, stream: string): NewOperation {
  if (operation.op === 'synchronizeEvent') return { ...operation, op: 'waitEvent', stream };
  if (operation.op === 'work') return { ...operation, op: 'hostFunction', stream };
  return 'stream' in operation ? { ...operation, stream } : operation;
}
