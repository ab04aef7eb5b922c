/** Inserts a whole experiment, such as a template: its declarations under free ids, its threads' operations. */
import { type Experiment, walkOperations } from '../experiment.ts';
import { type DeclarationKind, filterRelays, freshId, renameDeclaration } from './declarations.ts';
import { type Edited, edit } from './edit.ts';
import { listOf, type Place } from './paths.ts';

const merged: readonly DeclarationKind[] = ['buffers', 'streams', 'events', 'signals', 'threads'];

/**
 * The first thread's operations go to `at`, further threads are added. Ids that are taken get a number. Devices stay as
 * they are: what is inserted runs on the first one.
 */
export function insertExperiment(experiment: Experiment, piece: Experiment, at: Place): Edited {
  const renamed = withFreeIds(piece, experiment);
  return edit(experiment, (draft) => {
    draft.buffers.push(...renamed.buffers.map((buffer) => ({ ...buffer, device: undefined })));
    draft.streams.push(...renamed.streams.map((stream) => ({ ...stream, device: undefined })));
    draft.events.push(...renamed.events);
    draft.signals.push(...renamed.signals);
    for (const { operations } of renamed.threads) {
      walkOperations(operations, (operation) => filterRelays(operation, () => false));
    }
    const [first, ...rest] = renamed.threads;
    const operations = first?.operations ?? [];
    listOf(draft, at.list).splice(at.index, 0, ...operations);
    for (const thread of rest) draft.threads.push({ ...thread, device: undefined });
    return operations;
  });
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
