/** Short names for operations without a label. */
import type { Experiment } from './experiment.ts';
import { descriptorOf, type Operation } from './operations.ts';
import type { BufferDeclaration } from './resources.ts';

export type BufferFinder = (id: string) => BufferDeclaration | undefined;

/** Returns a fast look-up of buffers by id, for describing many operations. */
export function bufferFinder({ buffers }: Experiment): BufferFinder {
  const table = new Map(buffers.map((buffer) => [buffer.id, buffer]));
  return (id) => table.get(id);
}

export const search =
  ({ buffers }: Experiment): BufferFinder =>
  (id) =>
    buffers.find((buffer) => buffer.id === id);

const descriptions = new WeakMap<Operation, { readonly buffers: Experiment['buffers']; readonly text: string }>();

/**
 * Returns the operation's label, or a description such as 'H2D 20 MiB' or 'record copied'. Cached per operation as long
 * as the buffers are the same: an edit keeps all other operations, and the document is described anew each time.
 */
export function describeOperation(operation: Operation, experiment: Experiment, find = search(experiment)): string {
  if (operation.label !== undefined) return operation.label;
  const { buffers } = experiment;
  const known = descriptions.get(operation);
  if (known?.buffers === buffers) return known.text;
  const text = describeOnce(operation, find);
  descriptions.set(operation, { buffers, text });
  return text;
}

/** Describes without the cache, for single use: caching thousands of texts takes longer than making them. */
export function describeOnce(operation: Operation, find: BufferFinder): string {
  if (operation.label !== undefined) return operation.label;
  const text = descriptorOf(operation.op).text?.(operation, find);
  return text ?? `${operation.op} ${'buffer' in operation ? operation.buffer : ''}`;
}
