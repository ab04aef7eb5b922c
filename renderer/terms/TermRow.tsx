/** The terms behind the shown content, each with its card. */

import { term as termOf } from '../../core/glossary/glossary.ts';
import type { TermId } from '../../core/glossary/terms.ts';
import classes from './TermLink.module.css';
import { TermLink } from './TermLink.tsx';

export function TermRow({ terms }: { readonly terms: readonly TermId[] }) {
  return (
    <p className={classes['row']}>
      <span>Glossary:</span>
      {[...new Set(terms)].map((id) => (
        <TermLink key={id} term={id}>
          {termOf(id).name}
        </TermLink>
      ))}
    </p>
  );
}
