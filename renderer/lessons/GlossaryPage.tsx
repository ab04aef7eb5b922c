/** All terms, each with the rules that govern it and their sources. */
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { glossary, type Term, term as termOf } from '../../core/explain/glossary/glossary.ts';
import { describeSource, rule } from '../../core/rules/rules.ts';
import { openPage } from '../store/pages.ts';
import { useApp } from '../store/store.ts';
import { SourceList } from '../terms/TermLink.tsx';
import classes from './Pages.module.css';

export function GlossaryPage() {
  const wanted = useApp((state) => (state.page.kind === 'glossary' ? state.page.term : null));
  const [search, setSearch] = useState('');
  const found = useMemo(() => glossary.filter((term) => matches(term, search)), [search]);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (wanted === null) return;
    const entry = list.current?.querySelector<HTMLElement>(`[data-term="${wanted}"]`);
    entry?.scrollIntoView({ block: 'start' });
    entry?.focus();
  }, [wanted]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className={classes['page']} aria-label="Glossary" tabIndex={0}>
      <div className={classes['column']} ref={list}>
        <h1>Glossary</h1>
        <p className={classes['lead']}>The field’s terms, and the rules that govern them, each with its source.</p>
        <TextInput
          className={classes['search'] ?? ''}
          aria-label="Search the glossary"
          placeholder="Search"
          leftSection={<IconSearch size={15} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        {found.map((term) => (
          <Entry key={term.id} term={term} current={term.id === wanted} />
        ))}
        {found.length === 0 ? <p className={classes['lead']}>No term has “{search}” in it.</p> : null}
      </div>
    </section>
  );
}

const matches = ({ name, text }: Term, search: string): boolean =>
  `${name} ${text}`.toLowerCase().includes(search.trim().toLowerCase());

function Entry({ term, current }: { readonly term: Term; readonly current: boolean }) {
  return (
    <article
      className={classes['entry']}
      data-term={term.id}
      data-current={current || undefined}
      tabIndex={-1}
      aria-label={term.name}
    >
      <h2>{term.name}</h2>
      <p>{term.text}</p>
      {term.rules.map((id) => (
        <details key={id}>
          <summary>{rule(id).title}</summary>
          <p>{rule(id).statement}</p>
          <SourceList sources={rule(id).sources.map(describeSource)} />
        </details>
      ))}
      {term.see.length === 0 ? null : (
        <p className={classes['see']}>
          See also{' '}
          {term.see.map((id, index) => (
            <span key={id}>
              {index === 0 ? '' : ', '}
              <a
                href={`#/glossary/${id}`}
                onClick={(event) => {
                  event.preventDefault();
                  openPage({ kind: 'glossary', term: id });
                }}
              >
                {termOf(id).name}
              </a>
            </span>
          ))}
        </p>
      )}
    </article>
  );
}
