/** Random edits of a document, for properties that must hold after any of them. */
import fc from 'fast-check';
import { addOperation } from '../../../core/experiment/edit/newOperation.ts';
import {
  deleteOperations,
  duplicateOperations,
  groupOperations,
  moveOperations,
  ungroupOperation,
} from '../../../core/experiment/edit/operations.ts';
import { atEndOf, operationPaths, placeAt } from '../../../core/experiment/edit/paths.ts';
import { resizeOperation } from '../../../core/experiment/edit/resize.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { experimentOf } from './experiments.ts';

export const work = (durationNs: number) => ({ op: 'work', durationNs }) as const;

/** Two threads of work, partly nested: the start of edits. */
export const nestedWork = experimentOf(
  {},
  [
    work(1),
    { op: 'range', name: 'a', operations: [work(2), { op: 'repeat', count: 2, operations: [work(3)] }] },
    work(4),
  ],
  [work(5), work(6)],
);

export interface EditStep {
  readonly kind: string;
  readonly at: number;
  readonly to: number;
}

export const edits = fc.array(
  fc.record({
    kind: fc.constantFrom('resize', 'delete', 'duplicate', 'move', 'group', 'ungroup', 'default stream', 'work'),
    at: fc.nat(20),
    to: fc.nat(20),
  }),
  { maxLength: 12 },
);

/** Returns the document after each of those edits that are possible. */
export function momentsOf(first: Experiment, steps: readonly EditStep[]): Experiment[] {
  const moments = [first];
  for (const step of steps) {
    const next = changed(moments.at(-1) ?? first, step);
    if (next !== null) moments.push(next);
  }
  return moments;
}

/** Returns null if the edit is impossible in this document. */
function changed(before: Experiment, step: EditStep): Experiment | null {
  const paths = operationPaths(before);
  const [path, to] = [step.at, step.to].map((at) => paths[at % Math.max(paths.length, 1)]);
  if (path === undefined || to === undefined) return null;
  try {
    return edited(before, step.kind, path, to).experiment;
  } catch {
    return null;
  }
}

function edited(before: Experiment, kind: string, path: Path, to: Path) {
  switch (kind) {
    case 'resize':
      return resizeOperation(before, path, 512);
    case 'delete':
      return deleteOperations(before, [path]);
    case 'duplicate':
      return duplicateOperations(before, [path]);
    case 'move':
      return moveOperations(before, [path], placeAt(to, 'after'));
    case 'group':
      return groupOperations(before, [path], { op: 'range', name: 'r' });
    case 'ungroup':
      return ungroupOperation(before, path);
    case 'default stream':
      return addOperation(before, 'kernel', placeAt(path), { row: 'stream', stream: 'default' });
    default:
      return addOperation(before, 'work', atEndOf(before, 1), { row: 'host' });
  }
}

type Path = ReturnType<typeof operationPaths>[number];
