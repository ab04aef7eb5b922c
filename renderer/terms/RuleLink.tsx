/** A rule in a text: its card shows the rule and its source. */
import { Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { describeSource, type RuleId, rule as ruleOf } from '../../core/rules/rules.ts';
import { SourceList } from './SourceList.tsx';
import classes from './TermLink.module.css';

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
