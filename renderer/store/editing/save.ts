/** Saves the open document, and restores drafts after the window was closed. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { isNewName, nameOfContent } from '../../../core/experiment/nameOfContent.ts';
import type { Draft } from '../../../core/service/service.ts';
import { dropDraft, flushDrafts, newestDraft } from '../drafts.ts';
import type { DocumentHistory } from '../history.ts';
import { attempt, host } from '../host.ts';
import { listExperiments } from '../hostEvents.ts';
import { announce, notifyDone } from '../notify.ts';
import { whenDocumentRead } from '../pages.ts';
import { pageDocumentKey } from '../select.ts';
import { assign, state } from '../store.ts';
import { recoverTyped, selectionOfField } from '../typed.ts';
import { histories, historyOf, keepAsDraft, show } from './histories.ts';

/** Names an unnamed document by its content, so that it differs from the others. */
function nameIfNew(history: DocumentHistory): void {
  const { experiment } = history;
  const name = isNewName(experiment.name) ? nameOfContent(experiment) : null;
  if (name !== null) history.push('Name it by what it does', { ...experiment, name: name.slice(0, 200) });
}

/** Saves the open document as an experiment of the user. */
export const saveCurrent = (): Promise<void> =>
  attempt('The experiment could not be saved', async () => {
    const { page } = state();
    const key = pageDocumentKey(state());
    const history = key === null ? undefined : histories.get(key);
    if (page.kind !== 'experiment' || key === null || history === undefined || !history.dirty) return;
    nameIfNew(history);
    const { experiment } = history;
    await host().saveExperiment(page.id, JSON.stringify(experiment));
    history.keep(experiment);
    show(key, history);
    // Announced now, so that it comes before what happens while the library is read.
    announce('Saved');
    await listExperiments();
  });

/** Restores unsaved changes from before the window closed, as a step that can be undone. */
function recoverDraft(key: string, saved: Experiment, ofHost: Draft | null): void {
  if (histories.has(key)) return;
  const { isChanged, isTyped } = takeDraft(key, 'Recover unsaved changes', saved, ofHost);
  if (!isChanged && !isTyped) return;
  const message = [
    ...(isChanged ? ['Undo (Ctrl+Z) goes back to what was saved.'] : []),
    ...(isTyped ? ['Text that was being typed is back in its field.'] : []),
  ];
  notifyDone('Unsaved changes are back', message.join(' '));
}

/** Replaces the saved document by a draft in one step, and restores typed text in its fields. */
export function takeDraft(key: string, step: string, saved: Experiment, ofHost: Draft | null) {
  const draft = newestDraft(key, ofHost);
  if (draft === null) return { isChanged: false, isTyped: false };
  const { experiment, typed = {} } = draft;
  const isChanged = JSON.stringify(experiment) !== JSON.stringify(saved);
  const [field] = Object.keys(typed);
  if (isChanged) {
    const history = historyOf(key, saved);
    history.push(step, experiment);
    show(key, history);
  }
  if (field !== undefined) {
    recoverTyped(key, typed);
    keepAsDraft(key, experiment);
    if (pageDocumentKey(state()) === key) assign({ selection: selectionOfField(experiment, field) });
  } else if (!isChanged) dropDraft(key);
  return { isChanged, isTyped: field !== undefined };
}

/** Called once at the start of the window. */
export function startEditing(): void {
  whenDocumentRead(recoverDraft);
  window.addEventListener('pagehide', flushDrafts);
}
