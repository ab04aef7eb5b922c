/** A word that the glossary explains: a click, Enter or Space opens its card. */
import { Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { term as termOf } from '../../core/glossary/glossary.ts';
import type { TermId } from '../../core/glossary/terms.ts';
import { rule } from '../../core/rules/rules.ts';
import { openPage } from '../store/pages.ts';
import classes from './TermLink.module.css';

interface Props {
  readonly term: TermId;
  readonly children: ReactNode;
  /** Quieter style, for names of lanes and fields. */
  readonly quiet?: boolean;
}

export function TermLink({ term, children, quiet = false }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      width={300}
      position="bottom-start"
      shadow="md"
      withArrow
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button
          type="button"
          className={classes['term']}
          data-quiet={quiet || undefined}
          aria-expanded={open}
          title={`Explain ${termOf(term).name}`}
          onClick={() => setOpen(!open)}
        >
          {children}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={termOf(term).name}>
        <TermCard term={term} onLeave={() => setOpen(false)} />
      </Popover.Dropdown>
    </Popover>
  );
}

/** The term, its meaning, and the rules that govern it. */
function TermCard({ term, onLeave }: { readonly term: TermId; readonly onLeave: () => void }) {
  const { name, text, rules } = termOf(term);
  return (
    <div className={classes['card']}>
      <strong>{name}</strong>
      <p>{text}</p>
      {rules.length === 0 ? null : (
        <ul aria-label="Rules">
          {rules.map((id) => (
            <li key={id}>{rule(id).title}</li>
          ))}
        </ul>
      )}
      <button
        type="button"
        className={classes['more']}
        onClick={() => {
          onLeave();
          openPage({ kind: 'glossary', term });
        }}
      >
        Open in the glossary
      </button>
    </div>
  );
}
