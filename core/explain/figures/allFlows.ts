/** All flows of an iteration at once; flows.ts explains what a flow is. */
import type { Experiment } from '../../experiment/experiment.ts';
import { joinCalls } from '../../trace/correlation.ts';
import type { RowRange } from '../../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';
import { type Flow, releases } from './flows.ts';

const [recordCode, waitCode] = [rowKinds.indexOf('event-record'), rowKinds.indexOf('event-wait')];

/** Yields flows in order of their target rows. Waits of an imported trace name the record that releases them. */
export function* allFlows(trace: Trace, range: RowRange, experiment: Experiment | null): Generator<Flow> {
  const { callOf } = joinCalls(trace, range);
  for (let to = range.from; to < range.to; to += 1) {
    const from = callOf(to);
    if (from !== null) yield { kind: 'issues', from, to };
  }
  yield* experiment === null ? namedReleases(trace, range) : releases(trace, range, experiment);
}

function* namedReleases({ columns }: Trace, { from, to }: RowRange): Generator<Flow> {
  const records = new Map<number, RowIndex>();
  for (let row = from; row < to; row += 1) {
    if (columns.kind[row] === recordCode) records.set(columns.name[row] as number, row);
  }
  if (records.size === 0) return;
  for (let row = from; row < to; row += 1) {
    if (columns.kind[row] !== waitCode) continue;
    const record = records.get(columns.name[row] as number);
    if (record !== undefined) yield { kind: 'releases', from: record, to: row };
  }
}
