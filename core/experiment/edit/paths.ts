/** Where operations stand in a document, by number and by path, and where new ones can be put. */
import { CopyscopeError } from '../../errors.ts';
import { type Experiment, fieldPath, walkOperations } from '../experiment.ts';
import type { Operation } from '../operations.ts';

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

/** Numbers of the operations at `paths`; those that are not there are left out. */
export function operationNumbers(experiment: Experiment, paths: readonly OperationPath[]): number[] {
  const numbers = new Map(operationPaths(experiment).map((path, number) => [fieldPath(path), number]));
  return paths.flatMap((path) => numbers.get(fieldPath(path)) ?? []);
}

function valueAt(experiment: Experiment, path: OperationPath): unknown {
  let value: unknown = experiment;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

/** The operation at a path. Throws `edit.refused` where there is none. */
export function operationOf(experiment: Experiment, path: OperationPath): Operation {
  const found = path.at(-2) === 'operations' ? valueAt(experiment, path) : undefined;
  if (found !== undefined) return found as Operation;
  throw refused('There is no such operation any more.', 'Select another.', fieldPath(path));
}

/** The list at a path. Throws `edit.refused` where there is none. */
export function listOf(experiment: Experiment, path: OperationPath): Operation[] {
  const found = path.at(-1) === 'operations' ? valueAt(experiment, path) : undefined;
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
