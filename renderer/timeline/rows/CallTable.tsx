/** Copies and waits by the line of the program that issued them. A row marks them in the lanes. */
import { TextInput } from '@mantine/core';
import { IconCode } from '@tabler/icons-react';
import { createColumnHelper, FlexRender, useTable } from '@tanstack/react-table';
import { type KeyboardEvent, useMemo, useState } from 'react';
import { type CalledFrom, type CallTable as CallTableData, calledFrom } from '../../../core/lift/calledFrom.ts';
import { formatBytes, formatDuration, formatShare } from '../../../core/units.ts';
import { EmptyState } from '../../common/EmptyState.tsx';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { assign, select } from '../../store/store.ts';
import classes from './CallTable.module.css';
import { rowFeatures } from './rowColumns.ts';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

export function CallTable({ run, view }: Props) {
  const found = useMemo(
    () => calledFrom({ trace: run.run.trace, number: view.number, begin: view.rows.from, end: view.rows.to }),
    [run, view],
  );
  if (!found.hasStacks) return <NoStacks />;
  return <Lines run={run} found={found} />;
}

function NoStacks() {
  return (
    <EmptyState icon={<IconCode size={22} />} title="This trace has no stacks">
      <p>
        Record the program with <code>copyscope record</code> or from this window, or with{' '}
        <code>torch.profiler.profile(with_stack=True)</code>: then copies and waits stand here by the line that issued
        them.
      </p>
    </EmptyState>
  );
}

const helper = createColumnHelper<typeof rowFeatures, CalledFrom>();
const texts = { sortFn: 'basic', sortDescFirst: false } as const;
const numbers = { sortFn: 'basic', sortDescFirst: true, enableGlobalFilter: false } as const;

const untoldLine = 'no stack taken';

/** The file's name with the folder that it is in: paths are longer than the column. */
const shortLine = (line: string): string => line.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '…/');

const columns = helper.columns([
  helper.accessor(({ line }) => line ?? untoldLine, { id: 'line', header: 'Line', ...texts }),
  helper.accessor('what', { id: 'what', header: 'What', ...texts }),
  helper.accessor(({ rows }) => rows.length, { id: 'count', header: 'Count', ...numbers }),
  helper.accessor('bytes', {
    id: 'bytes',
    header: 'Bytes',
    ...numbers,
    cell: ({ getValue }) => (getValue() > 0 ? formatBytes(getValue()) : ''),
  }),
  helper.accessor('timeNs', {
    id: 'time',
    header: 'Time',
    ...numbers,
    cell: ({ getValue }) => formatDuration(getValue()),
  }),
  helper.accessor('stepShare', {
    id: 'share',
    header: 'Of the step',
    ...numbers,
    cell: ({ getValue }) => formatShare(getValue()),
  }),
]);

const isNumber = (id: string): boolean => ['count', 'bytes', 'time', 'share'].includes(id);
const sortWords = { asc: 'ascending', desc: 'descending', false: 'none' } as const;
const sortMarks = { asc: ' ▲', desc: ' ▼', false: '' } as const;

/** As '12 H2D copies from train.py:44 in step'. */
function titleOf({ what, line, rows }: CalledFrom): string {
  const noun = rows.length === 1 ? what : what.replace(/copy$/, 'copies').replace(/wait$/, 'waits');
  return `${rows.length} ${noun}${line === null ? '' : ` from ${line}`}`;
}

function choose(run: LoadedRun, line: CalledFrom): void {
  select({ kind: 'rows', run: run.id, rows: line.rows, title: titleOf(line) });
  assign({ timelineAs: 'lanes' });
}

function Lines({ run, found }: { readonly run: LoadedRun; readonly found: CallTableData }) {
  const table = useTable({ features: rowFeatures, data: found.lines, columns, globalFilterFn: 'includesString' });
  const { rows } = table.getRowModel();
  const [at, setAt] = useState(0);
  const onKeyDown = (event: KeyboardEvent<HTMLTableSectionElement>): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const next = step === undefined ? undefined : event.currentTarget.rows[Math.min(at, rows.length - 1) + step];
    if (step === undefined) return;
    event.preventDefault();
    if (next === undefined) return;
    setAt(next.sectionRowIndex);
    next.focus();
  };
  return (
    <div className={classes['frame']}>
      <div className={classes['tools']}>
        <TextInput
          size="xs"
          aria-label="Filter the lines by text"
          placeholder="Filter by text"
          onChange={({ currentTarget }) => table.setGlobalFilter(currentTarget.value)}
        />
        <span role="status" className="tabular">
          {rows.length === found.lines.length
            ? `${rows.length} lines`
            : `${rows.length} of ${found.lines.length} lines`}
        </span>
        <span className={classes['hint']}>Step: {found.steps}.</span>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard. */}
      <section className={classes['scroll']} aria-label="Called from" tabIndex={0}>
        <table className={`${classes['table']} tabular`}>
          <thead>
            <tr>
              {table.getHeaderGroups()[0]?.headers.map(({ column, id }) => (
                <th
                  key={id}
                  scope="col"
                  data-number={isNumber(id) || undefined}
                  aria-sort={sortWords[String(column.getIsSorted()) as keyof typeof sortWords]}
                  {...(id === 'share'
                    ? { title: 'Part of the steps’ time in which one of them ran. Several lines may run at once.' }
                    : {})}
                >
                  <button type="button" onClick={() => column.toggleSorting()}>
                    {String(column.columnDef.header)}
                    <span aria-hidden>{sortMarks[String(column.getIsSorted()) as keyof typeof sortMarks]}</span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody onKeyDown={onKeyDown}>
            {rows.map((row, place) => (
              <tr
                key={row.id}
                tabIndex={place === Math.min(at, rows.length - 1) ? 0 : -1}
                title={`${row.original.line ?? untoldLine}\nA click marks them in the lanes.`}
                onFocus={() => setAt(place)}
                onClick={() => choose(run, row.original)}
                onKeyDown={(event) => {
                  if (event.key !== 'Enter' && event.key !== ' ') return;
                  event.preventDefault();
                  choose(run, row.original);
                }}
              >
                {row.getVisibleCells().map((cell) => (
                  <td key={cell.id} data-number={isNumber(cell.column.id) || undefined}>
                    {cell.column.id === 'line' ? shortLine(String(cell.getValue())) : <FlexRender cell={cell} />}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {rows.length === 0 ? <p className={classes['none']}>No line has this text.</p> : null}
      </section>
    </div>
  );
}
