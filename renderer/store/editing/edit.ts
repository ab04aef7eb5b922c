/** Changes of the open document. Examples and runs are copied first, so they stay as they are. */
import { type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import type { Edited } from '../../../core/experiment/edit/edit.ts';
import { operationOf } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { announce } from '../announce.ts';
import { notifyError } from '../notify.ts';
import { makeOwn } from '../ownCopy.ts';
import { currentExperiment, pageDocumentKey } from '../select.ts';
import { state, whenSettled, withEntry } from '../store.ts';
import type { Selection } from '../types.ts';
import { historyOf, keptSelection, show } from './histories.ts';
import { forgetTakenBack } from './takenBack.ts';

/** A remedy is told apart from what a person edits: its lines are marked in the code. */
type Done = Edited & { readonly isRemedy?: boolean };
type Change = (experiment: Experiment) => Done;

/** Edits wait here while an example is being copied. */
let copying: Promise<boolean> | null = null;

/** The copy that an edit is being put into; null where none is being made. */
export const copyInProgress = (): Promise<boolean> | null => copying;

type Refused = (error: ErrorInfo) => void;

const notifyRefused =
  (step: string): Refused =>
  (error) =>
    notifyError(`${step}: not possible`, error);

/**
 * Changes what is open, as one named step. A refusal changes nothing and goes to `onRefused`, else into a notification.
 * Resolves to whether it was done.
 */
export async function edit(step: string, change: Change, onRefused: Refused = notifyRefused(step)): Promise<boolean> {
  const { kind } = state().page;
  // A lesson's experiment is there to be changed, and can be had anew.
  if ((kind !== 'experiment' && kind !== 'lesson') || copying !== null) {
    // What is refused makes no copy.
    if (copying === null && changed(step, change, onRefused) === null) return false;
    copying ??= copied().finally(() => {
      copying = null;
    });
    if (!(await copying)) return false;
  }
  return applyEdit(step, change, onRefused);
}

/**
 * Takes over what is being typed into a field of the document, as leaving the field does, and the focus stays in it. False
 * where the field refuses it, and says why, or a copy that it is to go into could not be made.
 */
export async function takeOverTyped(): Promise<boolean> {
  const field = document.activeElement;
  if (field instanceof HTMLElement && field.dataset['typed'] !== undefined) {
    field.blur();
    field.focus({ preventScroll: true });
    // React draws what leaving the field led to before this goes on.
    await Promise.resolve();
    if (field.ariaInvalid === 'true') return false;
  }
  return copying === null || (await copying);
}

/** Goes on in a copy of what is open. A copy that was taken back from here is none that redo could bring any more. */
async function copied(): Promise<boolean> {
  const from = pageDocumentKey(state());
  const copy = await makeOwn();
  if (copy === null) return false;
  if (from !== null) forgetTakenBack(from);
  historyOf(copy.key, copy.experiment).origin = copy.origin;
  return true;
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
    // A run of what it was before is no longer what is open: nor is it where this is undone, or done again.
    pickedRuns: withEntry(state().pickedRuns, key, undefined),
    selection,
  });
  whenSettled(() => announce(step));
  return true;
}
