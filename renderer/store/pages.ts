/** What the centre shows: opens pages, and reads the documents that they are about. */
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

/** Told of every document that was read; editing/save.ts brings back unsaved changes of it. */
type OnDocumentRead = (key: string, experiment: Experiment, draft: Draft | null) => void;
let onDocumentRead: OnDocumentRead | null = null;
export function whenDocumentRead(listener: OnDocumentRead): void {
  onDocumentRead = listener;
}

/** What is made of a document before it is shown: all of a long one's at once would hold the window up. */
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

/** What a word means. */
export const openTerm = (term: TermId): void => openPage({ kind: 'glossary', term });

/** Reads an experiment unless it is here. */
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

/** One of the user's own, as it was saved. */
export const readExperiment = async (id: string): Promise<Experiment> =>
  JSON.parse(await host().readExperiment(id)) as Experiment;

export function retryDocument(): void {
  const { page } = state();
  if (page.kind !== 'example' && page.kind !== 'experiment') return;
  put('documents', documentKey(page), undefined);
  void openDocument(page);
}
