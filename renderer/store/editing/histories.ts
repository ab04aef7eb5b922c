/** The histories of open documents and their view in the window; unsaved changes are kept as drafts. */
import { numbersById } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { dropDraft, keepDraft } from '../drafts.ts';
import { DocumentHistory } from '../history.ts';
import { setCopiedAs } from '../ownCopy.ts';
import { pageDocumentKey } from '../select.ts';
import { assign, drawFirst, isSameTarget, put, state, withEntry } from '../store.ts';
import type { AppState, Selection } from '../types.ts';

export const histories = new Map<string, DocumentHistory>();

export function historyOf(key: string, experiment: Experiment): DocumentHistory {
  const known = histories.get(key);
  if (known !== undefined) return known;
  const made = new DocumentHistory(experiment);
  histories.set(key, made);
  return made;
}

/** Shows a history's present in one change of the store, and keeps it as a draft while it isn't saved. */
export function show(key: string, history: DocumentHistory, fields: Partial<AppState> = {}): void {
  const { documents, edits } = state();
  const { experiment, dirty, undoName, redoName, beforeRemedy } = history;
  if (key === pageDocumentKey(state())) drawFirst();
  assign({
    documents: withEntry(documents, key, { status: 'ready', value: experiment }),
    edits: withEntry(edits, key, { dirty, undo: undoName, redo: redoName, beforeRemedy }),
    ...fields,
  });
  if (dirty) keepDraft(key, experiment);
  else dropDraft(key);
}

/** Returns the selection after a change: null if its target is gone, adjusted if it was renamed. */
export function keptSelection(before: Experiment, experiment: Experiment): Selection | null {
  const { selection } = state();
  if (selection?.kind === 'op') return numbersById(experiment).has(selection.id) ? selection : null;
  if (selection?.kind !== 'declaration') return selection;
  const [old, now] = [before[selection.list], experiment[selection.list]];
  if (now.some(({ id }) => id === selection.id)) return selection;
  const renamed = old.length === now.length ? now[old.findIndex(({ id }) => id === selection.id)] : undefined;
  return renamed === undefined ? null : { ...selection, id: renamed.id };
}

/** Takes a step. Returns the step's own selection, unless the user had selected something else. */
export function taken(history: DocumentHistory, direction: 'undo' | 'redo'): Selection | null {
  const before = history.experiment;
  const step = history[direction]();
  if (step === null) return keptSelection(before, history.experiment);
  const [from, to] = direction === 'undo' ? [step.after, step.before] : [step.before, step.after];
  return isSameTarget(state().selection, from) ? to : keptSelection(before, history.experiment);
}

/** Forgets a deleted document. */
export function forgetDocument(key: string): void {
  histories.delete(key);
  setCopiedAs(key, null);
  dropDraft(key);
  put('documents', key, undefined);
  put('edits', key, undefined);
}
