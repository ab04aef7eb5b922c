/** The flows of a run by their ends, in columns: a run may have as many as it has rows. */
import { allFlows } from '../explain/figures/flows.ts';
import type { Run } from '../trace/run.ts';
import type { RowIndex } from '../trace/trace.ts';
import type { PlacedIteration } from './times.ts';

/** Flow f leads from row from[f] to row to[f]. */
export interface FlowTable {
  readonly count: number;
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** First flow that leaves or reaches each row, and next flow of the same row; -1 if there is none. */
  readonly firstOut: Int32Array;
  readonly nextOut: Int32Array;
  readonly firstIn: Int32Array;
  readonly nextIn: Int32Array;
}

export function flowTable({ trace, info }: Run, iterations: readonly PlacedIteration[]): FlowTable {
  const [from, to]: [RowIndex[], RowIndex[]] = [[], []];
  for (const { rows } of iterations) {
    for (const flow of allFlows(trace, rows, info.experiment)) {
      from.push(flow.from);
      to.push(flow.to);
    }
  }
  const [firstOut, nextOut] = chains(from, trace.count);
  const [firstIn, nextIn] = chains(to, trace.count);
  return {
    count: from.length,
    from: Int32Array.from(from),
    to: Int32Array.from(to),
    firstOut,
    nextOut,
    firstIn,
    nextIn,
  };
}

/** Returns the first flow of each row, and the next flow of the same row for each flow. */
function chains(ends: readonly RowIndex[], rows: number): [first: Int32Array, next: Int32Array] {
  const first = new Int32Array(rows).fill(-1);
  const next = new Int32Array(ends.length).fill(-1);
  for (let flow = ends.length - 1; flow >= 0; flow -= 1) {
    const row = ends[flow] as number;
    next[flow] = first[row] as number;
    first[row] = flow;
  }
  return [first, next];
}
