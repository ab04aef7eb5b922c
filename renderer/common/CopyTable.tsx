import { Button } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { asMarkdown, asTsv, type TextTable } from '../../core/tableText.ts';
import classes from './CopyTable.module.css';

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
