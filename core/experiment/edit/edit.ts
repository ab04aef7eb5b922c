/** The frame of every edit: a draft is changed, checked like any document, and given back with what is selected then. */
import { checkShape } from '../../shape/checkShape.ts';
import { startsWith } from '../../shape/path.ts';
import { applyChange, insertAt, type Patch } from '../change.ts';
import type { Experiment } from '../experiment.ts';
import { clonedOperation, type NewOperation, newCopies, type Operation, operationSchema } from '../operations.ts';
import { requireExperiment } from '../parse.ts';
import { areReferencesSound } from '../references.ts';
import { checkedDraft, drafts } from './checkedDraft.ts';
import { findPaths, listOf, type OperationPath, operationOf, type Place } from './paths.ts';

/** What an edit made. Every edit throws a CopyscopeError instead where the document would not be valid. */
export interface Edited {
  readonly experiment: Experiment;
  /** Paths, in the changed document, of the operations that the edit was about. */
  readonly selected: readonly OperationPath[];
}

/**
 * Runs `change` on a draft, which shares with the document what isn't changed. It gives the operations that are to be
 * selected, as objects of the draft; their paths are looked up when it has finished, so a change need not keep track of them.
 */
export function edit(experiment: Experiment, change: (draft: Experiment) => Iterable<Operation> | undefined): Edited {
  const draft = drafts.createDraft(experiment);
  const selected = pathsOf(draft, new Set(change(draft) ?? []));
  return { experiment: checkedDraft(experiment, drafts.finishDraft(draft)), selected };
}

/** Puts copies of operations at a place, and selects them; `declared` puts in first what they name. Nothing else is looked at. */
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
 * Runs `change` on a copy of one operation, whose own fields it may change. Only that one is checked against the schema,
 * and the others stay the very objects that they were: in a document of thousands this takes a fraction of the time.
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
  // What is wrong is said by those who check whole documents, with the field's place in this one.
  return shape.ok && areReferencesSound(changed, [shape.value]) ? changed : requireExperiment(changed);
}

/** A copy with another value at a path; what lies beside the path is shared. */
function withValue(whole: unknown, path: OperationPath, value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  const copy: unknown = Array.isArray(whole) ? [...whole] : { ...(whole as object) };
  Reflect.set(copy as object, step, withValue(Reflect.get(copy as object, step), rest, value));
  return copy;
}

/** Paths of operations, looked for as the objects that they are. */
export const pathsOf = (experiment: Experiment, wanted: ReadonlySet<Operation>): OperationPath[] =>
  findPaths(experiment, (operation) => wanted.has(operation), wanted.size);

/** The operations at `paths` in document order, without those inside another of them. */
export function outermost(experiment: Experiment, paths: readonly OperationPath[]): Operation[] {
  const sorted = [...paths].sort(inDocumentOrder);
  const kept: OperationPath[] = [];
  for (const path of sorted) {
    const last = kept.at(-1);
    if (last === undefined || !startsWith(path, last)) kept.push(path);
  }
  return kept.map((path) => operationOf(experiment, path));
}

/** By position in the document; a group comes before what it holds. */
export function inDocumentOrder(a: OperationPath, b: OperationPath): number {
  for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
    const difference = Number(a[index]) - Number(b[index]);
    if (difference < 0 || difference > 0) return difference;
  }
  return a.length - b.length;
}

/** Takes operations out of a draft, and with them every group that would be left empty. */
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
