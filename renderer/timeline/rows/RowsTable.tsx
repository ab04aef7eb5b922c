/**
 * The same rows as the lanes, as a table: for screen readers, for the keyboard, and for reading off exact figures. It sorts,
 * filters by text, and hides columns.
 */
import { Button, Checkbox, Popover, TextInput } from '@mantine/core';
import { FlexRender, useTable } from '@tanstack/react-table';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { paintOfRow } from '../../common/paintCodes.ts';
import { usePaints } from '../../common/usePaints.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { select, useApp } from '../../store/store.ts';
import classes from './RowsTable.module.css';
import { isNumberColumn, rowColumns, rowFeatures } from './rowColumns.ts';

const pageRows = 300;
/** Of more rows only the first are told: each that can be sorted takes memory. */
const mostRows = 200_000;

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

export function RowsTable({ run, view }: Props) {
  const selection = useApp((state) => state.selection);
  const selected = selection?.kind === 'row' && selection.run === run.id ? selection.row : null;
  const table = useRowsTable(run, view);
  const { rows } = table.getRowModel();
  const [shown, setShown] = useState(pageRows);
  const place = selected === null ? -1 : rows.findIndex(({ original }) => original.row === selected);
  const count = Math.min(Math.max(shown, place + 1), rows.length);
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    if (selected === null) return;
    body.current?.querySelector(`[data-row="${selected}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const row = (event.target as HTMLElement).closest('tr')?.dataset['row'];
    const from = rows.findIndex(({ original }) => String(original.row) === row);
    const next = step === undefined || from < 0 ? undefined : rows.slice(0, count)[from + step]?.original.row;
    if (step === undefined || from < 0) return;
    event.preventDefault();
    if (next === undefined) return;
    select({ kind: 'row', run: run.id, row: next });
    body.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
  };
  return (
    <div className={classes['frame']}>
      <TableTools table={table} rows={rows.length} of={view.rows.to - view.rows.from} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={classes['scroll']} aria-label="Activities" tabIndex={0}>
        <table className={`${classes['table']} tabular`} aria-rowcount={rows.length}>
          <thead>
            <tr>
              {table.getHeaderGroups()[0]?.headers.map(({ column, id }) => (
                <th
                  key={id}
                  scope="col"
                  data-number={isNumberColumn(id) || undefined}
                  aria-sort={sortWords[String(column.getIsSorted()) as keyof typeof sortWords]}
                >
                  <button type="button" onClick={() => column.toggleSorting()}>
                    {String(column.columnDef.header)}
                    <span aria-hidden>{sortMarks[String(column.getIsSorted()) as keyof typeof sortMarks]}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody ref={body} onKeyDown={onKeyDown}>
            {rows.slice(0, count).map((row, at) => (
              <Row
                key={row.id}
                run={run}
                row={row}
                selected={selected === row.original.row}
                focusable={at === Math.max(place, 0)}
              />
            ))}
          </tbody>
        </table>
        {rows.length === 0 ? <p className={classes['none']}>No activity has this text.</p> : null}
        {count < rows.length ? (
          <Button variant="default" m="sm" onClick={() => setShown(count + pageRows)}>
            Show {Math.min(pageRows, rows.length - count)} more of {rows.length - count}
          </Button>
        ) : null}
      </section>
    </div>
  );
}

const sortWords = { asc: 'ascending', desc: 'descending', false: 'none' } as const;
const sortMarks = { asc: ' ▲', desc: ' ▼', false: '' } as const;

function useRowsTable(run: LoadedRun, view: IterationView) {
  const { from, to } = view.rows;
  const data = useMemo(
    () => Array.from({ length: Math.min(to - from, mostRows) }, (_, index) => ({ row: from + index })),
    [from, to],
  );
  const columns = useMemo(() => rowColumns(run.run), [run]);
  return useTable({
    features: rowFeatures,
    data,
    columns,
    getRowId: ({ row }) => String(row),
    globalFilterFn: 'includesString',
  });
}

type RowsModel = ReturnType<typeof useRowsTable>;

interface ToolsProps {
  readonly table: RowsModel;
  /** Those that are left, of all of the iteration. */
  readonly rows: number;
  readonly of: number;
}

function TableTools({ table, rows, of }: ToolsProps) {
  return (
    <div className={classes['tools']}>
      <TextInput
        size="xs"
        aria-label="Filter the table by text"
        placeholder="Filter by text"
        onChange={({ currentTarget }) => table.setGlobalFilter(currentTarget.value)}
      />
      <span role="status" className="tabular">
        {rows === of ? `${of} activities` : `${rows} of ${of} activities`}
        {of > mostRows ? `; the table holds the first ${mostRows}` : ''}
      </span>
      <Popover position="bottom-end" trapFocus>
        <Popover.Target>
          <Button size="compact-xs" variant="default">
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
              disabled={column.id === 'activity'}
              onChange={({ currentTarget }) => column.toggleVisibility(currentTarget.checked)}
            />
          ))}
        </Popover.Dropdown>
      </Popover>
    </div>
  );
}

interface RowProps {
  readonly run: LoadedRun;
  readonly row: ReturnType<RowsModel['getRowModel']>['rows'][number];
  readonly selected: boolean;
  readonly focusable: boolean;
}

function Row({ run, row, selected, focusable }: RowProps) {
  const paints = usePaints();
  const number = row.original.row;
  const choose = (): void => select({ kind: 'row', run: run.id, row: number });
  return (
    <tr
      data-row={number}
      data-selected={selected || undefined}
      aria-selected={selected}
      tabIndex={focusable ? 0 : -1}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        choose();
      }}
    >
      {row.getVisibleCells().map((cell) => (
        <td
          key={cell.id}
          data-number={isNumberColumn(cell.column.id) || undefined}
          {...(cell.column.id === 'activity' ? { title: String(cell.getValue()) } : {})}
        >
          {cell.column.id === 'activity' ? (
            <span
              className={classes['swatch']}
              style={{ background: paints(paintOfRow(run.run.trace, number)).fill }}
            />
          ) : null}
          <FlexRender cell={cell} />
        </td>
      ))}
    </tr>
  );
}
