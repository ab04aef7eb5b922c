/** The columns of the table of activities: sort keys, filter texts, and formats. */
import { readRow } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { formatBytes, formatDuration, formatRate } from '../../../core/units.ts';
import { type Paint, type PaintName, paintOfRow } from '../../common/palette.ts';
import type { DataColumn } from '../../common/table/columns.ts';
import { operationLabels, rowKindWords, rowRate, rowTitle } from './describeRow.ts';
import classes from './RowsTable.module.css';

/** The colour of an activity in the lanes. */
export const Swatch = ({ colour }: { readonly colour: string }) => (
  <span className={classes['swatch']} style={{ background: colour }} aria-hidden />
);

export interface TableRow {
  readonly row: RowIndex;
}

export function rowColumns({ trace, info }: Run, paints: (name: PaintName) => Paint): readonly DataColumn<TableRow>[] {
  const labels = operationLabels(info.experiment);
  const title = ({ row }: TableRow): string => rowTitle(trace, row, labels);
  const number = (
    id: string,
    heading: string,
    of: (row: RowIndex) => number,
    written: (value: number) => string,
  ): DataColumn<TableRow> => ({
    id,
    title: heading,
    isNumber: true,
    value: ({ row }) => of(row),
    cell: ({ row }) => written(of(row)),
  });
  const orNone = (format: (value: number) => string) => (value: number) => (value > 0 ? format(value) : '');
  return [
    {
      id: 'activity',
      title: 'Activity',
      value: title,
      tip: (item) => trace.names[trace.columns.name[item.row] ?? -1] ?? title(item),
      cell: (item) => (
        <>
          <Swatch colour={paints(paintOfRow(trace, item.row)).fill} />
          {title(item)}
        </>
      ),
    },
    { id: 'kind', title: 'Kind', value: ({ row }) => rowKindWords[readRow(trace, row).kind] },
    { id: 'lane', title: 'Lane', value: ({ row }) => readRow(trace, row).lane.name },
    { id: 'engine', title: 'Engine', value: ({ row }) => readRow(trace, row).engine?.name ?? '' },
    number('start', 'Start', (row) => trace.columns.startNs[row] ?? 0, formatDuration),
    number('duration', 'Duration', (row) => trace.columns.durationNs[row] ?? 0, orNone(formatDuration)),
    number('bytes', 'Bytes', (row) => trace.columns.bytes[row] ?? 0, orNone(formatBytes)),
    number('rate', 'Rate', (row) => rowRate(readRow(trace, row)) ?? 0, orNone(formatRate)),
  ];
}
