import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { IconTable, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { select } from '../store/store.ts';
import classes from './Inspector.module.css';

/** A titled block of the inspector. */
export function Block({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className={classes['block']} aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={`${classes['facts']} tabular`}>{children}</dl>;
}

interface FactProps {
  readonly name: string;
  readonly children: ReactNode;
  /** Meaning of the figure, or how it was obtained. */
  readonly title?: string;
}

export function Fact({ name, children, title }: FactProps) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A share as a bar, shown next to its figure. */
export function ShareBar({ share, tone }: { readonly share: number; readonly tone?: 'good' | 'warn' | undefined }) {
  return (
    <span className={classes['bar']} aria-hidden>
      <span style={{ width: `${Math.min(Math.max(share, 0), 1) * 100}%` }} data-tone={tone} />
    </span>
  );
}

/** A button that opens the summary of a time range. */
export function SumUp({ title, onClick }: { readonly title: string; readonly onClick: () => void }) {
  return (
    <Button variant="default" size="compact-xs" leftSection={<IconTable size={14} aria-hidden />} onClick={onClick}>
      {title}
    </Button>
  );
}

/** The heading of the selection, with a button back to the run. */
export function SelectionHeading({ children, kind }: { readonly children: ReactNode; readonly kind: string }) {
  return (
    <div className={classes['heading']}>
      <div>
        <small>{kind}</small>
        <h2>{children}</h2>
      </div>
      <Tooltip label="Back to the run (Esc)">
        <ActionIcon aria-label="Select nothing" onClick={() => select(null)}>
          <IconX size={16} />
        </ActionIcon>
      </Tooltip>
    </div>
  );
}

export function Notes({ notes }: { readonly notes: readonly string[] }) {
  if (notes.length === 0) return null;
  return (
    <Block title="Notes">
      <ul className={classes['notes']}>
        {notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
      </ul>
    </Block>
  );
}
