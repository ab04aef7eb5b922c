/** Input of a change: the document, its program, and the verdict whose cause should be removed. */

import type { DocumentPath } from '../../experiment/change.ts';
import { type Experiment, eachOperation, walkOperations } from '../../experiment/experiment.ts';
import type { Operation, OperationName, OperationOf } from '../../experiment/operations.ts';
import { bufferBytes } from '../../experiment/resources.ts';
import type { OperationInfo, Program } from '../../program/program.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import { valueAtPath } from '../../shape/path.ts';
import type { Verdict } from '../verdicts/verdict.ts';

export interface Situation {
  readonly experiment: Experiment;
  readonly program: Program;
  readonly verdict: Verdict;
}

export interface Found<Name extends OperationName> {
  readonly info: OperationInfo;
  readonly operation: OperationOf<Name>;
}

/** Returns the operation with this number if it is one of `names`. */
export function find<Name extends OperationName>(
  { experiment, program }: Pick<Situation, 'experiment' | 'program'>,
  op: number | null,
  ...names: readonly Name[]
): Found<Name> | null {
  const info = op === null ? undefined : program.operations[op];
  if (info === undefined) return null;
  const operation = valueAtPath(experiment, info.path) as Operation;
  return (names as readonly string[]).includes(operation.op)
    ? { info, operation: operation as OperationOf<Name> }
    : null;
}

/** Returns the path of the outermost repeat around an operation, or null if it is in none. */
export function outermostLoop(experiment: Experiment, path: DocumentPath): DocumentPath | null {
  for (let depth = 4; depth < path.length; depth += 2) {
    const around = path.slice(0, depth);
    if ((valueAtPath(experiment, around) as { readonly op: string }).op === 'repeat') return around;
  }
  return null;
}

/** Returns the size of a declared buffer in bytes; 0 if it isn't declared. */
export function sizeOf({ experiment }: Pick<Situation, 'experiment'>, id: string): number {
  const declared = experiment.buffers.find((buffer) => buffer.id === id);
  return declared === undefined ? 0 : bufferBytes(declared);
}

/** Returns the number of the operation that ran second, of the two that the verdict is about. */
export function second({ verdict }: Situation): number {
  const startOf = (role: 'copy' | 'kernel'): number =>
    verdict.evidence.find((row) => row.role === role)?.startNs ?? Number.NEGATIVE_INFINITY;
  return verdict.with !== null && startOf('kernel') > startOf('copy') ? verdict.with : verdict.op;
}

/** Returns the numbers of all operations that name the buffer, except groups. */
export function usersOf({ experiment, program }: Situation, buffer: string): number[] {
  return program.operations.flatMap(({ op, path }) => {
    const { operations: _, label: __, ...fields } = valueAtPath(experiment, path) as Record<string, unknown>;
    return names(fields, buffer) ? [op] : [];
  });
}

const names = (fields: Readonly<Record<string, unknown>>, buffer: string): boolean =>
  ['buffer', 'src', 'dst'].some((field) => fields[field] === buffer) ||
  ['reads', 'writes'].some((field) => (fields[field] as readonly string[] | undefined)?.includes(buffer) === true);

const mostNames = 3;

/** For example '"a", "b", "c" and 4 more'. */
export function namesOf(ids: readonly string[]): string {
  const names = ids.slice(0, mostNames).map((id) => `"${id}"`);
  const more = ids.length > mostNames ? [`${ids.length - mostNames} more`] : [];
  return new Intl.ListFormat('en-GB').format([...names, ...more]);
}

/** Returns the operations that name each buffer, event or stream, in order, without groups. */
export const usersById = rememberedBy((experiment: Experiment): ReadonlyMap<string, readonly Operation[]> => {
  const made = new Map<string, Operation[]>();
  const visit = (operation: Operation): void => {
    if ('operations' in operation) return;
    const { op: _, id: __, label: ___, ...fields } = operation;
    for (const id of new Set(stringsIn(fields))) {
      const own = made.get(id) ?? [];
      made.set(id, own);
      own.push(operation);
    }
  };
  for (const { operations } of experiment.threads) eachOperation(operations, visit);
  return made;
});

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

/** An operation, and where the document has it. */
export interface Place<One extends Operation = Operation> {
  readonly operation: One;
  readonly path: DocumentPath;
}

export function places(experiment: Experiment): Place[] {
  const found: Place[] = [];
  for (const [thread, { operations }] of experiment.threads.entries()) {
    const visit = (operation: Operation, path: DocumentPath): void => void found.push({ operation, path });
    walkOperations(operations, visit, ['threads', thread, 'operations']);
  }
  return found;
}

export const isPlace =
  <Name extends Operation['op']>(name: Name) =>
  (place: Place): place is Place<OperationOf<Name>> =>
    place.operation.op === name;

/** Returns a key of the list that contains the operation. */
export const listOf = ({ path }: Place): string => path.slice(0, -1).join('.');
