/** The columns of the table of activities, what each is sorted and filtered by, and how it is written. */
import {
  columnFilteringFeature,
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
import { readRow } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { formatBytes, formatDuration, formatRate } from '../../../core/units.ts';
import { rowKindWords, rowRate, rowTitle } from './describeRow.ts';
import { operationLabels } from './operationLabels.ts';

export const rowFeatures = tableFeatures({
  rowSortingFeature,
  columnFilteringFeature,
  globalFilteringFeature,
  columnVisibilityFeature,
  sortedRowModel: createSortedRowModel(),
  filteredRowModel: createFilteredRowModel(),
  sortFns: { basic: sortFn_basic },
  filterFns: { includesString: filterFn_includesString },
});

export interface TableRow {
  readonly row: RowIndex;
}

const helper = createColumnHelper<typeof rowFeatures, TableRow>();

/** Numbers stand at the right, and the greatest comes first when they are sorted. */
export const isNumberColumn = (id: string): boolean => ['start', 'duration', 'bytes', 'rate'].includes(id);

/** Texts are what is filtered by; numbers sort by what they are. */
export function rowColumns({ trace, info }: Run) {
  const labels = operationLabels(info.experiment);
  const text = (id: string, header: string, of: (row: RowIndex) => string) =>
    helper.accessor(({ row }) => of(row), { id, header, sortFn: 'basic', sortDescFirst: false });
  const number = (id: string, header: string, of: (row: RowIndex) => number, written: (value: number) => string) =>
    helper.accessor(({ row }) => of(row), {
      id,
      header,
      sortFn: 'basic',
      sortDescFirst: true,
      enableGlobalFilter: false,
      cell: ({ getValue }) => written(getValue()),
    });
  const orNone = (format: (value: number) => string) => (value: number) => (value > 0 ? format(value) : '');
  return helper.columns([
    text('activity', 'Activity', (row) => rowTitle(trace, row, labels)),
    text('kind', 'Kind', (row) => rowKindWords[readRow(trace, row).kind]),
    text('lane', 'Lane', (row) => readRow(trace, row).lane.name),
    text('engine', 'Engine', (row) => readRow(trace, row).engine?.name ?? ''),
    number('start', 'Start', (row) => trace.columns.startNs[row] ?? 0, formatDuration),
    number('duration', 'Duration', (row) => trace.columns.durationNs[row] ?? 0, orNone(formatDuration)),
    number('bytes', 'Bytes', (row) => trace.columns.bytes[row] ?? 0, orNone(formatBytes)),
    number('rate', 'Rate', (row) => rowRate(readRow(trace, row)) ?? 0, orNone(formatRate)),
  ]);
}
