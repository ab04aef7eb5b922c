/** Places of operations in a document, by number and by path, and places for new ones. */

import { CopyscopeError } from '../../errors.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import { fieldPath, valueAtPath } from '../../shape/path.ts';
import { type Experiment, eachOperation, walkOperations } from '../experiment.ts';
import { childOperations, type NewOperation, type Operation } from '../operations.ts';

/** Path of an operation in its document, such as ['threads', 0, 'operations', 2]. */
export type OperationPath = readonly (string | number)[];

/** A place in a list: before the operation at `index`, or at the end if there is none. */
export interface Place {
  /** Path of the list, such as ['threads', 0, 'operations']. */
  readonly list: OperationPath;
  readonly index: number;
}

export const refused = (message: string, remedy: string, field?: string): CopyscopeError =>
  new CopyscopeError({ code: 'edit.refused', message, remedy, ...(field === undefined ? {} : { field }) });

/** Returns paths of all operations. The index is the operation's number in program and trace. */
export function operationPaths(experiment: Experiment): OperationPath[] {
  const paths: OperationPath[] = [];
  experiment.threads.forEach((thread, index) => {
    walkOperations(thread.operations, (_, path) => paths.push(path), ['threads', index, 'operations']);
  });
  return paths;
}

/** Returns all operations. The index is the operation's number in program and trace. */
export const operationsOf = rememberedBy((experiment: Experiment): readonly Operation[] => {
  const list: Operation[] = [];
  for (const { operations } of experiment.threads) eachOperation(operations, (operation) => list.push(operation));
  return list;
});

type Numbers = ReadonlyMap<string, number>;
/** Only two are kept, since undo keeps hundreds of versions, each with up to 100,000 operations. */
let [last, lastButOne]: (readonly [Experiment, Numbers] | null)[] = [null, null];

/** Returns the number of each operation by its id. */
export function numbersById(experiment: Experiment): Numbers {
  if (last?.[0] !== experiment) {
    const known = lastButOne?.[0] === experiment ? lastButOne : null;
    lastButOne = last ?? null;
    last = known ?? [experiment, new Map(operationsOf(experiment).map(({ id }, op) => [id, op]))];
  }
  return last[1];
}

/** Returns paths of operations for which `isWanted` is true, in document order; at most `most`. */
export function findPaths(
  experiment: Experiment,
  isWanted: (operation: Operation) => boolean,
  most: number,
): OperationPath[] {
  const found: OperationPath[] = [];
  const look = (operations: readonly Operation[], path: OperationPath): void => {
    for (let index = 0; index < operations.length && found.length < most; index += 1) {
      const operation = operations[index] as Operation;
      if (isWanted(operation)) found.push([...path, index]);
      const children = childOperations(operation);
      if (children !== undefined) look(children, [...path, index, 'operations']);
    }
  };
  experiment.threads.forEach((thread, index) => {
    look(thread.operations, ['threads', index, 'operations']);
  });
  return found;
}

/** Returns the path of the operation with an id; undefined if there is none. */
export const operationPathOf = (experiment: Experiment, id: string): OperationPath | undefined =>
  findPaths(experiment, (operation) => operation.id === id, 1)[0];

/** Returns the number of operations in a document, including nested ones. */
export const operationCount = ({ threads }: Experiment): number =>
  threads.reduce((sum, { operations }) => sum + countIn(operations), 0);

function countIn(operations: readonly Operation[]): number {
  let count = operations.length;
  for (const operation of operations) count += countIn(childOperations(operation) ?? none);
  return count;
}

const none: readonly Operation[] = [];

/** Returns the operation at a path. Throws `edit.refused` if there is none. */
export function operationOf(experiment: Experiment, path: OperationPath): Operation {
  const found = path.at(-2) === 'operations' ? valueAtPath(experiment, path) : undefined;
  if (found !== undefined) return found as Operation;
  throw refused('There is no such operation any more.', 'Select another.', fieldPath(path));
}

/** Returns the list at a path. Throws `edit.refused` if there is none. */
export function listOf(experiment: Experiment, path: OperationPath): Operation[] {
  const found = path.at(-1) === 'operations' ? valueAtPath(experiment, path) : undefined;
  if (Array.isArray(found)) return found as Operation[];
  throw refused('There is no such list of operations any more.', 'Select another place.', fieldPath(path));
}

/** Inserts an operation into a draft's list, replacing `replaced` others. It gets its id when the draft is checked. */
export function placeNew(list: Operation[], index: number, operation: NewOperation, replaced = 0): Operation {
  list.splice(index, replaced, operation as Operation);
  return operation as Operation;
}

/** Returns the place before an operation, or after it. */
export function placeAt(path: OperationPath, side: 'before' | 'after' = 'before'): Place {
  const index = Number(path.at(-1));
  return { list: path.slice(0, -1), index: side === 'before' ? index : index + 1 };
}

/** Returns the path that an operation at this place gets. */
export const pathAt = ({ list, index }: Place): OperationPath => [...list, index];

/** Returns the index of the host thread that issues the operation at a path. */
export const threadOf = (path: OperationPath): number => Number(path[1]);

export const atEndOf = (experiment: Experiment, thread: number): Place => ({
  list: ['threads', thread, 'operations'],
  index: experiment.threads[thread]?.operations.length ?? 0,
});
