/**
 * Addresses: `#/example/overlap/pinned-side-stream`, `#/experiment/ID`, `#/run/ID`, `#/compare`, `#/compare/RUN,RUN`,
 * `#/sweep`, `#/sweep/ID`, `#/charts`, `#/record`, `#/remote`, `#/lessons`, `#/lesson/four-cases?step=2` and
 * `#/glossary/pinned`. Links to a place in lanes add the query of place.ts: `#/run/ID?at=0,1000&row=5`.
 */
import { isTermId } from '../../core/explain/glossary/glossary.ts';
import type { TermId } from '../../core/explain/glossary/terms.ts';
import type { Page } from './types.ts';

export function pageHash(page: Page): string {
  switch (page.kind) {
    case 'welcome':
      return '';
    case 'compare':
      return page.runs === undefined ? '#/compare' : `#/compare/${page.runs.map(encodeURIComponent).join(',')}`;
    case 'lessons':
    case 'charts':
    case 'record':
    case 'remote':
      return `#/${page.kind}`;
    case 'sweep-setup':
      return '#/sweep';
    case 'glossary':
      return page.term === null ? '#/glossary' : `#/glossary/${page.term}`;
    case 'lesson':
      return `#/lesson/${encoded(page.id)}${page.step === 0 ? '' : `?step=${page.step + 1}`}`;
    default:
      return `#/${page.kind}/${encoded(page.id)}`;
  }
}

const encoded = (id: string): string => id.split('/').map(encodeURIComponent).join('/');

/** Returns true if the page shows one experiment or run, with a score, a timeline and an inspector. */
export const hasDocument = ({ kind }: Page): boolean =>
  kind === 'example' || kind === 'experiment' || kind === 'run' || kind === 'lesson';

/** Returns the page of an address, or null if it names none. */
export function parsePageHash(hash: string): Page | null {
  if (hash === '#/compare') return { kind: 'compare' };
  if (hash === '#/sweep') return { kind: 'sweep-setup' };
  if (hash === '#/charts') return { kind: 'charts' };
  if (hash === '#/record') return { kind: 'record' };
  if (hash === '#/remote') return { kind: 'remote' };
  if (hash === '#/compare/') return { kind: 'compare', runs: [] };
  if (hash === '#/lessons') return { kind: 'lessons' };
  const term = /^#\/glossary(?:\/(.*))?$/.exec(hash);
  if (term !== null) return { kind: 'glossary', term: isTermId(term[1] ?? '') ? (term[1] as TermId) : null };
  const match = /^#\/(example|experiment|run|sweep|compare|lesson)\/([^?]+)(?:\?(.*))?$/.exec(hash);
  const [kind, path] = [match?.[1], match?.[2]];
  if (kind === undefined || path === undefined) return null;
  try {
    if (kind === 'compare') return { kind, runs: path.split(',').map(decodeURIComponent) };
    const id = path.split('/').map(decodeURIComponent).join('/');
    if (kind === 'lesson')
      return { kind, id, step: Math.max(0, Number(/^step=(\d{1,3})$/.exec(match?.[3] ?? '')?.[1] ?? 1) - 1) };
    return { kind: kind as 'example' | 'experiment' | 'run' | 'sweep', id };
  } catch {
    return null;
  }
}

/** Returns the key of a page's document in the store. */
export const documentKey = (page: { readonly kind: string; readonly id: string }): string => `${page.kind}:${page.id}`;
