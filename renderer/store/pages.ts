/** Opens pages in the centre, and reads their documents. */

import { create } from 'zustand';
import { toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { TermId } from '../../core/explain/glossary/terms.ts';
import type { Draft } from '../../core/service/service.ts';
import { leaveTyped } from '../common/keepPlace.ts';
import { host } from './host.ts';
import { documentKey, pageHash, parsePageHash } from './page.ts';
import { parsePlace, useAskedPlace } from './place.ts';
import { recall, remember } from './settings.ts';
import { assign, put, state, watch } from './store.ts';
import type { Page } from './types.ts';

/** Pages that show an item of the library. */
export type RecentPage = Extract<Page, { kind: 'example' | 'experiment' | 'run' }>;

const mostRecent = 12;
const name = 'recent';

export const useRecent = create<{ readonly pages: readonly RecentPage[] }>()(() => ({ pages: kept() }));

function kept(): RecentPage[] {
  try {
    const hashes: unknown = JSON.parse(recall(name) ?? '[]');
    if (!Array.isArray(hashes)) return [];
    return hashes.slice(0, mostRecent).flatMap((hash) => {
      const page = typeof hash === 'string' ? parsePageHash(hash) : null;
      return page !== null && isDocument(page) ? page : [];
    });
  } catch {
    return [];
  }
}

const isDocument = (page: Page): page is RecentPage =>
  page.kind === 'example' || page.kind === 'experiment' || page.kind === 'run';

function noteRecent(page: Page): void {
  if (!isDocument(page)) return;
  const hash = pageHash(page);
  const pages = [page, ...useRecent.getState().pages.filter((other) => pageHash(other) !== hash)].slice(0, mostRecent);
  useRecent.setState({ pages });
  remember(name, JSON.stringify(pages.map(pageHash)));
}

/** Called for every document that was read; editing/save.ts then restores unsaved changes. */
type OnDocumentRead = (key: string, experiment: Experiment, draft: Draft | null) => void;
let onDocumentRead: OnDocumentRead | null = null;
export function whenDocumentRead(listener: OnDocumentRead): void {
  onDocumentRead = listener;
}

export function openPage(page: Page): void {
  const unchanged = pageHash(page) === pageHash(state().page);
  if (!unchanged) {
    leaveTyped();
    assign({ page, selection: null, iteration: null, search: '' });
  }
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

/** Keeps address and page equal: links, back and forward, and the page of the last visit. */
export function startNavigation(): void {
  restorePage();
  window.addEventListener('popstate', () => {
    askPlace();
    openPage(parsePageHash(location.hash) ?? { kind: 'welcome' });
  });
}

/** Shows the page of the address, or else that of the last visit. */
export function restorePage(): void {
  const page = parsePageHash(location.hash) ?? parsePageHash(recall('page') ?? '');
  assign({ engine: recall('engine'), colourBy: recall('colour-by') === 'name' ? 'name' : 'kind' });
  askPlace();
  // Documents can be read once there is a host.
  const stop = watch((state) => {
    if (!state.libraryReady) return;
    stop();
    // The user may have opened another page by then.
    if (page !== null && pageHash(state.page) === pageHash(page)) openPage(page);
  });
  if (page !== null) assign({ page });
}

/** Asks for the link's selection in whatever run the page shows. */
const askPlace = (): void => useAskedPlace.setState({ place: parsePlace(location.hash, '') });
