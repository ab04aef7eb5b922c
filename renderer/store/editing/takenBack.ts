/** Copies made by an edit of an example or a run, and deleted when that edit was undone. Redo restores them. */
import { toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { libraryItems } from '../../../core/service/service.ts';
import { keepFocus } from '../../common/keepPlace.ts';
import { inSecondFrame } from '../../common/scheduling.ts';
import type { DocumentHistory } from '../history.ts';
import { attempt, host } from '../host.ts';
import { listExperiments } from '../hostEvents.ts';
import { announce, notifyDone } from '../notify.ts';
import { copiedAs, type Origin, returnTo, setCopiedAs } from '../ownCopy.ts';
import { documentKey } from '../page.ts';
import { openPage } from '../pages.ts';
import { pageDocumentKey } from '../select.ts';
import { assign, put, state, whenSettled } from '../store.ts';
import { forgetDocument, histories, show, taken } from './histories.ts';

interface TakenBack {
  readonly id: string;
  readonly history: DocumentHistory;
  /** The copied experiment when it was made. */
  readonly copied: Experiment | null;
  /** Ticket that restores it; null if it could not be deleted. */
  readonly ticket: Promise<string | null>;
}

/** The last copy of each example or run that was deleted by undo, by the original's key. */
export const takenBack = new Map<string, TakenBack>();

export function forgetTakenBack(key: string): void {
  if (takenBack.delete(key)) put('edits', key, undefined);
}

/** Lets redo restore this copy from now on. */
function offerBack(from: string, copy: TakenBack): void {
  takenBack.set(from, copy);
  put('edits', from, { dirty: false, undo: null, redo: copy.history.redoName, beforeRemedy: null });
}

/** Undoes the edit that a copy was made for: reopens the original and deletes the copy. */
export async function takeBack(key: string, history: DocumentHistory, origin: Origin): Promise<void> {
  const [id, step, { name }] = [idOf(key), history.undoName, history.experiment];
  const giveFocusBack = keepFocus();
  history.undo();
  returnTo(origin);
  inSecondFrame(giveFocusBack);
  const from = pageDocumentKey(state());
  if (from === null) return;
  const copied = copiedAs(key);
  const ticket = deletedCopy(key, id);
  offerBack(from, { id, history, copied, ticket });
  const isGone = (await ticket) !== null;
  announce(`Undone: ${step}`);
  if (!isGone) return forgetTakenBack(from);
  const again = { label: 'Redo', act: () => void bringBack(from) };
  notifyDone('Copy taken back', `“${name}” held nothing else and was deleted.`, again);
}

const idOf = (key: string): string => key.slice(documentKey({ kind: 'experiment', id: '' }).length);

async function deletedCopy(key: string, id: string): Promise<string | null> {
  let ticket: string | null = null;
  await attempt('The copy could not be taken back', async () => {
    ticket = await host().deleteItems(libraryItems({ experiments: [id] }));
    forgetDocument(key);
  });
  return ticket;
}

/** Redoes the edit that a copy was made for, with the copy. */
export async function bringBack(from: string): Promise<void> {
  const copy = takenBack.get(from);
  if (copy === undefined) return;
  forgetTakenBack(from);
  const { id, history, copied } = copy;
  await attempt('The copy could not be brought back', async () => {
    const giveFocusBack = keepFocus();
    const ticket = await copy.ticket;
    if (ticket === null) return;
    await restored(from, copy, ticket);
    await listExperiments();
    const [page, step] = [{ kind: 'experiment', id } as const, history.redoName];
    const key = documentKey(page);
    const selection = taken(history, 'redo');
    histories.set(key, history);
    setCopiedAs(key, copied);
    show(key, history);
    openPage(page);
    if (selection?.kind === 'op') assign({ selection });
    inSecondFrame(giveFocusBack);
    whenSettled(() => announce(`Done again: ${step}`));
  });
}

/** Restores a copy. If the host refuses, as with a full disk, redo stays possible while the host keeps the copy. */
async function restored(from: string, copy: TakenBack, ticket: string): Promise<void> {
  try {
    await host().restoreItems(ticket);
  } catch (thrown) {
    if (toErrorInfo(thrown).code !== 'deletion.gone' && !takenBack.has(from)) offerBack(from, copy);
    throw thrown;
  }
}
