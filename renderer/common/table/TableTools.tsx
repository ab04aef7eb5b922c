/** Controls above a table: text filter, number of rows, and choice of columns. */
import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './DataTable.module.css';
import type { TableModel } from './model.ts';

interface Props<Item extends object> {
  readonly table: TableModel<Item>;
  /** Rows that pass the filter, of all. */
  readonly rows: number;
  readonly of: number;
  readonly noun: string;
  readonly children: ReactNode;
}

export function TableTools<Item extends object>({ table, rows, of, noun, children }: Props<Item>) {
  return (
    <div className={classes['tools']}>
      <TextInput
        size="xs"
        aria-label="Filter the table by text"
        placeholder="Filter by text"
        onChange={({ currentTarget }) => table.setGlobalFilter(currentTarget.value)}
      />
      <span role="status" className="tabular">
        {rows === of ? `${of} ${noun}` : `${rows} of ${of} ${noun}`}
      </span>
      {children}
      <Popover position="bottom-end" trapFocus>
        <Popover.Target>
          <Button size="compact-xs" variant="default" className={classes['columnsButton'] ?? ''}>
            Columns
          </Button>
        </Popover.Target>
        <Popover.Dropdown className={classes['columns'] ?? ''}>
          {table.getAllLeafColumns().map((column) => (
            <Checkbox
              key={column.id}
              size="xs"
              label={String(column.columnDef.header)}
              checked={column.getIsVisible()}
              disabled={!column.getCanHide()}
              onChange={({ currentTarget }) => column.toggleVisibility(currentTarget.checked)}
            />
          ))}
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}
