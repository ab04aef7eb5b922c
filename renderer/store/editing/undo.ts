/** Undo and redo of the open document. */
import { announce } from '../announce.ts';
import type { DocumentHistory } from '../history.ts';
import { hasOwnRuns, type Origin } from '../ownCopy.ts';
import { pageDocumentKey } from '../select.ts';
import { state, whenSettled, withEntry } from '../store.ts';
import { typedTexts } from '../typed.ts';
import { copyInProgress } from './edit.ts';
import { histories, show, taken } from './histories.ts';
import { bringBack, takeBack, takenBack } from './takenBack.ts';

function travel(direction: 'undo' | 'redo'): void {
  const copying = copyInProgress();
  if (copying !== null) {
    // Undo applies to the edit that the copy is being made for.
    void copying.then(() => travel(direction));
    return;
  }
  const key = pageDocumentKey(state());
  if (key !== null && direction === 'redo' && takenBack.has(key)) return void bringBack(key);
  const history = key === null ? undefined : histories.get(key);
  const name = direction === 'undo' ? history?.undoName : history?.redoName;
  if (key === null || history === undefined || name === null || name === undefined) return;
  if (direction === 'undo' && isAllOf(key, history)) return void takeBack(key, history, history.origin);
  const selection = taken(history, direction);
  show(key, history, { pickedRuns: withEntry(state().pickedRuns, key, undefined), selection });
  whenSettled(() => announce(`${direction === 'undo' ? 'Undone' : 'Done again'}: ${name}`));
}

/** Returns true if undo would take back the only step of a copy that an edit made. */
const isAllOf = (key: string, history: DocumentHistory): history is DocumentHistory & { origin: Origin } =>
  history.origin !== null &&
  history.steps === 1 &&
  Object.keys(typedTexts(key)).length === 0 &&
  !hasOwnRuns(history.origin);

export const undo = (): void => travel('undo');
export const redo = (): void => travel('redo');
