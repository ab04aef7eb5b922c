/** Headings: a click sorts, and dragging the right edge resizes, as does Shift with an arrow key. */
import type { KeyboardEvent, PointerEvent } from 'react';
import type { DataColumn } from './columns.ts';
import classes from './DataTable.module.css';
import { type TableModel, widthOf } from './model.ts';

const sortWords = { asc: 'ascending', desc: 'descending', false: 'none' } as const;
const sortMarks = { asc: ' ▲', desc: ' ▼', false: '' } as const;
const leastWidth = 40;
const keyStep = 16;

interface Props<Item extends object> {
  readonly table: TableModel<Item>;
  readonly columns: ReadonlyMap<string, DataColumn<Item>>;
}

export function Head<Item extends object>({ table, columns }: Props<Item>) {
  return (
    <thead>
      <tr>
        {table.getHeaderGroups()[0]?.headers.map((header) => {
          const { column } = header;
          const sorted = String(column.getIsSorted()) as keyof typeof sortWords;
          const { title = '', meaning, isNumber } = columns.get(column.id) ?? {};
          return (
            <th
              key={header.id}
              scope="col"
              data-number={isNumber || undefined}
              aria-sort={sortWords[sorted]}
              style={widthOf(table.state.columnSizing, column.id)}
            >
              <button
                type="button"
                title={meaning}
                onClick={() => column.toggleSorting()}
                onKeyDown={(event) => onResizeKey(event, table, column.id)}
              >
                {title}
                <span aria-hidden>{sortMarks[sorted]}</span>
              </button>
              <span
                className={classes['grip']}
                aria-hidden
                data-resizing={column.getIsResizing() || undefined}
                onPointerDown={(event) => startAt(event, table, column.id)}
                onMouseDown={header.getResizeHandler()}
                onTouchStart={header.getResizeHandler()}
                onDoubleClick={() => column.resetSize()}
              />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

const widthOnScreen = (element: HTMLElement): number => element.closest('th')?.getBoundingClientRect().width ?? 0;

/** The library resizes from its own width, which it lacks for a column that was never resized. */
function startAt<Item extends object>(event: PointerEvent<HTMLElement>, table: TableModel<Item>, id: string): void {
  const width = Math.round(widthOnScreen(event.currentTarget));
  table.setColumnSizing((sizes) => ({ ...sizes, [id]: width }));
}

function onResizeKey<Item extends object>(
  event: KeyboardEvent<HTMLElement>,
  table: TableModel<Item>,
  id: string,
): void {
  const step = { ArrowLeft: -keyStep, ArrowRight: keyStep }[event.key];
  if (step === undefined || !event.shiftKey) return;
  event.preventDefault();
  const width = Math.max(leastWidth, Math.round(widthOnScreen(event.currentTarget)) + step);
  table.setColumnSizing((sizes) => ({ ...sizes, [id]: width }));
}
