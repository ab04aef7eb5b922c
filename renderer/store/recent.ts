/** Pages opened last, newest first, kept between visits. */
import { create } from 'zustand';
import { pageHash, parsePageHash } from './page.ts';
import { recall, remember } from './settings.ts';
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

export function noteRecent(page: Page): void {
  if (!isDocument(page)) return;
  const hash = pageHash(page);
  const pages = [page, ...useRecent.getState().pages.filter((other) => pageHash(other) !== hash)].slice(0, mostRecent);
  useRecent.setState({ pages });
  remember(name, JSON.stringify(pages.map(pageHash)));
}
