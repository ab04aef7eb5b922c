/** Where operations stand in a document, by number and by path, and where new ones can be put. */
import { CopyscopeError } from '../../errors.ts';
import { fieldPath, valueAtPath } from '../../shape/path.ts';
import { type Experiment, walkOperations } from '../experiment.ts';
import { childOperations, type Operation } from '../operations.ts';

/** Path of an operation in its document, as ['threads', 0, 'operations', 2]. */
export type OperationPath = readonly (string | number)[];

/** Between two operations of a list: before the one at `index`, or at the end where there is none. */
export interface Place {
  /** Path of the list, as ['threads', 0, 'operations']. */
  readonly list: OperationPath;
  readonly index: number;
}

export const refused = (message: string, remedy: string, field?: string): CopyscopeError =>
  new CopyscopeError({ code: 'edit.refused', message, remedy, ...(field === undefined ? {} : { field }) });

/** Paths of all operations: the place in this list is the operation's number in the program and in a trace. */
export function operationPaths(experiment: Experiment): OperationPath[] {
  const paths: OperationPath[] = [];
  experiment.threads.forEach((thread, index) => {
    walkOperations(thread.operations, (_, path) => paths.push(path), ['threads', index, 'operations']);
  });
  return paths;
}

/** Path of the operation of a number; undefined where the document has fewer. */
export function operationPathOf({ threads }: Experiment, op: number): OperationPath | undefined {
  let before = 0;
  for (const [index, { operations }] of threads.entries()) {
    const found = pathIn(operations, op - before, ['threads', index, 'operations']);
    if (found !== undefined) return found;
    before += countIn(operations);
  }
  return undefined;
}

function pathIn(operations: readonly Operation[], op: number, list: OperationPath): OperationPath | undefined {
  let left = op;
  for (const [index, operation] of operations.entries()) {
    if (left === 0) return [...list, index];
    const children = childOperations(operation) ?? none;
    const found = pathIn(children, left - 1, [...list, index, 'operations']);
    if (found !== undefined) return found;
    left -= 1 + countIn(children);
  }
  return undefined;
}

/** Operations of a document, those inside of others too. */
export const operationCount = ({ threads }: Experiment): number =>
  threads.reduce((sum, { operations }) => sum + countIn(operations), 0);

function countIn(operations: readonly Operation[]): number {
  let count = operations.length;
  for (const operation of operations) count += countIn(childOperations(operation) ?? none);
  return count;
}

const none: readonly Operation[] = [];

/** Numbers of the operations at `paths`; those that are not there are left out. */
export const operationNumbers = (experiment: Experiment, paths: readonly OperationPath[]): number[] =>
  paths.flatMap((path) => numberOf(experiment, path) ?? []);

/** All that come before it in document order, those around it included. */
function numberOf(experiment: Experiment, path: OperationPath): number | undefined {
  if (path.at(-2) !== 'operations' || valueAtPath(experiment, path) === undefined) return undefined;
  const { threads } = experiment;
  const thread = threadOf(path);
  let number = threads.slice(0, thread).reduce((sum, { operations }) => sum + countIn(operations), 0);
  let operations: readonly Operation[] = threads[thread]?.operations ?? none;
  for (let step = 3; step < path.length; step += 2) {
    const index = Number(path[step]);
    number += countIn(operations.slice(0, index));
    const group = operations[index];
    if (step + 1 < path.length && group !== undefined) {
      number += 1;
      operations = childOperations(group) ?? none;
    }
  }
  return number;
}

/** The operation at a path. Throws `edit.refused` where there is none. */
export function operationOf(experiment: Experiment, path: OperationPath): Operation {
  const found = path.at(-2) === 'operations' ? valueAtPath(experiment, path) : undefined;
  if (found !== undefined) return found as Operation;
  throw refused('There is no such operation any more.', 'Select another.', fieldPath(path));
}

/** The list at a path. Throws `edit.refused` where there is none. */
export function listOf(experiment: Experiment, path: OperationPath): Operation[] {
  const found = path.at(-1) === 'operations' ? valueAtPath(experiment, path) : undefined;
  if (Array.isArray(found)) return found as Operation[];
  throw refused('There is no such list of operations any more.', 'Select another place.', fieldPath(path));
}

/** The place just before an operation, or `after` it. */
export function placeAt(path: OperationPath, side: 'before' | 'after' = 'before'): Place {
  const index = Number(path.at(-1));
  return { list: path.slice(0, -1), index: side === 'before' ? index : index + 1 };
}

/** Path of the operation that is to be at a place. */
export const pathAt = ({ list, index }: Place): OperationPath => [...list, index];

/** Position of the host thread that issues the operation at a path. */
export const threadOf = (path: OperationPath): number => Number(path[1]);

export const atEndOf = (experiment: Experiment, thread: number): Place => ({
  list: ['threads', thread, 'operations'],
  index: experiment.threads[thread]?.operations.length ?? 0,
});
