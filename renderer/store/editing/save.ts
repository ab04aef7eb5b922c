/** Saves the open document, and restores drafts after the window was closed. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { isNewName, nameOfContent } from '../../../core/experiment/nameOfContent.ts';
import type { Draft } from '../../../core/service/service.ts';
import { leaveTyped } from '../../common/keepPlace.ts';
import { dropDraft, flushDrafts, newestDraft } from '../drafts.ts';
import type { DocumentHistory } from '../history.ts';
import { attempt, host } from '../host.ts';
import { listExperiments } from '../hostEvents.ts';
import { announce, notifyDone } from '../notify.ts';
import { whenDocumentRead } from '../pages.ts';
import { pageDocumentKey } from '../select.ts';
import { state } from '../store.ts';
import { histories, historyOf, show } from './histories.ts';

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
  if (takeDraft(key, 'Recover unsaved changes', saved, ofHost))
    notifyDone('Unsaved changes are back', 'Undo (Ctrl+Z) goes back to what was saved.');
}

/** Replaces the saved document by a draft in one step. Returns false if there is none, or it changes nothing. */
export function takeDraft(key: string, step: string, saved: Experiment, ofHost: Draft | null): boolean {
  const experiment = newestDraft(key, ofHost)?.experiment;
  if (experiment === undefined) return false;
  if (JSON.stringify(experiment) === JSON.stringify(saved)) {
    dropDraft(key);
    return false;
  }
  const history = historyOf(key, saved);
  history.push(step, experiment);
  show(key, history);
  return true;
}

/** Called once at the start of the window. */
export function startEditing(): void {
  whenDocumentRead(recoverDraft);
  window.addEventListener('pagehide', () => {
    leaveTyped();
    flushDrafts();
  });
}
