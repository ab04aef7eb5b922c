/**
 * The rows of the lanes as a table: for screen readers, for the keyboard, and for exact figures. Each alone, or grouped
 * by name.
 */
import { SegmentedControl } from '@mantine/core';
import { useMemo, useState } from 'react';
import { usePaints } from '../../common/hooks.ts';
import { DataTable } from '../../common/table/DataTable.tsx';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { select, useApp } from '../../store/store.ts';
import { areaTable } from './areaTable.ts';
import { NamesTable } from './NamesTable.tsx';
import { rowColumns, type TableRow } from './rowColumns.tsx';

/** Only the first rows are listed if there are more, since each sortable row takes memory. */
const mostRows = 200_000;

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

export function RowsTable({ run, view }: Props) {
  const [by, setBy] = useState<'activity' | 'name'>('activity');
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label="Rows of the table"
      value={by}
      onChange={(value) => setBy(value === 'name' ? 'name' : 'activity')}
      data={[
        { value: 'activity', label: 'Each activity' },
        { value: 'name', label: 'By name' },
      ]}
    />
  );
  return by === 'name' ? <Names run={run} view={view} tools={choice} /> : <Rows run={run} view={view} tools={choice} />;
}

type PartProps = Props & { readonly tools: React.ReactNode };

function Names({ run, view, tools }: PartProps) {
  const rows = useMemo(() => areaTable(view, 0, view.makespanNs), [view]);
  return <NamesTable run={run} rows={rows} label="Activities by name" tools={tools} fills />;
}

function Rows({ run, view, tools }: PartProps) {
  const selection = useApp((state) => state.selection);
  const paints = usePaints();
  const { from, to } = view.rows;
  const items = useMemo(
    () => Array.from({ length: Math.min(to - from, mostRows) }, (_, index): TableRow => ({ row: from + index })),
    [from, to],
  );
  const columns = useMemo(() => rowColumns(run.run, paints), [run, paints]);
  const left = to - from > mostRows ? ` of ${to - from}: the table holds the first` : '';
  return (
    <DataTable
      label="Activities"
      noun={`activities${left}`}
      empty="Nothing was recorded."
      items={items}
      columns={columns}
      keyOf={keyOf}
      chosen={selection?.kind === 'row' && selection.run === run.id ? String(selection.row) : null}
      onChoose={({ row }) => select({ kind: 'row', run: run.id, row })}
      follows
      tools={tools}
      fills
    />
  );
}

const keyOf = ({ row }: TableRow): string => String(row);
