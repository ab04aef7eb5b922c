/** Changes of the open document: edit, undo, redo, save. Examples and runs are copied first, so they stay as they are. */
import { type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import type { Edited } from '../../core/experiment/edit/edit.ts';
import { operationCount, operationNumbers } from '../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { freeNewName, isNewName, nameOfContent } from '../../core/experiment/nameOfContent.ts';
import { emptyExperiment } from '../../core/experiment/templates/empty.ts';
import { type Draft, libraryItems } from '../../core/service/service.ts';
import { inSecondFrame } from '../common/afterFrame.ts';
import { keepFocus } from '../common/keepFocus.ts';
import { announce } from './announce.ts';
import { dropDraft, flushDrafts, keepDraft, newestDraft } from './drafts.ts';
import { listExperiments } from './experimentList.ts';
import { DocumentHistory } from './history.ts';
import { attempt, host } from './host.ts';
import { notifyDone, notifyError } from './notify.ts';
import { copiedAs, copyName, hasOwnRuns, makeOwn, type Origin, returnTo, setCopiedAs } from './ownCopy.ts';
import { documentKey } from './page.ts';
import { openPage, readExperiment, whenDocumentRead } from './pages.ts';
import { currentExperiment, pageDocumentKey } from './select.ts';
import { assign, drawFirst, isSameTarget, put, state, whenSettled, withEntry } from './store.ts';
import { forgetRecovered, recoverTyped, selectionOfField, setTyped, typedTexts } from './typed.ts';
import type { AppState, Selection } from './types.ts';

const histories = new Map<string, DocumentHistory>();

function historyOf(key: string, experiment: Experiment): DocumentHistory {
  const known = histories.get(key);
  if (known !== undefined) return known;
  const made = new DocumentHistory(experiment);
  histories.set(key, made);
  return made;
}

/** Shows a history's present in one change of the store, and keeps it as a draft while it isn't saved. */
function show(key: string, history: DocumentHistory, fields: Partial<AppState> = {}): void {
  const { documents, edits } = state();
  const { experiment, dirty, undoName, redoName, beforeRemedy } = history;
  if (key === pageDocumentKey(state())) drawFirst();
  assign({
    documents: withEntry(documents, key, { status: 'ready', value: experiment }),
    edits: withEntry(edits, key, { dirty, undo: undoName, redo: redoName, beforeRemedy }),
    ...fields,
  });
  forgetRecovered(key);
  keepAsDraft(key, experiment);
}

/** What was not saved of a document, and what was not taken over from its fields; no draft where there is neither. */
function keepAsDraft(key: string, experiment: Experiment): void {
  const typed = typedTexts(key);
  if (histories.get(key)?.dirty === true || Object.keys(typed).length > 0) keepDraft(key, experiment, typed);
  else dropDraft(key);
}

/** Keeps what stands in a field of a document and was not taken over; null where it says what the document says. */
export function keepTyped(key: string, field: string, text: string | null): void {
  const isNews = setTyped(key, field, text);
  const document = state().documents[key];
  if (isNews && document?.status === 'ready') keepAsDraft(key, document.value);
}

/** A remedy is told apart from what a person edits: its lines are marked in the code. */
type Done = Edited & { readonly isRemedy?: boolean };
type Change = (experiment: Experiment) => Done;

/** Edits wait here while an example is being copied. */
let copying: Promise<boolean> | null = null;

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
  const [op, ...others] = operationNumbers(experiment, selected);
  const selection: Selection | null = op !== undefined ? { kind: 'op', op, others } : keptSelection(before, experiment);
  history.push(step, experiment, { selection: { before: state().selection, after: selection }, isRemedy });
  show(key, history, {
    // A run of what it was before is no longer what is open: nor is it where this is undone, or done again.
    pickedRuns: withEntry(state().pickedRuns, key, undefined),
    selection,
  });
  whenSettled(() => announce(step));
  return true;
}

/** What was selected before a change may be gone, or have another name. */
function keptSelection(before: Experiment, experiment: Experiment): Selection | null {
  const { selection } = state();
  if (selection?.kind === 'op') return selection.op < operationCount(experiment) ? selection : null;
  if (selection?.kind !== 'declaration') return selection;
  const [old, now] = [before[selection.list], experiment[selection.list]];
  if (now.some(({ id }) => id === selection.id)) return selection;
  const renamed = old.length === now.length ? now[old.findIndex(({ id }) => id === selection.id)] : undefined;
  return renamed === undefined ? null : { ...selection, id: renamed.id };
}

/** Takes a step, and gives what is selected then: what the step itself goes between, unless another thing was selected. */
function taken(history: DocumentHistory, direction: 'undo' | 'redo'): Selection | null {
  const before = history.experiment;
  const step = history[direction]();
  if (step === null) return keptSelection(before, history.experiment);
  const [from, to] = direction === 'undo' ? [step.after, step.before] : [step.before, step.after];
  return isSameTarget(state().selection, from) ? to : keptSelection(before, history.experiment);
}

function travel(direction: 'undo' | 'redo'): void {
  if (copying !== null) {
    // It means the edit that the copy is made for.
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

/** Whether the step that undo takes back is all that was done with a copy since an edit made it. */
const isAllOf = (key: string, history: DocumentHistory): history is DocumentHistory & { origin: Origin } =>
  history.origin !== null &&
  history.steps === 1 &&
  Object.keys(typedTexts(key)).length === 0 &&
  !hasOwnRuns(history.origin);

interface TakenBack {
  readonly id: string;
  readonly history: DocumentHistory;
  /** What it was when it was made. */
  readonly copied: Experiment | null;
  /** Brings it back; null where it could not be deleted. */
  readonly ticket: Promise<string | null>;
}

/** The last copy of each example or run that went with the undoing of its edit, by the key of what it was made of. */
const takenBack = new Map<string, TakenBack>();

function forgetTakenBack(key: string): void {
  if (takenBack.delete(key)) put('edits', key, undefined);
}

/** Redo brings this copy back from now on. */
function offerBack(from: string, copy: TakenBack): void {
  takenBack.set(from, copy);
  put('edits', from, { dirty: false, undo: null, redo: copy.history.redoName, beforeRemedy: null });
}

/** Undoes the edit that a copy was made for: what was open before is open again, and the copy goes. */
async function takeBack(key: string, history: DocumentHistory, origin: Origin): Promise<void> {
  const [id, step, { name }] = [idOf(key), history.undoName, history.experiment];
  const giveFocusBack = keepFocus();
  history.undo();
  returnTo(origin);
  inSecondFrame(giveFocusBack);
  const from = pageDocumentKey(state());
  if (from === null) return;
  const hasBin = state().about?.bin === true;
  const copied = copiedAs(key);
  const ticket = deletedCopy(key, id, !hasBin);
  offerBack(from, { id, history, copied, ticket });
  const isGone = (await ticket) !== null;
  announce(`Undone: ${step}`);
  if (!isGone) return forgetTakenBack(from);
  const went = hasBin ? 'is in the bin' : 'was deleted';
  const again = { label: 'Redo', act: () => void bringBack(from) };
  notifyDone('Copy taken back', `“${name}” held nothing else and ${went}.`, again);
}

const idOf = (key: string): string => key.slice(documentKey({ kind: 'experiment', id: '' }).length);

async function deletedCopy(key: string, id: string, forGood: boolean): Promise<string | null> {
  let ticket: string | null = null;
  await attempt('The copy could not be taken back', async () => {
    ticket = await host().deleteItems(libraryItems({ experiments: [id] }), forGood);
    forgetDocument(key);
  });
  return ticket;
}

/** Redoes the edit that a copy was made for, with the copy. */
async function bringBack(from: string): Promise<void> {
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

/** What the host refuses now, as on a full disk, can be asked for again as long as the host keeps the copy. */
async function restored(from: string, copy: TakenBack, ticket: string): Promise<void> {
  try {
    await host().restoreItems(ticket);
  } catch (thrown) {
    if (toErrorInfo(thrown).code !== 'deletion.gone' && !takenBack.has(from)) offerBack(from, copy);
    throw thrown;
  }
}

export const undo = (): void => travel('undo');
export const redo = (): void => travel('redo');

/** What nobody has named is saved under a name that tells it from the others: what it does. */
function nameIfNew(history: DocumentHistory): void {
  const { experiment } = history;
  const name = isNewName(experiment.name) ? nameOfContent(experiment) : null;
  if (name !== null) history.push('Name it by what it does', { ...experiment, name: name.slice(0, 200) });
}

/** Saves what is open among the user's experiments. */
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
    // Now: what is done while the library is read is told after it.
    announce('Saved');
    await listExperiments();
  });

/** Brings back changes that were not saved when the window went, as a step that can be undone. */
function recoverDraft(key: string, saved: Experiment, ofHost: Draft | null): void {
  if (histories.has(key)) return;
  const { isChanged, isTyped } = takeDraft(key, 'Recover unsaved changes', saved, ofHost);
  if (!isChanged && !isTyped) return;
  const message = [
    ...(isChanged ? ['Undo (Ctrl+Z) goes back to what was saved.'] : []),
    ...(isTyped ? ['What was being typed stands in its field again.'] : []),
  ];
  notifyDone('Unsaved changes are back', message.join(' '));
}

/** Puts a draft in the place of what was saved, as one step, and what was typed back into its field, which it shows. */
function takeDraft(key: string, step: string, saved: Experiment, ofHost: Draft | null) {
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

/** Forgets a document that was deleted. */
export function forgetDocument(key: string): void {
  histories.delete(key);
  setCopiedAs(key, null);
  forgetRecovered(key);
  dropDraft(key);
  put('documents', key, undefined);
  put('edits', key, undefined);
}

/** An empty page among the user's own, open. */
export const newExperiment = (experiment?: Experiment): Promise<void> =>
  attempt('The experiment could not be made', async () => {
    const taken = new Set(state().experiments.map(({ name }) => name));
    const id = await host().saveExperiment(null, experiment ?? emptyExperiment(freeNewName(taken)));
    await listExperiments();
    openPage({ kind: 'experiment', id });
  });

export const duplicateExperiment = (id: string): Promise<void> =>
  attempt('The experiment could not be copied', async () => {
    const experiment = await readExperiment(id);
    await newExperiment({ ...experiment, name: copyName(experiment.name) });
  });

/** Gives an experiment of the library another name; where it is open, as a step that can be undone. */
export async function renameExperiment(id: string, name: string): Promise<void> {
  const key = documentKey({ kind: 'experiment', id });
  const history = histories.get(key);
  const before = history?.saved ?? (await readExperiment(id));
  const renamed = { ...before, name };
  await host().saveExperiment(id, renamed);
  if (history !== undefined) {
    const isSaved = !history.dirty;
    history.push('Rename', { ...history.experiment, name });
    history.keep(isSaved ? history.experiment : renamed);
    show(key, history);
  } else if (state().documents[key] !== undefined) put('documents', key, { status: 'ready', value: renamed });
  await listExperiments();
}

/** Shows the experiment of a lesson's step as it was left, or as the lesson gives it. */
export function openLessonDocument(key: string, experiment: Experiment): void {
  if (state().documents[key]?.status === 'ready') return;
  put('documents', key, { status: 'ready', value: experiment });
  takeDraft(key, 'Changes of last time', experiment, null);
}

/** Gives the experiment of a lesson's step back as the lesson has it. */
export function resetLessonDocument(key: string, experiment: Experiment): void {
  forgetDocument(key);
  put('pickedRuns', key, undefined);
  put('documents', key, { status: 'ready', value: experiment });
}

/** Called once, when the window begins. */
export function startEditing(): void {
  whenDocumentRead(recoverDraft);
  window.addEventListener('pagehide', flushDrafts);
}
