/** A chart for those who read it: the same points, values and spreads in a table, each with a way to open it. */
import { useMemo } from 'react';
import classes from './Chart.module.css';
import { type ChartSpec, fullTitle } from './spec.ts';
import { chartTable, type TableRow } from './table.ts';

interface Props {
  readonly spec: ChartSpec;
  readonly onOpen?: ((id: string) => void) | undefined;
}

export function ChartTable({ spec, onOpen }: Props) {
  const { columns, rows } = useMemo(() => chartTable(spec), [spec]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['scroll']} aria-label={`${fullTitle(spec)}: table`} tabIndex={0}>
      <table className={`${classes['table']} tabular`}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line key={row.key} row={row} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 ? <p className={classes['none']}>No figures yet.</p> : null}
    </section>
  );
}

function Line({ row, onOpen }: { readonly row: TableRow; readonly onOpen: Props['onOpen'] }) {
  const { cells, problem, id, name } = row;
  const [first = '', ...others] = cells;
  return (
    <tr data-failed={problem === null ? undefined : true}>
      <th scope="row">
        {id === undefined || onOpen === undefined ? (
          first
        ) : (
          <button type="button" className={classes['open']} aria-label={`Open ${name}`} onClick={() => onOpen(id)}>
            {first}
          </button>
        )}
      </th>
      {others.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its column.
        <td key={index}>
          {problem !== null && cell === 'failed' ? <span className={classes['failed']}>failed: {problem}</span> : cell}
        </td>
      ))}
    </tr>
  );
}
