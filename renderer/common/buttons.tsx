import { Button, SegmentedControl } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { asMarkdown, asTsv, type TextTable } from '../../core/tableText.ts';
import classes from './buttons.module.css';

export interface DoneAction {
  readonly label: string;
  readonly act: () => void;
}

interface DoneProps {
  readonly text: string;
  readonly action?: DoneAction;
  /** Called after the action. */
  readonly onDone: () => void;
}

/** Text about a finished action, with a button to undo it if possible. */
export function DoneText({ text, action, onDone }: DoneProps) {
  return (
    <div className={classes['done']}>
      <span>{text}</span>
      {action === undefined ? null : (
        <Button
          variant="default"
          onClick={() => {
            onDone();
            action.act();
          }}
        >
          {action.label}
        </Button>
      )}
    </div>
  );
}

interface SwitchProps<Side extends string> {
  /** Labels of the choices. */
  readonly sides: Readonly<Record<Side, string>>;
  readonly value: Side;
  readonly onChange: (side: Side) => void;
}

/** The switch above the left panel that picks its content. */
export function PanelSwitch<Side extends string>({ sides, value, onChange }: SwitchProps<Side>) {
  return (
    <SegmentedControl<Side>
      className={classes['switch'] ?? ''}
      size="xs"
      fullWidth
      aria-label="Left panel"
      data={(Object.keys(sides) as Side[]).map((side) => ({ value: side, label: sides[side] }))}
      value={value}
      onChange={onChange}
    />
  );
}

/** A button that looks like a link, for text and tables. */
interface Props {
  /** Name for screen readers, if the text doesn't say what the button opens. */
  readonly label?: string;
  /** Effect of the button, if its text only names something. */
  readonly title?: string;
  /** Takes the colour around it, for an icon and a word in a row of others. */
  readonly plain?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

export function LinkButton({ label, title, plain = false, onClick, children }: Props) {
  const className = plain ? `${classes['link']} ${classes['plain']}` : classes['link'];
  return (
    <button type="button" className={className} title={title} aria-label={label} onClick={onClick}>
      {children}
    </button>
  );
}

/** A button that copies a table for a spreadsheet or a report. The table is made when the button is clicked. */
export function CopyTable({ table }: { readonly table: () => TextTable }) {
  return (
    <div className={classes['tools']}>
      <Copy what="TSV" text={() => asTsv(table())} />
      <Copy what="Markdown" text={() => asMarkdown(table())} />
    </div>
  );
}

function Copy({ what, text }: { readonly what: string; readonly text: () => string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  return (
    <Button variant="default" size="compact-xs" onClick={() => clipboard.copy(text())}>
      {clipboard.copied ? 'Copied' : `Copy as ${what}`}
    </Button>
  );
}
