/** The columns of a table as views describe them, and as the table library takes them. */
import {
  columnFilteringFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  createColumnHelper,
  createFilteredRowModel,
  createSortedRowModel,
  filterFn_includesString,
  globalFilteringFeature,
  rowSortingFeature,
  sortFn_basic,
  tableFeatures,
} from '@tanstack/react-table';
import type { ReactNode } from 'react';

export interface DataColumn<Item> {
  readonly id: string;
  readonly title: string;
  /** Meaning of the column's figures, shown on the heading. */
  readonly meaning?: string;
  /** Returns the sort key; the filter searches texts. Null sorts last. */
  readonly value: (item: Item) => string | number | null;
  /** Returns the shown content, if that is not the value. */
  readonly cell?: (item: Item) => ReactNode;
  /** Returns the full text of a cell that may be cut off. */
  readonly tip?: (item: Item) => string | undefined;
  /** Numbers are right-aligned, and sort with the largest first. */
  readonly isNumber?: boolean;
  /** Names its row, and can't be hidden. */
  readonly isHead?: boolean;
}

export const features = tableFeatures({
  rowSortingFeature,
  columnFilteringFeature,
  globalFilteringFeature,
  columnVisibilityFeature,
  columnSizingFeature,
  columnResizingFeature,
  sortedRowModel: createSortedRowModel(),
  filteredRowModel: createFilteredRowModel(),
  sortFns: { basic: sortFn_basic },
  filterFns: { includesString: filterFn_includesString },
});

export function libraryColumns<Item extends object>(columns: readonly DataColumn<Item>[]) {
  const helper = createColumnHelper<typeof features, Item>();
  return helper.columns(
    columns.map(({ id, title, value, isNumber = false, isHead = false }) =>
      helper.accessor((item) => value(item) ?? undefined, {
        id,
        header: title,
        sortFn: 'basic',
        sortUndefined: 'last',
        sortDescFirst: isNumber,
        enableGlobalFilter: !isNumber,
        enableHiding: !isHead,
      }),
    ),
  );
}
