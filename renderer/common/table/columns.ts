/** The columns of a table, as whoever shows one describes them, and as the table library takes them. */
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
  /** What its figures mean, on its heading. */
  readonly meaning?: string;
  /** Sorts by it; texts are what the filter looks in. A null stands last. */
  readonly value: (item: Item) => string | number | null;
  /** What is shown, where that is not the value. */
  readonly cell?: (item: Item) => ReactNode;
  /** All of what a cell may have to cut. */
  readonly tip?: (item: Item) => string | undefined;
  /** Numbers stand at the right, and the greatest comes first when they are sorted. */
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
