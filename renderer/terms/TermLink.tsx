/** A word that the glossary explains: a click, Enter or Space opens its card. */
import { Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { term as termOf } from '../../core/explain/glossary/glossary.ts';
import type { TermId } from '../../core/explain/glossary/terms.ts';
import { describeSource, type RuleId, rule } from '../../core/rules/rules.ts';
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

interface ExplainedProps {
  /** Name of the card. */
  readonly label: string;
  readonly card: (close: () => void) => ReactNode;
  readonly title?: string;
  readonly children: ReactNode;
}

function Explained({ label, card, title, children }: ExplainedProps) {
  const [open, setOpen] = useState(false);
  return (
    <Popover
      opened={open}
      onChange={setOpen}
      width={310}
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
          title={title}
          onClick={() => setOpen(!open)}
        >
          {children}
        </button>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} tabIndex={0}>
        <div className={classes['card']}>{card(() => setOpen(false))}</div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** Its card has the meaning, and the rules that govern it. */
export function TermLink({ term, children }: { readonly term: TermId; readonly children: ReactNode }) {
  const { name, text, rules } = termOf(term);
  const card = (close: () => void): ReactNode => (
    <>
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
          close();
          openPage({ kind: 'glossary', term });
        }}
      >
        Open in the glossary
      </button>
    </>
  );
  return (
    <Explained label={name} title={`Explain ${name}`} card={card}>
      {children}
    </Explained>
  );
}

/** A rule in a text: its card shows the rule and its source. */
export function RuleLink({ rule: id, children }: { readonly rule: RuleId; readonly children: ReactNode }) {
  const { title, statement, sources } = rule(id);
  const card = (): ReactNode => (
    <>
      <strong>{title}</strong>
      <p>{statement}</p>
      <SourceList sources={sources.map(describeSource)} label="Sources" />
    </>
  );
  return (
    <Explained label={title} card={card}>
      {children}
    </Explained>
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
