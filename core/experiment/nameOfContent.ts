/** Names an experiment without a name by what it copies and computes. */
import { type BufferFinder, bufferFinder, describeOperation } from './describe.ts';
import { bytesText } from './edit/quantities.ts';
import { streamOf } from './edit/rows.ts';
import { type Experiment, walkOperations } from './experiment.ts';
import { copyBytes, copyDirection } from './operations/copy.ts';
import type { Operation, OperationOf } from './operations.ts';

/** Name of a new experiment until it does something; with a number if there are several. */
const newName = 'New experiment';

/** Returns whether nobody has named it yet. */
export const isNewName = (name: string): boolean => /^New experiment( \d+)?$/.test(name);

/** Returns `New experiment`, or the first free one of `New experiment 2`, `3`… */
export function freeNewName(taken: ReadonlySet<string>): string {
  let name = newName;
  for (let number = 2; taken.has(name); number += 1) name = `${newName} ${number}`;
  return name;
}

export const nameOfCopy = (name: string): string =>
  name.startsWith('Copy of ') ? name : `Copy of ${name.slice(0, 190)}`;

/** Returns the name that a copy was made from. */
export const originalName = (name: string): string => name.replace(/^Copy of | \(copy\)$/g, '');

/** Returns for example 'H2D 64 MB pinned, 2 kernels, 2 streams'; null if the experiment does nothing yet. */
export function nameOfContent(experiment: Experiment): string | null {
  const find = bufferFinder(experiment);
  const operations: Operation[] = [];
  for (const thread of experiment.threads) walkOperations(thread.operations, (one) => void operations.push(one));
  const [first] = operations;
  if (first === undefined) return null;
  const kernels = operations.filter(({ op }) => op === 'kernel').length;
  const parts = [...copiesOf(operations, experiment, find), ...(kernels === 0 ? [] : [counted(kernels, 'kernel')])];
  if (parts.length === 0) return describeOperation(first, experiment, find);
  const streams = new Set(operations.flatMap((operation) => streamOf(operation) ?? [])).size;
  return [...parts, ...(streams < 2 ? [] : [counted(streams, 'stream')])].join(', ');
}

function copiesOf(operations: readonly Operation[], experiment: Experiment, find: BufferFinder): string[] {
  const names = operations.flatMap((operation) => {
    if (operation.op === 'copy') return copyName(operation, find);
    return operation.op === 'multiCopy' ? describeOperation({ ...operation, label: undefined }, experiment, find) : [];
  });
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count === 1 ? name : `${count} × ${name}`));
}

function copyName(copy: OperationOf<'copy'>, find: BufferFinder): string {
  const memory = [copy.src, copy.dst]
    .map((id) => find(id)?.memory)
    .find((one) => one !== undefined && one !== 'device');
  const size = bytesText(copyBytes(copy, find));
  return [copyDirection(copy, find), size, ...(memory === undefined ? [] : [memory])].join(' ');
}

const counted = (count: number, what: string): string => (count === 1 ? what : `${count} ${what}s`);
