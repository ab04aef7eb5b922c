/** Addresses: `#/example/overlap/pinned-side-stream`, `#/experiment/ID`, `#/run/ID`, `#/compare`. */
import type { Page } from './store/types.ts';

export function pageHash(page: Page): string {
  if (page.kind === 'welcome') return '';
  return page.kind === 'compare'
    ? '#/compare'
    : `#/${page.kind}/${page.id.split('/').map(encodeURIComponent).join('/')}`;
}

/** The page of an address; null where it names none. */
export function parsePageHash(hash: string): Page | null {
  if (hash === '#/compare') return { kind: 'compare' };
  const match = /^#\/(example|experiment|run)\/(.+)$/.exec(hash);
  const [kind, path] = [match?.[1], match?.[2]];
  if (kind === undefined || path === undefined) return null;
  try {
    const id = path.split('/').map(decodeURIComponent).join('/');
    return { kind: kind as 'example' | 'experiment' | 'run', id };
  } catch {
    return null;
  }
}

/** Key of a page's document in the store. */
export const documentKey = (page: { readonly kind: string; readonly id: string }): string => `${page.kind}:${page.id}`;
