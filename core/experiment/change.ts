/** A change to an experiment that a window can apply with one click: what it does in words, and as patches. */
import { enablePatches, type Patch } from 'immer';
import { checkedDraft, drafts } from './edit/checkedDraft.ts';
import type { Experiment } from './experiment.ts';

export type { Patch } from 'immer';

export interface Change {
  /** One sentence for each thing that is changed. */
  readonly steps: readonly string[];
  /** One after another, as JSON Patch's add, replace and remove with the path as a list; add into a list inserts. */
  readonly patches: readonly Patch[];
}

export type DocumentPath = readonly (string | number)[];

enablePatches();

/** The changed experiment, checked like any edit. Throws `experiment.invalid` where the change doesn't fit it. */
export function applyChange(experiment: Experiment, { patches }: Pick<Change, 'patches'>): Experiment {
  return checkedDraft(experiment, drafts.applyPatches(experiment, patches));
}

export const joinChanges = (...changes: readonly Change[]): Change => ({
  steps: changes.flatMap(({ steps }) => steps),
  patches: changes.flatMap(({ patches }) => patches),
});

export const insertAt = (path: DocumentPath, value: unknown): Patch => ({ op: 'add', path: [...path], value });
export const replaceAt = (path: DocumentPath, value: unknown): Patch => ({ op: 'replace', path: [...path], value });

/** Where something at `path` is after the patches; null where one of them removed or replaced it. */
export function movedPath(path: DocumentPath, patches: readonly Patch[]): DocumentPath | null {
  let moved: (string | number)[] | null = [...path];
  for (const patch of patches) moved = moved === null ? null : movedBy(moved, patch);
  return moved;
}

function movedBy(path: readonly (string | number)[], patch: Patch): (string | number)[] | null {
  const depth = patch.path.length - 1;
  const at = patch.path[depth];
  const own = path[depth];
  const isBeside = patch.path.slice(0, -1).every((step, index) => step === path[index]);
  if (!isBeside || own === undefined) return [...path];
  if (typeof at === 'number' && typeof own === 'number') {
    if (patch.op === 'add' && at <= own) return path.with(depth, own + 1);
    if (patch.op === 'remove' && at < own) return path.with(depth, own - 1);
  }
  return patch.op !== 'add' && at === own ? null : [...path];
}
