/** A word that the glossary explains: a click, Enter or Space opens its card. */
import { Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { term as termOf } from '../../core/explain/glossary/glossary.ts';
import type { TermId } from '../../core/explain/glossary/terms.ts';
import { describeSource, type RuleId, rule, rule as ruleOf } from '../../core/rules/rules.ts';
import { sourceLink } from '../../core/rules/sourceLinks.ts';
import { openPage } from '../store/pages.ts';
import classes from './TermLink.module.css';

/** A source by its name, as a link if it is on the web. */
function SourceLink({ source }: { readonly source: string }) {
  const href = sourceLink(source);
  if (href === null) return source;
  return (
    <a href={href} target="_blank" rel="noreferrer">
      {source}
    </a>
  );
}

interface SourceListProps {
  readonly sources: readonly string[];
  readonly label?: string;
}

export const SourceList = ({ sources, label }: SourceListProps) => (
  <ul aria-label={label}>
    {sources.map((source) => (
      <li key={source}>
        <SourceLink source={source} />
      </li>
    ))}
  </ul>
);

interface Props {
  readonly term: TermId;
  readonly children: ReactNode;
}

export function TermLink({ term, children }: Props) {
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

/** A rule in a text: its card shows the rule and its source. */
export function RuleLink({ rule, children }: { readonly rule: RuleId; readonly children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const { title, statement, sources } = ruleOf(rule);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      width={320}
      position="bottom-start"
      shadow="md"
      withArrow
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button type="button" className={classes['term']} aria-expanded={open} onClick={() => setOpen(!open)}>
          {children}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={title} tabIndex={0}>
        <div className={classes['card']}>
          <strong>{title}</strong>
          <p>{statement}</p>
          <SourceList sources={sources.map(describeSource)} label="Sources" />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The terms behind the shown content, each with its card. */
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
