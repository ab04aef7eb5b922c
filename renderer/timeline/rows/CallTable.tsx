/** Copies and waits by the program line that issued them. Choosing one marks them in the lanes. */
import { IconCode } from '@tabler/icons-react';
import { useMemo } from 'react';
import { type CalledFrom, type CallTable as CallTableData, calledFrom } from '../../../core/lift/calledFrom.ts';
import { formatBytes, formatDuration, formatShare } from '../../../core/units.ts';
import { EmptyState } from '../../common/Page.tsx';
import type { DataColumn } from '../../common/table/columns.ts';
import { DataTable } from '../../common/table/DataTable.tsx';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { assign, select } from '../../store/store.ts';

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

const noLine = 'no stack recorded';

/** Returns the file's name with its folder, since whole paths are wider than the column. */
const shortLine = (line: string): string => line.replace(/^.*\/(?=[^/]+\/[^/]+$)/, '…/');

const lineOf = ({ line }: CalledFrom): string => line ?? noLine;

const columns: readonly DataColumn<CalledFrom>[] = [
  { id: 'line', title: 'Line', isHead: true, value: lineOf, cell: (one) => shortLine(lineOf(one)) },
  { id: 'what', title: 'What', value: ({ what }) => what },
  { id: 'count', title: 'Count', isNumber: true, value: ({ rows }) => rows.length },
  {
    id: 'bytes',
    title: 'Bytes',
    isNumber: true,
    value: ({ bytes }) => bytes,
    cell: ({ bytes }) => (bytes > 0 ? formatBytes(bytes) : ''),
  },
  {
    id: 'time',
    title: 'Time',
    isNumber: true,
    value: ({ timeNs }) => timeNs,
    cell: ({ timeNs }) => formatDuration(timeNs),
  },
  {
    id: 'share',
    title: 'Share of the step',
    meaning: 'Part of the steps’ time in which one of them ran. Several lines may run at once',
    isNumber: true,
    value: ({ stepShare }) => stepShare,
    cell: ({ stepShare }) => formatShare(stepShare),
  },
];

/** Returns text such as '12 H2D copies from train.py:44 in step'. */
function titleOf({ what, line, rows }: CalledFrom): string {
  const noun = rows.length === 1 ? what : what.replace(/copy$/, 'copies').replace(/wait$/, 'waits');
  return `${rows.length} ${noun}${line === null ? '' : ` from ${line}`}`;
}

function choose(run: LoadedRun, line: CalledFrom): void {
  select({ kind: 'rows', run: run.id, rows: line.rows, title: titleOf(line) });
  assign({ timelineAs: 'lanes' });
}

const keyOf = ({ line, what }: CalledFrom): string => `${what} ${line}`;
const rowProps = (one: CalledFrom) => ({ title: `${lineOf(one)}\nA click marks them in the lanes.` });

function Lines({ run, found }: { readonly run: LoadedRun; readonly found: CallTableData }) {
  return (
    <DataTable
      label="Called from"
      noun="lines"
      empty="Nothing was copied or waited for."
      items={found.lines}
      columns={columns}
      keyOf={keyOf}
      onChoose={(line) => choose(run, line)}
      rowProps={rowProps}
      tools={<span>Step: {found.steps}.</span>}
      fills
    />
  );
}
