/** A chart as a table: the same points, values and spreads, each with a button that opens it. */

import { useMemo } from 'react';
import { LinkButton } from '../common/buttons.tsx';
import type { DataColumn } from '../common/table/columns.ts';
import { DataTable } from '../common/table/DataTable.tsx';
import classes from './Chart.module.css';
import { type ChartSpec, fullTitle } from './spec.ts';
import { chartTable, type TableRow } from './table.ts';

interface Props {
  readonly spec: ChartSpec;
  readonly onOpen?: ((id: string) => void) | undefined;
}

export function ChartTable({ spec, onOpen }: Props) {
  const { columns: titles, rows } = useMemo(() => chartTable(spec), [spec]);
  const opens = rows.some(({ id }) => id !== undefined) ? onOpen : undefined;
  const columns = useMemo(() => columnsOf(titles, opens), [titles, opens]);
  return (
    <div className={classes['scroll']}>
      <DataTable
        label={`${fullTitle(spec)}: table`}
        noun="points"
        empty="No figures yet."
        items={rows}
        columns={columns}
        keyOf={keyOf}
        rowProps={rowProps}
        {...(opens === undefined ? {} : { onChoose: ({ id }: TableRow) => id !== undefined && opens(id) })}
        fills
      />
    </div>
  );
}

const keyOf = ({ key }: TableRow): string => key;
const rowProps = ({ problem }: TableRow) => ({ 'data-failed': problem === null ? undefined : true });

function columnsOf(titles: readonly string[], onOpen: Props['onOpen']): readonly DataColumn<TableRow>[] {
  const figures = titles.map(
    (title, at): DataColumn<TableRow> => ({
      id: `${at}`,
      title,
      isHead: at === 0,
      value: ({ sortBy }) => sortBy[at] ?? null,
      cell: ({ cells, problem }) =>
        problem !== null && cells[at] === 'failed' ? (
          <span className={classes['failed']}>failed: {problem}</span>
        ) : (
          cells[at]
        ),
    }),
  );
  if (onOpen === undefined) return figures;
  return [
    ...figures,
    {
      id: 'run',
      title: 'Run',
      value: ({ id }) => (id === undefined ? null : 'Open'),
      cell: ({ id, name }) =>
        id === undefined ? null : (
          <LinkButton label={`Open ${name}`} onClick={() => onOpen(id)}>
            Open
          </LinkButton>
        ),
    },
  ];
}
