/** Moves operations to another row of the score: to another stream, or to the host thread. */
import { descriptorOf, type NewOperation, type Operation } from '../operations.ts';

/** A row: a stream by the id that operations use, or the host thread. */
export type Target = { readonly row: 'host' } | { readonly row: 'stream'; readonly stream: string };

/** Returns the stream that executes an operation; null if the host does. */
export function streamOf(operation: Operation): string | null {
  if (!('stream' in operation) || descriptorOf(operation.op).byHost === true) return null;
  return operation.op === 'copy' && operation.mode === 'blocking-memcpy' ? 'default' : operation.stream;
}

/**
 * Returns the operation in another row. A wait is cudaStreamWaitEvent in a stream and cudaEventSynchronize on the host;
 * host work in a stream is a host function. Operations that can't be in that row stay.
 */
export function inRow(operation: Operation, target: Target): Operation;
export function inRow(operation: NewOperation, target: Target): NewOperation;
export function inRow(operation: NewOperation, target: Target): NewOperation {
  return target.row === 'host' ? onHost(operation) : inStream(operation, target.stream);
}

function onHost(operation: NewOperation): NewOperation {
  const op = descriptorOf(operation.op).onHost;
  if (op === undefined || !('stream' in operation)) return operation;
  const { stream: _, ...rest } = operation;
  return { ...rest, op } as NewOperation;
}

function inStream(operation: NewOperation, stream: string): NewOperation {
  const op = descriptorOf(operation.op).inStream;
  return op !== undefined || 'stream' in operation
    ? ({ ...operation, op: op ?? operation.op, stream } as NewOperation)
    : operation;
}
