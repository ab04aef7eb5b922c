/** Where operations stand in a document, by number and by path, and where new ones can be put. */
import { CopyscopeError } from '../../errors.ts';
import { fieldPath, valueAtPath } from '../../shape/path.ts';
import { type Experiment, eachOperation, walkOperations } from '../experiment.ts';
import { childOperations, type NewOperation, type Operation } from '../operations.ts';

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

const lists = new WeakMap<Experiment, readonly Operation[]>();

/** All operations: the place in this list is the operation's number in the program and in a trace. */
export function operationsOf(experiment: Experiment): readonly Operation[] {
  const known = lists.get(experiment);
  if (known !== undefined) return known;
  const list: Operation[] = [];
  for (const { operations } of experiment.threads) eachOperation(operations, (operation) => list.push(operation));
  lists.set(experiment, list);
  return list;
}

type Numbers = ReadonlyMap<string, number>;
/** Undo keeps hundreds of moments of a document, and one may have 100,000 operations: only the last two are kept. */
let [last, lastButOne]: (readonly [Experiment, Numbers] | null)[] = [null, null];

/** The number of each operation by its id. */
export function numbersById(experiment: Experiment): Numbers {
  if (last?.[0] !== experiment) {
    const known = lastButOne?.[0] === experiment ? lastButOne : null;
    lastButOne = last ?? null;
    last = known ?? [experiment, new Map(operationsOf(experiment).map(({ id }, op) => [id, op]))];
  }
  return last[1];
}

/** Paths of the operations that `isWanted` returns true for, in document order; at most so many. */
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

/** Path of the operation with an id; undefined if the document has none. */
export const operationPathOf = (experiment: Experiment, id: string): OperationPath | undefined =>
  findPaths(experiment, (operation) => operation.id === id, 1)[0];

/** Operations of a document, those inside of others too. */
export const operationCount = ({ threads }: Experiment): number =>
  threads.reduce((sum, { operations }) => sum + countIn(operations), 0);

function countIn(operations: readonly Operation[]): number {
  let count = operations.length;
  for (const operation of operations) count += countIn(childOperations(operation) ?? none);
  return count;
}

const none: readonly Operation[] = [];

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

/** Puts an operation into a draft's list, in place of `replaced` others. It has no id until the draft is checked. */
export function placeNew(list: Operation[], index: number, operation: NewOperation, replaced = 0): Operation {
  list.splice(index, replaced, operation as Operation);
  return operation as Operation;
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
