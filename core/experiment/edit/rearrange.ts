/**
 * Basis of edits that add, remove and move operations. They change lists and never an operation in place, so only lists
 * are copied. Every other operation stays the same object, needs no new check, and keeps its cached results.
 */
import type { Experiment } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { checkedDraft } from './checkedDraft.ts';
import { type Edited, pathsOf } from './edit.ts';

/** Like edit(), for a `change` that doesn't modify existing operations and declarations. */
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
