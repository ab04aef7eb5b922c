/** The rule behind a verdict: its name, and on demand its text and sources. */
import { Collapse } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import { describeSource, type RuleId, rule } from '../../core/rules/rules.ts';
import { SourceList } from '../terms/SourceList.tsx';
import classes from './RuleNote.module.css';

export function RuleNote({ id }: { readonly id: RuleId }) {
  const [open, setOpen] = useState(false);
  const { title, statement, sources } = rule(id);
  return (
    <div className={classes['rule']}>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <IconInfoCircle size={14} aria-hidden />
        <span>Rule: {title}</span>
      </button>
      <Collapse expanded={open}>
        <p className={classes['statement']}>{statement}</p>
        <SourceList sources={sources.map(describeSource)} />
      </Collapse>
    </div>
  );
}
