/** The table library's own types, for one kind of row. */
import { type ReactTable, useTable } from '@tanstack/react-table';
import type { features } from './columns.ts';

export type TableModel<Item extends object> = ReactTable<typeof features, Item>;
export { useTable };

export type Widths = Readonly<Record<string, number>>;

/** Returns the width of a resized column; other columns size themselves. */
export function widthOf(widths: Widths, column: string) {
  const width = widths[column];
  return width === undefined ? undefined : { width, minWidth: width, maxWidth: width };
}
