/** Changes of the open document. Examples and runs are copied first, so that they stay as they are. */
import { type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import type { Edited } from '../../../core/experiment/edit/edit.ts';
import { operationOf } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { libraryItems } from '../../../core/service/service.ts';
import { keepFocus, leaveTyped } from '../../common/keepPlace.ts';
import { inSecondFrame } from '../../common/scheduling.ts';
import type { DocumentHistory } from '../history.ts';
import { attempt, host } from '../host.ts';
import { announce, notifyDone, notifyError } from '../notify.ts';
import { hasOwnRuns, makeOwn, type Origin, returnTo } from '../ownCopy.ts';
import { documentKey } from '../page.ts';
import { currentExperiment, pageDocumentKey } from '../select.ts';
import { put, state, whenSettled, withEntry } from '../store.ts';
import type { Selection } from '../types.ts';
import { forgetDocument, histories, historyOf, keptSelection, show, taken } from './histories.ts';

/** Undo and redo of the open document. */
function travel(direction: 'undo' | 'redo'): void {
  const copying = copyInProgress();
  if (copying !== null) {
    // Undo applies to the edit that the copy is being made for.
    void copying.then(() => travel(direction));
    return;
  }
  const key = pageDocumentKey(state());
  if (direction === 'redo' && key !== null && takenBack?.key === key) return void makeAgain(takenBack.history);
  const history = key === null ? undefined : histories.get(key);
  const name = direction === 'undo' ? history?.undoName : history?.redoName;
  if (key === null || history === undefined || name === null || name === undefined) return;
  if (direction === 'undo' && isAllOf(history)) return void takeBack(key, history);
  const selection = taken(history, direction);
  show(key, history, { pickedRuns: withEntry(state().pickedRuns, key, undefined), selection });
  whenSettled(() => announce(`${direction === 'undo' ? 'Undone' : 'Redone'}: ${name}`));
}

/** Returns true if undo would take back the only step of a copy that an edit made. */
const isAllOf = (history: DocumentHistory): history is DocumentHistory & { origin: Origin } =>
  history.origin !== null && history.steps === 1 && !hasOwnRuns(history.origin);

/** The history of the copy that was taken back last, and the key of its original, where it can be redone. */
let takenBack: { readonly key: string; readonly history: DocumentHistory } | null = null;

/** Undoes the edit that a copy was made for: opens the original again, and moves the copy into the trash. */
async function takeBack(key: string, history: DocumentHistory & { origin: Origin }) {
  const { undoName, experiment } = history;
  const giveFocusBack = keepFocus();
  returnTo(history.origin);
  inSecondFrame(giveFocusBack);
  await attempt('The copy could not be undone', async () => {
    const id = key.slice(documentKey({ kind: 'experiment', id: '' }).length);
    await host().deleteItems(libraryItems({ experiments: [id] }));
    forgetDocument(key);
    history.undo();
    const original = pageDocumentKey(state());
    if (original !== null) {
      takenBack = { key: original, history };
      put('edits', original, { dirty: false, undo: null, redo: undoName, beforeRemedy: null });
    }
    notifyDone('Copy undone', `“${experiment.name}” contained nothing else and is in the trash.`);
    announce(`Undone: ${undoName}`);
  });
}

/** Does an edit again that was taken back with its copy, in a new copy. */
async function makeAgain(history: DocumentHistory): Promise<void> {
  const key = await copied(history);
  if (key === null) return;
  const name = history.redoName;
  show(key, history, { selection: taken(history, 'redo') });
  announce(`Redone: ${name}`);
}

export const undo = (): void => travel('undo');
export const redo = (): void => travel('redo');

/** A change of the document. The code marks the lines of a remedy. */
type Done = Edited & { readonly isRemedy?: boolean };
type Change = (experiment: Experiment) => Done;

const verbs = /^(?:Add|Change|Delete|Duplicate|Edit|Fold|Group|Insert|Move|Paste|Rename|Repeat|Unfold|Ungroup)(?= )/;

/** Returns a step as done: 'Moved H2D 20 MiB to stream side'. */
const asDone = (step: string): string => step.replace(verbs, (verb) => verb.replace(/e?$/, 'ed'));

/** Edits wait here while an example is being copied. */
let copying: Promise<string | null> | null = null;

/** Returns the copy that an edit is being put into, or null if none is being made. */
export const copyInProgress = (): Promise<unknown> | null => copying;

type Refused = (error: ErrorInfo) => void;

const notifyRefused =
  (step: string): Refused =>
  (error) =>
    notifyError(`${step}: not possible`, error);

/**
 * Changes the open document in one named step. A refusal changes nothing and goes to `onRefused`, by default a
 * notification. Resolves with true if the change was made.
 */
export async function edit(step: string, change: Change, onRefused: Refused = notifyRefused(step)): Promise<boolean> {
  const { kind } = state().page;
  // A lesson's experiment is meant to be changed, and can be restored.
  if ((kind !== 'experiment' && kind !== 'lesson') || copying !== null) {
    // A refused change makes no copy.
    if (copying === null && changed(step, change, onRefused) === null) return false;
    copying ??= copied().finally(() => {
      copying = null;
    });
    if ((await copying) === null) return false;
  }
  return applyEdit(step, change, onRefused);
}

/**
 * Applies the text being typed into a field, as leaving the field does, and keeps the focus. Returns false if the field
 * refuses it and says why, or if a needed copy could not be made.
 */
export async function takeOverTyped(): Promise<boolean> {
  const field = leaveTyped();
  if (field !== null) {
    // Lets React draw the effect of leaving the field.
    await Promise.resolve();
    if (field.ariaInvalid === 'true') return false;
  }
  return copying === null || (await copying) !== null;
}

/** Replaces the open document with a copy, which gets the history if there is one. Returns its key. */
async function copied(history?: DocumentHistory): Promise<string | null> {
  const copy = await makeOwn();
  if (copy === null) return null;
  if (takenBack !== null) put('edits', takenBack.key, undefined);
  takenBack = null;
  if (history !== undefined) histories.set(copy.key, history);
  historyOf(copy.key, copy.experiment).origin = copy.origin;
  return copy.key;
}

function changed(step: string, change: Change, onRefused: Refused): Done | null {
  const before = currentExperiment(state());
  try {
    return before === null ? null : change(before);
  } catch (thrown) {
    const error = toErrorInfo(thrown);
    onRefused(error);
    announce(`${step}: not possible. ${error.message}`);
    return null;
  }
}

function applyEdit(step: string, change: Change, onRefused: Refused): boolean {
  const key = pageDocumentKey(state());
  const before = currentExperiment(state());
  const edited = changed(step, change, onRefused);
  if (key === null || before === null || edited === null) return false;
  const { experiment, selected, isRemedy = false } = edited;
  const history = historyOf(key, before);
  const [id, ...others] = selected.map((path) => operationOf(experiment, path).id);
  const selection: Selection | null = id !== undefined ? { kind: 'op', id, others } : keptSelection(before, experiment);
  history.push(step, experiment, { selection: { before: state().selection, after: selection }, isRemedy });
  show(key, history, {
    // A run of the old document is no longer a run of the open one, also after undo or redo.
    pickedRuns: withEntry(state().pickedRuns, key, undefined),
    selection,
  });
  whenSettled(() => announce(asDone(step)));
  return true;
}
