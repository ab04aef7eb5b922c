/** Inserts a whole experiment, such as a template: its declarations under free ids, and its threads' operations. */
import { insertAt } from '../change.ts';
import type { Experiment } from '../experiment.ts';
import { newCopies } from '../operations.ts';
import { withoutDevice } from './clipboard.ts';
import { type DeclarationKind, freshId, renameDeclaration } from './declarations.ts';
import { type Edited, insertedAt } from './edit.ts';
import type { Place } from './paths.ts';

const merged: readonly DeclarationKind[] = ['buffers', 'streams', 'events', 'signals', 'threads'];

/**
 * Inserts the first thread's operations at `at`, and adds further threads. Ids that are taken get a number. Adds no
 * devices: the inserted operations run on the first one.
 */
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
