/** Activities by name: number, duration and bytes moved. Choosing a name marks its instances in the lanes. */
import { useMemo } from 'react';
import { shortKernelName } from '../../../core/explain/figures/kernelName.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../../core/units.ts';
import { usePaints } from '../../common/hooks.ts';
import type { Paint, PaintName } from '../../common/palette.ts';
import type { DataColumn } from '../../common/table/columns.ts';
import { DataTable } from '../../common/table/DataTable.tsx';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { assign, state } from '../../store/store.ts';
import type { AreaRow } from './areaTable.ts';
import { Swatch } from './rowColumns.tsx';
import { exactly } from './search.ts';

/** Marks all activities with the name in the lanes, and scrolls to one. */
function showInstances(run: LoadedRun, name: string, row: RowIndex): void {
  const times = (state().revealed?.times ?? 0) + 1;
  assign({ timelineAs: 'lanes', search: exactly(name), revealed: { run: run.id, row, times } });
}

interface Props {
  readonly run: LoadedRun;
  readonly rows: readonly AreaRow[];
  readonly label: string;
  readonly tools?: React.ReactNode;
  readonly fills?: boolean;
}

export function NamesTable({ run, rows, label, tools, fills = false }: Props) {
  const paints = usePaints();
  const columns = useMemo(() => nameColumns(paints), [paints]);
  return (
    <DataTable
      label={label}
      noun="names"
      empty="Nothing ran in this time."
      items={rows}
      columns={columns}
      keyOf={keyOf}
      onChoose={({ name, longest }) => showInstances(run, name, longest)}
      rowProps={rowProps}
      tools={tools}
      fills={fills}
    />
  );
}

const keyOf = ({ paint, name }: AreaRow): string => `${paint}:${name}`;
const rowProps = ({ name }: AreaRow) => ({ title: `${name}\nA click marks each of them in the lanes.` });

function nameColumns(paints: (name: PaintName) => Paint): readonly DataColumn<AreaRow>[] {
  const duration = (
    id: string,
    title: string,
    meaning: string,
    value: (row: AreaRow) => number,
  ): DataColumn<AreaRow> => ({
    ...{ id, title, meaning, value, isNumber: true },
    cell: (row) => formatDuration(value(row)),
  });
  return [
    {
      id: 'name',
      title: 'Name',
      isHead: true,
      value: ({ name }) => name,
      cell: ({ name, paint }) => (
        <>
          <Swatch colour={paints(paint).fill} />
          {paint === 'kernel' ? shortKernelName(name) : name}
        </>
      ),
    },
    { id: 'count', title: 'Count', isNumber: true, value: ({ count }) => count },
    duration('total', 'Total', 'All together; activities that run at once each count', ({ totalNs }) => totalNs),
    duration('self', 'Self', 'Without the activities inside them, in their lane', ({ selfNs }) => selfNs),
    {
      id: 'share',
      title: 'Share',
      meaning: 'Total over the length of the time that is summed up',
      isNumber: true,
      value: ({ share }) => share,
      cell: ({ share }) => formatShare(share),
    },
    duration('least', 'Least', 'The shortest of them', ({ leastNs }) => leastNs),
    duration('median', 'Median', 'The one in the middle', ({ medianNs }) => medianNs),
    duration('greatest', 'Greatest', 'The longest of them', ({ greatestNs }) => greatestNs),
    duration('mean', 'Mean', 'Total over count', ({ meanNs }) => meanNs),
    {
      id: 'moved',
      title: 'Moved',
      isNumber: true,
      value: ({ bytes }) => (bytes > 0 ? bytes : null),
      cell: ({ bytes }) => (bytes > 0 ? formatBytes(Math.round(bytes)) : ''),
    },
    {
      id: 'rate',
      title: 'Rate',
      meaning: 'Bytes moved divided by the total time',
      isNumber: true,
      value: ({ bytesPerSecond }) => bytesPerSecond,
      cell: ({ bytesPerSecond }) => (bytesPerSecond === null ? '' : formatRate(bytesPerSecond)),
    },
    {
      id: 'overlapped',
      title: 'Overlapped',
      meaning: 'Share of its time in which device work of another kind ran',
      isNumber: true,
      value: ({ overlapped }) => overlapped,
      cell: ({ overlapped }) => (overlapped === null ? '' : formatShare(overlapped)),
    },
  ];
}
