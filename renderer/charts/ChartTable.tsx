/** A chart for those who read it: the same points, values and spreads in a table, each with a way to open it. */

import { useMemo } from 'react';
import { LinkButton } from '../common/LinkButton.tsx';
import classes from './Chart.module.css';
import { type ChartSpec, fullTitle } from './spec.ts';
import { chartTable, type TableRow } from './table.ts';

interface Props {
  readonly spec: ChartSpec;
  readonly onOpen?: ((id: string) => void) | undefined;
}

export function ChartTable({ spec, onOpen }: Props) {
  const { columns, rows } = useMemo(() => chartTable(spec), [spec]);
  const opens = onOpen !== undefined && rows.some(({ id }) => id !== undefined);
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
            {opens ? <th scope="col">Run</th> : null}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Line key={row.key} row={row} onOpen={opens ? onOpen : undefined} />
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
      <th scope="row">{first}</th>
      {others.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a cell is known by its column.
        <td key={index}>
          {problem !== null && cell === 'failed' ? <span className={classes['failed']}>failed: {problem}</span> : cell}
        </td>
      ))}
      {onOpen === undefined ? null : (
        <td>
          {id === undefined ? null : (
            <LinkButton label={`Open ${name}`} onClick={() => onOpen(id)}>
              Open
            </LinkButton>
          )}
        </td>
      )}
    </tr>
  );
}
