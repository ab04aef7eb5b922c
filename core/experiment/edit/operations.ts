/** Edits of operations: insert, delete, move, duplicate, group, ungroup, change a field. */

import { fieldPath, startsWith } from '../../shape/path.ts';
import { insertAt } from '../change.ts';
import type { Experiment } from '../experiment.ts';
import { type NewOperation, newCopies, type Operation } from '../operations.ts';
import { checkedDraft } from './checkedDraft.ts';
import { withoutDevice } from './clipboard.ts';
import { type DeclarationKind, freshId, renameDeclaration } from './declarations.ts';
import { type Edited, edit, editOperation, inDocumentOrder, insertedAt, outermost, pathsOf, takeOut } from './edit.ts';
import { listOf, type OperationPath, operationOf, type Place, placeAt, placeNew, refused } from './paths.ts';
import { inRow, type Target } from './rows.ts';

/** Deletes operations with all they contain, and groups that this leaves empty. */
export const deleteOperations = (experiment: Experiment, paths: readonly OperationPath[]): Edited =>
  rearrange(experiment, (draft) => {
    takeOut(draft, new Set(outermost(draft, paths)));
    return undefined;
  });

/** Moves operations to a place in document order, and into `target`'s row if given. */
export function moveOperations(
  experiment: Experiment,
  paths: readonly OperationPath[],
  to: Place,
  target?: Target,
): Edited {
  return rearrange(experiment, (draft) => {
    const moved = outermost(draft, paths);
    const list = listOf(draft, to.list);
    if (paths.some((path) => startsWith(to.list, path))) {
      throw refused('A group can’t be moved into itself.', 'Choose a place outside of it.', fieldPath(to.list));
    }
    // The marker holds the place, and keeps its group from being removed as empty.
    const marker: Operation = { op: 'work', id: 'marker', durationNs: 0 };
    list.splice(to.index, 0, marker);
    takeOut(draft, new Set(moved));
    const placed = target === undefined ? moved : moved.map((operation) => inRow(operation, target));
    replace(draft, marker, placed);
    return placed;
  });
}

/** Replaces `old` by `operations`. */
function replace(draft: Experiment, old: Operation, operations: readonly Operation[]): void {
  const look = (list: Operation[]): boolean => {
    const index = list.indexOf(old);
    if (index >= 0) list.splice(index, 1, ...operations);
    return index >= 0 || list.some((one) => 'operations' in one && look(one.operations));
  };
  draft.threads.some((thread) => look(thread.operations));
}

/** Moves operations into another row at their present place. */
export const retargetOperations = (experiment: Experiment, paths: readonly OperationPath[], target: Target): Edited =>
  rearrange(experiment, (draft) =>
    outermost(draft, paths).map((operation) => {
      const changed = inRow(operation, target);
      replace(draft, operation, [changed]);
      return changed;
    }),
  );

/** Inserts a copy of the operations after the last of them. */
export function duplicateOperations(experiment: Experiment, paths: readonly OperationPath[]): Edited {
  const last = [...paths].sort(inDocumentOrder).findLast((path) => !paths.some((other) => isInside(path, other)));
  if (last === undefined) throw refused('Nothing is selected.', 'Select an operation first.');
  return insertedAt(experiment, placeAt(last, 'after'), outermost(experiment, paths));
}

const isInside = (path: OperationPath, group: OperationPath): boolean =>
  path.length > group.length && startsWith(path, group);

export type GroupKind =
  | { readonly op: 'repeat'; readonly count: number }
  | { readonly op: 'range'; readonly name: string }
  | { readonly op: 'graphCapture'; readonly graph: string; readonly stream: string };

/** Moves neighbouring operations of one list into a new group. */
export function groupOperations(experiment: Experiment, paths: readonly OperationPath[], kind: GroupKind): Edited {
  return rearrange(experiment, (draft) => {
    const inside = outermost(draft, paths);
    const [first] = [...paths].sort(inDocumentOrder);
    if (first === undefined) throw refused('Nothing is selected.', 'Select the operations to group.');
    const { list: listPath, index } = placeAt(first);
    const list = listOf(draft, listPath);
    if (inside.some((operation, offset) => list[index + offset] !== operation)) {
      const remedy = 'Select operations of one host thread with none left out between them.';
      throw refused('Only operations that follow one another can be grouped.', remedy, fieldPath(first));
    }
    const group: NewOperation = { ...kind, operations: inside };
    return [placeNew(list, index, group, inside.length)];
  });
}

/** Replaces a group by its content. */
export function ungroupOperation(experiment: Experiment, path: OperationPath): Edited {
  return rearrange(experiment, (draft) => {
    const group = operationOf(draft, path);
    if (!('operations' in group)) {
      throw refused(`A ${group.op} has no operations.`, 'Select a repeat, range or graph.', fieldPath(path));
    }
    const { list, index } = placeAt(path);
    listOf(draft, list).splice(index, 1, ...group.operations);
    return group.operations;
  });
}

/** Sets the value at a path below an operation or a declaration, or removes the field if undefined. */
export function setField(experiment: Experiment, path: OperationPath, value: unknown): Edited {
  const place = path.lastIndexOf('operations') + 2;
  const [operation, field] = [path.slice(0, place), path.slice(place)];
  if (place < 2 || field.length === 0) {
    return edit(experiment, (draft) => {
      setAt(draft, path, value);
      return undefined;
    });
  }
  return { experiment: editOperation(experiment, operation, (draft) => setAt(draft, field, value)), selected: [] };
}

/** Sets several fields of one operation or declaration at once, if they only make sense together. */
export const setFields = (
  experiment: Experiment,
  path: OperationPath,
  fields: Readonly<Record<string, unknown>>,
): Edited =>
  edit(experiment, (draft) => {
    for (const [name, value] of Object.entries(fields)) setAt(draft, [...path, name], value);
    return undefined;
  });

/** Sets one end of a copy. The buffer of its other end swaps both ends. */
export function setCopyEnd(experiment: Experiment, path: OperationPath, end: 'src' | 'dst', id: string): Edited {
  const copy = operationOf(experiment, path);
  if (copy.op !== 'copy' || copy[end === 'src' ? 'dst' : 'src'] !== id) return setField(experiment, [...path, end], id);
  const { src, dst, srcOffset, dstOffset, srcStepBytes, dstStepBytes } = copy;
  const swapped = { src: dst, dst: src, srcOffset: dstOffset, dstOffset: srcOffset };
  return setFields(experiment, path, { ...swapped, srcStepBytes: dstStepBytes, dstStepBytes: srcStepBytes });
}

/** Sets the memory of a buffer at a path. Only device memory belongs to a device. */
export const setMemory = (experiment: Experiment, path: OperationPath, memory: string): Edited =>
  setFields(experiment, path, { memory, ...(memory === 'device' ? {} : { device: undefined }) });

/** Sets the value at a path below a draft, or removes the field if undefined. */
export function setAt(draft: object, path: OperationPath, value: unknown): void {
  const [parents, key] = [path.slice(0, -1), path.at(-1)];
  let target: unknown = draft;
  for (const step of parents) {
    target = typeof target === 'object' && target !== null ? Reflect.get(target, step) : undefined;
  }
  if (typeof target !== 'object' || target === null || key === undefined) {
    throw refused('There is no such field any more.', 'Select another.', fieldPath(path));
  }
  if (value === undefined) Reflect.deleteProperty(target, key);
  else Reflect.set(target, key, structuredClone(value));
}

const merged: readonly DeclarationKind[] = ['buffers', 'streams', 'events', 'signals', 'threads'];

/**
 * Inserts the first thread's operations at `at`, and adds further threads. Ids that are taken get a number. Adds no
 * devices: the inserted operations run on the first one.
 */
/** Inserts a whole experiment, such as a template: its declarations under free ids, and its threads' operations. */
export function insertExperiment(experiment: Experiment, piece: Experiment, at: Place): Edited {
  const renamed = withFreeIds(piece, experiment);
  const [first, ...threads] = renamed.threads;
  const lists = {
    ...renamed,
    threads: threads.map((thread) => ({ ...thread, operations: newCopies(thread.operations) })),
  };
  const declared = merged.flatMap((kind) =>
    lists[kind].map((one, offset) => insertAt([kind, experiment[kind].length + offset], withoutDevice(one))),
  );
  return insertedAt(experiment, at, first?.operations ?? [], declared);
}

function withFreeIds(piece: Experiment, experiment: Experiment): Experiment {
  let renamed = structuredClone(piece);
  for (const kind of merged) {
    for (const { id } of piece[kind]) {
      if (!experiment[kind].some((one) => one.id === id)) continue;
      const both = { ...experiment, [kind]: [...experiment[kind], ...renamed[kind]] } as Experiment;
      renamed = renameDeclaration(renamed, kind, id, freshId(both, kind, id)).experiment;
    }
  }
  return renamed;
}

/**
 * Like edit(), for a `change` that adds, removes and moves operations and never modifies one, so only lists are copied.
 * Every other operation stays the same object, needs no new check, and keeps its cached results.
 */
export function rearrange(
  experiment: Experiment,
  change: (draft: Experiment) => Iterable<Operation> | undefined,
): Edited {
  const draft = withOwnLists(experiment);
  const selected = new Set(change(draft) ?? []);
  return { experiment: checkedDraft(experiment, draft), selected: pathsOf(draft, selected) };
}

function withOwnLists(experiment: Experiment): Experiment {
  const { buffers, streams, events, signals, devices, threads } = experiment;
  return {
    ...experiment,
    buffers: [...buffers],
    streams: [...streams],
    events: [...events],
    signals: [...signals],
    devices: [...devices],
    threads: threads.map((thread) => ({ ...thread, operations: copyOf(thread.operations) })),
  };
}

const copyOf = (operations: readonly Operation[]): Operation[] =>
  operations.map((operation) =>
    'operations' in operation ? { ...operation, operations: copyOf(operation.operations) } : operation,
  );
