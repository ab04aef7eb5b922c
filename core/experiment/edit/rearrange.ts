/**
 * The frame of the edits that add, take out and move operations. They change lists and never an operation in place, so
 * only the lists are copied, and every other operation stays the very object that it was: it needs no new check, and
 * whoever has worked something out for it need not do so again.
 */
import type { Experiment } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { checkedDraft } from './checkedDraft.ts';
import { type Edited, pathsOf } from './edit.ts';

/** Like edit(), for a `change` that leaves the operations and declarations that are there as they are. */
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
