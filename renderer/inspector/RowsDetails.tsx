/** Several activities that belong together, such as the copies of one line: their sum, their stack, and links. */
import { readRow } from '../../core/trace/rows.ts';
import { formatBytes, formatDuration } from '../../core/units.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { select, useApp } from '../store/store.ts';
import type { Selection } from '../store/types.ts';
import { operationLabels, rowTitle } from '../timeline/rows/describeRow.ts';
import { Block, Fact, Facts, SelectionHeading } from './Facts.tsx';
import classes from './Inspector.module.css';
import { StackBlock } from './StackBlock.tsx';

interface Props {
  readonly run: LoadedRun;
  readonly selection: Extract<Selection, { kind: 'rows' }>;
}

const mostListed = 50;

export function RowsDetails({ run, selection: { rows, title } }: Props) {
  const iteration = useApp((state) => state.iteration);
  const { trace, info } = run.run;
  const labels = operationLabels(info.experiment);
  const sum = (column: Float64Array): number => rows.reduce((total, row) => total + (column[row] ?? 0), 0);
  const bytes = sum(trace.columns.bytes);
  const longest = rows.reduce((most, row) => Math.max(most, trace.columns.durationNs[row] ?? 0), 0);
  const [first] = rows;
  return (
    <>
      <SelectionHeading kind="Outlined in the lanes">{title}</SelectionHeading>
      <Block title="Together">
        <Facts>
          <Fact name="Count">{rows.length}</Fact>
          {bytes > 0 ? <Fact name="Size">{formatBytes(bytes)}</Fact> : null}
          <Fact name="Time">{formatDuration(sum(trace.columns.durationNs))}</Fact>
          <Fact name="Longest">{formatDuration(longest)}</Fact>
        </Facts>
      </Block>
      {first === undefined ? null : <StackBlock run={run} view={run.view(iteration)} row={first} />}
      <Block title="Each">
        <ul className={classes['partners']}>
          {rows.slice(0, mostListed).map((row) => {
            const { startNs, durationNs, lane } = readRow(trace, row);
            return (
              <li key={row}>
                <button type="button" onClick={() => select({ kind: 'row', run: run.id, row })}>
                  {rowTitle(trace, row, labels)}
                  <small>
                    at {formatDuration(startNs)}, takes {formatDuration(durationNs)}, on {lane.name}
                  </small>
                </button>
              </li>
            );
          })}
        </ul>
        {rows.length > mostListed ? <p>And {rows.length - mostListed} more.</p> : null}
      </Block>
    </>
  );
}
