/** Edits of declarations: add, rename with all references, delete; and the number of uses. */

import { fieldPath } from '../../shape/path.ts';
import { MiB } from '../../units.ts';
import { type Experiment, walkOperations } from '../experiment.ts';
import { freeName } from '../freeName.ts';
import {
  type DeclarationKind,
  declarationKinds,
  declarationNames,
  idsIn,
  referenceFields,
} from '../operations/fields.ts';
import type { Operation, OperationOf } from '../operations.ts';
import { type BufferDeclaration, bufferBytes } from '../resources.ts';
import { type Edited, edit, takeOut } from './edit.ts';
import { type OperationPath, operationOf, refused } from './paths.ts';

export { type DeclarationKind, declarationKinds, declarationNames } from '../operations/fields.ts';

/** Returns the fields of operations with an id, or a list of ids, of a kind. */
const fieldsOf = (kind: DeclarationKind): string[] =>
  [...referenceFields.keys()].filter((field) => referenceFields.get(field) === kind);

/** Returns ids of a kind that an operation itself refers to, without its nested operations. */
export const referred = (operation: Operation, kind: DeclarationKind): string[] =>
  fieldsOf(kind).flatMap((field) => idsIn(operation, field));

function eachOperation(experiment: Experiment, visit: (operation: Operation) => void): void {
  for (const thread of experiment.threads) walkOperations(thread.operations, visit);
}

export type Usage = Readonly<Record<DeclarationKind, ReadonlyMap<string, number>>>;

/** Counts the operations that use each declaration, or that a thread issues. Declarations can use a device too. */
export function countUsage(experiment: Experiment): Usage {
  const counts = Object.fromEntries(declarationKinds.map((kind) => [kind, new Map<string, number>()])) as Record<
    DeclarationKind,
    Map<string, number>
  >;
  const count = (kind: DeclarationKind, id: string): unknown => counts[kind].set(id, (counts[kind].get(id) ?? 0) + 1);
  eachOperation(experiment, (operation) => {
    for (const kind of declarationKinds) for (const id of new Set(referred(operation, kind))) count(kind, id);
  });
  for (const thread of experiment.threads) walkOperations(thread.operations, () => count('threads', thread.id));
  for (const { device } of [...experiment.buffers, ...experiment.streams, ...experiment.threads]) {
    if (device !== undefined) count('devices', device);
  }
  return counts;
}

/** Returns `stem`, or the first of stem2, stem3… that no declaration of the kind has. */
export const freshId = (experiment: Experiment, kind: DeclarationKind, stem: string): string =>
  freeName(stem, new Set(experiment[kind].map(({ id }) => id)));

/** Size of buffers that an edit adds. */
const newBufferBytes = 20 * MiB;

export const newBuffer = (
  id: string,
  memory: BufferDeclaration['memory'],
  bytes = newBufferBytes,
): BufferDeclaration => ({
  id,
  memory,
  bytes,
  pattern: { kind: 'random', seed: 1 },
  allocated: 'before-run',
});

/** Adds a declaration with a free name, and returns the name. */
export function declare(draft: Experiment, kind: DeclarationKind, stem = declarationNames[kind]): string {
  const id = freshId(draft, kind, stem);
  if (kind === 'buffers') draft.buffers.push(newBuffer(id, 'pinned'));
  else if (kind === 'streams') draft.streams.push({ id, flags: 'non-blocking', priority: 0 });
  else if (kind === 'events') draft.events.push({ id, timing: true });
  else if (kind === 'signals') draft.signals.push({ id, capacity: 1 });
  else if (kind === 'threads') draft.threads.push({ id, operations: [] });
  else draft.devices.push({ id, index: draft.devices.reduce((most, { index }) => Math.max(most, index + 1), 0) });
  return id;
}

/** Declares the other end of a copy, as large as the existing end: a smaller one would cut the copy short. */
export function declareOtherEnd(draft: Experiment, end: 'src' | 'dst', of: string): string {
  const known = draft.buffers.find(({ id }) => id === of);
  const isDevice = known === undefined ? end === 'dst' : known.memory !== 'device';
  const id = freshId(draft, 'buffers', end === 'dst' ? 'target' : 'source');
  draft.buffers.push(
    newBuffer(id, isDevice ? 'device' : 'pinned', known === undefined ? undefined : bufferBytes(known)),
  );
  return id;
}

/** Returns the device buffer at this position, or a new one if there is none. */
export function deviceBuffer(draft: Experiment, position: number, stem: string): string {
  const found = draft.buffers.filter(({ memory }) => memory === 'device')[position];
  if (found !== undefined) return found.id;
  const id = freshId(draft, 'buffers', stem);
  draft.buffers.push(newBuffer(id, 'device'));
  return id;
}

/** Makes the target of a copy large enough for the copied data. */
export const makeRoom = (experiment: Experiment, { src, dst, srcOffset, dstOffset }: OperationOf<'copy'>): Edited =>
  edit(experiment, (draft) => {
    const [source, target] = [src, dst].map((id) => draft.buffers.find((buffer) => buffer.id === id));
    if (source === undefined || target === undefined) return undefined;
    resize(target, bufferBytes(source) - srcOffset + dstOffset);
    return undefined;
  });

/** Sets the size of a copy, and makes ends larger that have no room for it. */
export const setCopySize = (experiment: Experiment, path: OperationPath, bytes: number | undefined): Edited =>
  edit(experiment, (draft) => {
    const copy = operationOf(draft, path);
    if (copy.op !== 'copy') return undefined;
    if (bytes === undefined) delete copy.bytes;
    else copy.bytes = bytes;
    for (const buffer of draft.buffers) {
      const offset = buffer.id === copy.src ? copy.srcOffset : copy.dstOffset;
      const isEnd = buffer.id === copy.src || buffer.id === copy.dst;
      if (isEnd && bytes !== undefined && bufferBytes(buffer) < offset + bytes) resize(buffer, offset + bytes);
    }
    return undefined;
  });

function resize(buffer: BufferDeclaration, bytes: number): void {
  buffer.bytes = bytes;
  delete buffer.dtype;
  delete buffer.shape;
}

/** Renames a declaration and all references. Throws if the id is taken. */
export function renameDeclaration(experiment: Experiment, kind: DeclarationKind, from: string, to: string): Edited {
  return edit(experiment, (draft) => {
    const position = draft[kind].findIndex(({ id }) => id === from);
    const declaration = draft[kind][position];
    if (declaration === undefined) throw missing(kind, from);
    if (from !== to && draft[kind].some(({ id }) => id === to)) {
      throw refused(
        `Another ${declarationNames[kind]} is called "${to}".`,
        'Choose another name.',
        fieldPath([kind, position, 'id']),
      );
    }
    declaration.id = to;
    eachOperation(draft, (operation) => renameReferences(operation, kind, from, to));
    if (kind === 'devices') {
      for (const holder of [...draft.buffers, ...draft.streams, ...draft.threads])
        renameIn(holder, ['device'], from, to);
    }
    return undefined;
  });
}

/** Changes references of the operation itself, in place. */
export function renameReferences(operation: Operation, kind: DeclarationKind, from: string, to: string): void {
  renameIn(operation, fieldsOf(kind), from, to);
}

function renameIn(holder: object, fields: readonly string[], from: string, to: string): void {
  for (const field of fields) {
    const value: unknown = Reflect.get(holder, field);
    if (value === from) Reflect.set(holder, field, to);
    else if (Array.isArray(value) && value.includes(from))
      Reflect.set(
        holder,
        field,
        value.map((one) => (one === from ? to : one)),
      );
  }
}

/**
 * Deletes a declaration. If it is in use, this needs `withUses`: then operations that name it are deleted too, and
 * declarations on a deleted device move to the first one.
 */
export function deleteDeclaration(
  experiment: Experiment,
  kind: DeclarationKind,
  id: string,
  { withUses = false }: { readonly withUses?: boolean } = {},
): Edited {
  return edit(experiment, (draft) => {
    const position = draft[kind].findIndex((one) => one.id === id);
    if (position < 0) throw missing(kind, id);
    const uses = countUsage(draft)[kind].get(id) ?? 0;
    if (uses > 0 && !withUses) {
      const message = `"${id}" is used ${uses === 1 ? 'once' : `${uses} times`}.`;
      throw refused(message, 'Delete it together with its uses, or change those first.', fieldPath([kind, position]));
    }
    if (draft[kind].length === 1 && (kind === 'threads' || kind === 'devices')) {
      throw refused(`An experiment needs a ${declarationNames[kind]}.`, 'Add another one first.', kind);
    }
    draft[kind].splice(position, 1);
    const users = new Set<Operation>();
    eachOperation(draft, (operation) => {
      if (referred(operation, kind).includes(id)) users.add(operation);
    });
    takeOut(draft, users);
    if (kind === 'devices') {
      for (const holder of [...draft.buffers, ...draft.streams, ...draft.threads]) {
        if (holder.device === id) delete holder.device;
      }
    }
    return undefined;
  });
}

const missing = (kind: DeclarationKind, id: string) =>
  refused(`There is no ${declarationNames[kind]} called "${id}".`, 'It may have been deleted: choose another.', kind);
