/** Addresses: `#/example/overlap/pinned-side-stream`, `#/experiment/ID`, `#/run/ID`, `#/compare`, `#/compare/RUN,RUN`. */
import type { Page } from './store/types.ts';

export function pageHash(page: Page): string {
  if (page.kind === 'welcome') return '';
  if (page.kind === 'compare') {
    return page.runs === undefined ? '#/compare' : `#/compare/${page.runs.map(encodeURIComponent).join(',')}`;
  }
  return `#/${page.kind}/${page.id.split('/').map(encodeURIComponent).join('/')}`;
}

/** The page of an address; null where it names none. */
export function parsePageHash(hash: string): Page | null {
  if (hash === '#/compare') return { kind: 'compare' };
  if (hash === '#/compare/') return { kind: 'compare', runs: [] };
  const match = /^#\/(example|experiment|run|compare)\/(.+)$/.exec(hash);
  const [kind, path] = [match?.[1], match?.[2]];
  if (kind === undefined || path === undefined) return null;
  try {
    if (kind === 'compare') return { kind, runs: path.split(',').map(decodeURIComponent) };
    const id = path.split('/').map(decodeURIComponent).join('/');
    return { kind: kind as 'example' | 'experiment' | 'run', id };
  } catch {
    return null;
  }
}

/** Key of a page's document in the store. */
export const documentKey = (page: { readonly kind: string; readonly id: string }): string => `${page.kind}:${page.id}`;
