/** The same rows as the lanes, as a table: for screen readers, for the keyboard, and for reading off exact figures. */
import { Button } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { readRow } from '../../core/trace/rows.ts';
import { formatBytes, formatDuration, formatRate } from '../../core/units.ts';
import type { IterationView, LoadedRun } from '../app/loadedRun.ts';
import { select, useApp } from '../app/store/store.ts';
import { usePaints } from '../common/usePaints.ts';
import { rowKindWords, rowRate, rowTitle } from './describeRow.ts';
import { operationLabels } from './operationLabels.ts';
import { paintOfRow } from './paintCodes.ts';
import classes from './RowsTable.module.css';

const pageRows = 300;

export function RowsTable({ run, view }: { readonly run: LoadedRun; readonly view: IterationView }) {
  const selection = useApp((state) => state.selection);
  const selected = selection?.kind === 'row' && selection.run === run.id ? selection.row : null;
  const { from, to } = view.rows;
  const [shown, setShown] = useState(pageRows);
  const needed = selected === null ? 0 : selected - from + 1;
  const count = Math.min(Math.max(shown, needed), to - from);
  const body = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    if (selected === null) return;
    body.current?.querySelector(`[data-row="${selected}"]`)?.scrollIntoView({ block: 'nearest' });
  }, [selected]);
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const [row] = [Number((event.target as HTMLElement).closest('tr')?.dataset['row'])];
    if (step === undefined || !Number.isInteger(row)) return;
    event.preventDefault();
    const next = Math.min(Math.max(row + step, from), from + count - 1);
    select({ kind: 'row', run: run.id, row: next });
    body.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
  };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['scroll']} aria-label="Activities" tabIndex={0}>
      <table className={`${classes['table']} tabular`} aria-rowcount={to - from}>
        <thead>
          <tr>
            <th scope="col">Activity</th>
            <th scope="col">Kind</th>
            <th scope="col">Lane</th>
            <th scope="col">Engine</th>
            <th scope="col" data-number>
              Start
            </th>
            <th scope="col" data-number>
              Duration
            </th>
            <th scope="col" data-number>
              Bytes
            </th>
            <th scope="col" data-number>
              Rate
            </th>
          </tr>
        </thead>
        <tbody ref={body} onKeyDown={onKeyDown}>
          {Array.from({ length: count }, (_, index) => from + index).map((row) => (
            <Row key={row} run={run} row={row} selected={selected === row} focusable={row === (selected ?? from)} />
          ))}
        </tbody>
      </table>
      {count < to - from ? (
        <Button variant="default" m="sm" onClick={() => setShown(count + pageRows)}>
          Show {Math.min(pageRows, to - from - count)} more of {to - from - count}
        </Button>
      ) : null}
    </section>
  );
}

interface RowProps {
  readonly run: LoadedRun;
  readonly row: number;
  readonly selected: boolean;
  readonly focusable: boolean;
}

function Row({ run, row, selected, focusable }: RowProps) {
  const paints = usePaints();
  const { trace, info } = run.run;
  const read = readRow(trace, row);
  const speed = rowRate(read);
  const choose = (): void => select({ kind: 'row', run: run.id, row });
  return (
    <tr
      data-row={row}
      data-selected={selected || undefined}
      aria-selected={selected}
      tabIndex={focusable ? 0 : -1}
      onClick={choose}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        choose();
      }}
    >
      <td>
        <span className={classes['swatch']} style={{ background: paints(paintOfRow(trace, row)).fill }} />
        {rowTitle(trace, row, operationLabels(info.experiment))}
      </td>
      <td>{rowKindWords[read.kind]}</td>
      <td>{read.lane.name}</td>
      <td>{read.engine?.name}</td>
      <td data-number>{formatDuration(read.startNs)}</td>
      <td data-number>{read.durationNs > 0 ? formatDuration(read.durationNs) : ''}</td>
      <td data-number>{read.bytes > 0 ? formatBytes(read.bytes) : ''}</td>
      <td data-number>{speed === null ? '' : formatRate(speed)}</td>
    </tr>
  );
}
