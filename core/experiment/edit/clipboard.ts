/** Clipboard: operations with everything they name, so that they can be pasted into another document. */
import { insertAt } from '../change.ts';
import type { Experiment } from '../experiment.ts';
import { walkOperations } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { reservedStreams } from '../resources.ts';
import { type DeclarationKind, referred } from './declarations.ts';
import { type Edited, insertedAt, outermost } from './edit.ts';
import type { OperationPath, Place } from './paths.ts';

const carried = ['buffers', 'streams', 'events', 'signals'] as const satisfies readonly DeclarationKind[];

export interface Clipboard extends Pick<Experiment, (typeof carried)[number]> {
  readonly operations: readonly Operation[];
}

/** Copies the operations at `paths` in document order, and the declarations that they name. */
export function copyOperations(experiment: Experiment, paths: readonly OperationPath[]): Clipboard {
  const operations = outermost(experiment, paths);
  const named = namedBy(operations);
  const only = <Declared extends { readonly id: string }>(
    kind: DeclarationKind,
    list: readonly Declared[],
  ): Declared[] => list.filter(({ id }) => named(kind).has(id));
  return {
    operations,
    buffers: only('buffers', experiment.buffers),
    streams: only('streams', experiment.streams),
    events: only('events', experiment.events),
    signals: only('signals', experiment.signals),
  };
}

function namedBy(operations: readonly Operation[]): (kind: DeclarationKind) => ReadonlySet<string> {
  const all: Operation[] = [];
  walkOperations(operations, (operation) => all.push(operation));
  return (kind) => new Set(all.flatMap((operation) => referred(operation, kind)));
}

/** Pastes at a place. Uses declarations of the same name in the document, and adds missing ones on the first device. */
export function pasteOperations(experiment: Experiment, clipboard: Clipboard, at: Place): Edited {
  const declared = carried.flatMap((kind) => {
    const known = new Set([...experiment[kind].map(({ id }) => id), ...(kind === 'streams' ? reservedStreams : [])]);
    const missing = clipboard[kind].filter(({ id }) => !known.has(id));
    return missing.map((one, offset) => insertAt([kind, experiment[kind].length + offset], withoutDevice(one)));
  });
  return insertedAt(experiment, at, structuredClone(clipboard.operations) as Operation[], declared);
}

export function withoutDevice(declaration: object): object {
  const { device: _, ...rest } = declaration as { readonly device?: string };
  return structuredClone(rest);
}
