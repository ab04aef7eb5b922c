/** What was copied: operations with all that they name, so that they can be put into another document. */
import type { Experiment } from '../experiment.ts';
import { walkOperations } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { reservedStreams } from '../resources.ts';
import { type DeclarationKind, filterRelays, referred } from './declarations.ts';
import { type Edited, edit, outermost } from './edit.ts';
import { listOf, type OperationPath, type Place } from './paths.ts';

const carried = ['buffers', 'streams', 'events', 'signals'] as const satisfies readonly DeclarationKind[];

export interface Clipboard extends Pick<Experiment, (typeof carried)[number]> {
  readonly operations: readonly Operation[];
}

/** The operations at `paths` in document order, and the declarations that they name. */
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

/**
 * Puts what was copied at a place. What the document declares under the same name is used; what it lacks is declared as
 * it was where it comes from, on the first device.
 */
export function pasteOperations(experiment: Experiment, clipboard: Clipboard, at: Place): Edited {
  return edit(experiment, (draft) => {
    for (const kind of carried) {
      const known = new Set([...draft[kind].map(({ id }) => id), ...(kind === 'streams' ? reservedStreams : [])]);
      const missing = clipboard[kind].filter(({ id }) => !known.has(id));
      // Each list takes only what came from the list of its own kind.
      (draft[kind] as unknown[]).push(...missing.map((one) => withoutDevice(one)));
    }
    const copies = structuredClone(clipboard.operations) as Operation[];
    const devices = new Set(draft.devices.map(({ id }) => id));
    walkOperations(copies, (operation) => filterRelays(operation, (device) => devices.has(device)));
    listOf(draft, at.list).splice(at.index, 0, ...copies);
    return copies;
  });
}

function withoutDevice(declaration: object): object {
  const { device: _, ...rest } = declaration as { readonly device?: string };
  return structuredClone(rest);
}
