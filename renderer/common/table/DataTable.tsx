/**
 * The one table of the window. It sorts, filters by text, hides and resizes columns, and scrolls if the columns need
 * more room. A click, Enter or the arrow keys choose a row that leads somewhere.
 */
import { Button } from '@mantine/core';
import { type HTMLAttributes, type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { type DataColumn, features, libraryColumns } from './columns.ts';
import classes from './DataTable.module.css';
import { Head } from './Head.tsx';
import { type TableModel, useTable, type Widths, widthOf } from './model.ts';
import { TableTools } from './TableTools.tsx';

interface Props<Item extends object> {
  /** Name for screen readers. */
  readonly label: string;
  readonly items: readonly Item[];
  readonly columns: readonly DataColumn<Item>[];
  readonly keyOf: (item: Item) => string;
  /** Plural name of the rows, such as 'activities'. */
  readonly noun: string;
  /** Text of a table without rows. */
  readonly empty: string;
  /** Key of the chosen row, or null. */
  readonly chosen?: string | null;
  readonly onChoose?: (item: Item) => void;
  /** Arrow keys choose rows too, not only Enter. */
  readonly follows?: boolean;
  readonly rowProps?: (item: Item) => HTMLAttributes<HTMLTableRowElement> & Record<`data-${string}`, unknown>;
  /** Controls between the filter and the choice of columns. */
  readonly tools?: ReactNode;
  /** Content below the rows, which scrolls with them. */
  readonly children?: ReactNode;
  /** Rows drawn at first, and with each "Show more". */
  readonly atOnce?: number;
  /** Fills the height that is available, and scrolls within it. */
  readonly fills?: boolean;
}

export function DataTable<Item extends object>(props: Props<Item>) {
  const { label, items, columns, keyOf, noun, empty, chosen = null, tools, children, fills = false } = props;
  const { atOnce = 300 } = props;
  const definitions = useMemo(() => libraryColumns(columns), [columns]);
  const table = useTable({
    features,
    data: items,
    columns: definitions,
    getRowId: keyOf,
    globalFilterFn: 'includesString',
    columnResizeMode: 'onChange',
  }) as unknown as TableModel<Item>;
  const { rows } = table.getRowModel();
  const [shown, setShown] = useState(atOnce);
  const place = chosen === null ? -1 : rows.findIndex(({ id }) => id === chosen);
  const count = Math.min(Math.max(shown, place + 1), rows.length);
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const { body, onKeyDown } = useRowKeys(props, rows.slice(0, count), chosen);
  return (
    <div className={classes['frame']} data-fills={fills || undefined}>
      <TableTools table={table} rows={rows.length} of={items.length} noun={noun}>
        {tools}
      </TableTools>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={classes['scroll']} aria-label={label} tabIndex={0}>
        <table className={`${classes['table']} tabular`} aria-rowcount={rows.length + 1}>
          <Head table={table} columns={byId} />
          <tbody ref={body} onKeyDown={onKeyDown}>
            {rows.slice(0, count).map((row, at) => (
              <Row
                key={row.id}
                row={row}
                columns={byId}
                props={props}
                widths={table.state.columnSizing}
                chosen={row.id === chosen}
                focusable={at === Math.max(place, 0)}
              />
            ))}
          </tbody>
        </table>
        {rows.length === 0 ? (
          <p className={classes['none']}>
            {items.length === 0 ? empty : `No row of ${items.length} ${noun} has this text.`}
          </p>
        ) : null}
        {count < rows.length ? (
          <Button variant="default" m="sm" onClick={() => setShown(count + atOnce)}>
            Show {Math.min(atOnce, rows.length - count)} more of {rows.length - count}
          </Button>
        ) : null}
        {children}
      </section>
    </div>
  );
}

type ModelRow<Item extends object> = ReturnType<TableModel<Item>['getRowModel']>['rows'][number];

/** Moves between rows by arrow keys, and scrolls to a row that was chosen elsewhere. */
function useRowKeys<Item extends object>(
  { onChoose, follows = false }: Props<Item>,
  rows: readonly ModelRow<Item>[],
  chosen: string | null,
) {
  const body = useRef<HTMLTableSectionElement>(null);
  const elementOf = (key: string) => body.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(key)}"]`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it only looks for its row.
  useEffect(() => {
    if (chosen !== null) elementOf(chosen)?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = (event.target as HTMLElement).closest('tr');
    if (onChoose === undefined || row === null || row !== event.target) return;
    const from = rows.findIndex(({ id }) => id === row.dataset['row']);
    if (step === undefined) {
      const own = event.key === 'Enter' || event.key === ' ' ? rows[from] : undefined;
      if (own === undefined) return;
      event.preventDefault();
      onChoose(own.original);
      return;
    }
    event.preventDefault();
    const next = rows[from + step];
    if (from < 0 || next === undefined) return;
    if (follows) onChoose(next.original);
    elementOf(next.id)?.focus();
  };
  return { body, onKeyDown };
}

interface RowProps<Item extends object> {
  readonly row: ModelRow<Item>;
  readonly columns: ReadonlyMap<string, DataColumn<Item>>;
  readonly props: Props<Item>;
  readonly widths: Widths;
  readonly chosen: boolean;
  readonly focusable: boolean;
}

function Row<Item extends object>({ row, columns, props, widths, chosen, focusable }: RowProps<Item>) {
  const { onChoose, rowProps } = props;
  const item = row.original;
  const chooses =
    onChoose === undefined
      ? {}
      : { tabIndex: focusable ? 0 : -1, 'aria-selected': chosen, onClick: () => onChoose(item), 'data-leads': true };
  return (
    <tr {...rowProps?.(item)} {...chooses} data-row={row.id} data-selected={chosen || undefined}>
      {row.getVisibleCells().map((cell) => {
        const column = columns.get(cell.column.id);
        const Cell = column?.isHead === true ? 'th' : 'td';
        const value = cell.getValue();
        const tip = column?.tip?.(item);
        return (
          <Cell
            key={cell.id}
            {...(Cell === 'th' ? { scope: 'row' } : {})}
            {...(tip === undefined ? {} : { title: tip })}
            data-number={column?.isNumber || undefined}
            style={widthOf(widths, cell.column.id)}
          >
            {column?.cell === undefined ? String(value ?? '') : column.cell(item)}
          </Cell>
        );
      })}
    </tr>
  );
}
