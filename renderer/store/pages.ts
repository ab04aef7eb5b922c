/** Opens pages in the centre, and reads their documents. */
import { toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { TermId } from '../../core/glossary/terms.ts';
import type { Draft } from '../../core/service/service.ts';
import type { InSteps } from '../../core/steps.ts';
import { inTurns } from '../common/inTurns.ts';
import { host } from './host.ts';
import { documentKey, pageHash } from './page.ts';
import { noteRecent } from './recent.ts';
import { remember } from './settings.ts';
import { assign, put, state } from './store.ts';
import type { Page } from './types.ts';

/** Called for every document that was read; editing/save.ts then restores unsaved changes. */
type OnDocumentRead = (key: string, experiment: Experiment, draft: Draft | null) => void;
let onDocumentRead: OnDocumentRead | null = null;
export function whenDocumentRead(listener: OnDocumentRead): void {
  onDocumentRead = listener;
}

/** Prepares a document in steps before it is shown, since preparing a long one at once would block the window. */
let prepare: ((experiment: Experiment) => InSteps<unknown>) | null = null;
export function beforeDocumentShown(steps: (experiment: Experiment) => InSteps<unknown>): void {
  prepare = steps;
}

export function openPage(page: Page): void {
  const unchanged = pageHash(page) === pageHash(state().page);
  if (!unchanged) assign({ page, selection: null, iteration: null, search: '' });
  if (location.hash !== pageHash(page)) history.pushState(null, '', pageHash(page) || location.pathname);
  remember('page', pageHash(page));
  noteRecent(page);
  if (page.kind === 'example' || page.kind === 'experiment') void openDocument(page);
}

/** Opens the explanation of a term. */
export const openTerm = (term: TermId): void => openPage({ kind: 'glossary', term });

/** Reads an experiment unless it is loaded. */
export async function openDocument(page: { kind: 'example' | 'experiment'; id: string }): Promise<void> {
  const key = documentKey(page);
  const known = state().documents[key];
  if (known?.status === 'loading' || known?.status === 'ready') return;
  put('documents', key, { status: 'loading' });
  try {
    const [value, draft] = await readDocument(page);
    if (prepare !== null) await inTurns(prepare(draft?.experiment ?? value), () => true);
    put('documents', key, { status: 'ready', value });
    onDocumentRead?.(key, value, draft);
  } catch (thrown) {
    put('documents', key, { status: 'failed', error: toErrorInfo(thrown) });
  }
}

async function readDocument({ kind, id }: { kind: 'example' | 'experiment'; id: string }) {
  if (kind === 'example') return [await host().readExample(id), null] as const;
  const [experiment, draft] = await Promise.all([readExperiment(id), host().readDraft(id)]);
  return [experiment, draft && { ...draft, experiment: JSON.parse(draft.experiment) as Experiment }] as const;
}

/** Returns an experiment of the user as it was saved. */
export const readExperiment = async (id: string): Promise<Experiment> =>
  JSON.parse(await host().readExperiment(id)) as Experiment;

export function retryDocument(): void {
  const { page } = state();
  if (page.kind !== 'example' && page.kind !== 'experiment') return;
  put('documents', documentKey(page), undefined);
  void openDocument(page);
}
