/** Basis of every edit: changes a draft, checks it like any document, and returns it with the new selection. */
import { checkShape } from '../../shape/checkShape.ts';
import { startsWith } from '../../shape/path.ts';
import { applyChange, insertAt, type Patch } from '../change.ts';
import type { Experiment } from '../experiment.ts';
import { clonedOperation, type NewOperation, newCopies, type Operation, operationSchema } from '../operations.ts';
import { requireExperiment } from '../parse.ts';
import { areReferencesSound } from '../references.ts';
import { checkedDraft, drafts } from './checkedDraft.ts';
import { findPaths, listOf, type OperationPath, operationOf, type Place } from './paths.ts';

/** Result of an edit. Every edit throws a CopyscopeError if the document would become invalid. */
export interface Edited {
  readonly experiment: Experiment;
  /** Paths of the edited operations in the changed document. */
  readonly selected: readonly OperationPath[];
}

/**
 * Runs `change` on a draft, which shares unchanged parts with the document. `change` returns the operations to select,
 * as objects of the draft. Their paths are found afterwards.
 */
export function edit(experiment: Experiment, change: (draft: Experiment) => Iterable<Operation> | undefined): Edited {
  const draft = drafts.createDraft(experiment);
  const selected = pathsOf(draft, new Set(change(draft) ?? []));
  return { experiment: checkedDraft(experiment, drafts.finishDraft(draft)), selected };
}

/** Inserts copies of operations at a place and selects them, after adding `declared`. Checks nothing else. */
export function insertedAt(
  experiment: Experiment,
  at: Place,
  operations: readonly NewOperation[],
  declared: readonly Patch[] = [],
): Edited {
  listOf(experiment, at.list);
  const inserted = newCopies(operations).map((operation, offset) =>
    insertAt([...at.list, at.index + offset], operation),
  );
  const patches = [...declared, ...inserted];
  return { experiment: applyChange(experiment, { patches }), selected: inserted.map(({ path }) => path) };
}

/**
 * Runs `change` on a copy of one operation. Checks only that one against the schema and keeps all others as the same
 * objects, which takes a fraction of the time in a document of thousands.
 */
export function editOperation(
  experiment: Experiment,
  path: OperationPath,
  change: (draft: Operation) => void,
): Experiment {
  const draft = clonedOperation(operationOf(experiment, path));
  change(draft);
  const shape = checkShape(operationSchema, draft);
  const changed = withValue(experiment, path, shape.ok ? shape.value : draft) as Experiment;
  // For the error message, checks the whole document, which gives the field's path.
  return shape.ok && areReferencesSound(changed, [shape.value]) ? changed : requireExperiment(changed);
}

/** Returns a copy with another value at a path; everything outside the path is shared. */
function withValue(whole: unknown, path: OperationPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const copy: unknown = Array.isArray(whole) ? [...whole] : { ...(whole as object) };
  Reflect.set(copy as object, step, withValue(Reflect.get(copy as object, step), rest, value));
  return copy;
}

/** Returns the paths of operations, which are compared by identity. */
export const pathsOf = (experiment: Experiment, wanted: ReadonlySet<Operation>): OperationPath[] =>
  findPaths(experiment, (operation) => wanted.has(operation), wanted.size);

/** Returns the operations at `paths` in document order, without those inside another of them. */
export function outermost(experiment: Experiment, paths: readonly OperationPath[]): Operation[] {
  const sorted = [...paths].sort(inDocumentOrder);
  const kept: OperationPath[] = [];
  for (const path of sorted) {
    const last = kept.at(-1);
    if (last === undefined || !startsWith(path, last)) kept.push(path);
  }
  return kept.map((path) => operationOf(experiment, path));
}

/** Compares positions in the document; a group comes before its content. */
export function inDocumentOrder(a: OperationPath, b: OperationPath): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = Number(a[index]) - Number(b[index]);
    if (difference < 0 || difference > 0) return difference;
  }
  return a.length - b.length;
}

/** Removes operations from a draft, with every group that would become empty. */
export function takeOut(draft: Experiment, taken: ReadonlySet<Operation>): void {
  for (const thread of draft.threads) thread.operations = without(thread.operations, taken);
}

function without(operations: readonly Operation[], taken: ReadonlySet<Operation>): Operation[] {
  return operations.filter((operation) => {
    if (taken.has(operation)) return false;
    if (!('operations' in operation)) return true;
    operation.operations = without(operation.operations, taken);
    return operation.operations.length > 0;
  });
}
