/** A moment of a run at which several runs are aligned. */

import { iterationRows } from '../../trace/rows.ts';
import { laneKindOf } from '../../trace/rules.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';

/** issue: begin of the host's call. start, end: of the work. All for the first time it ran. */
export const anchorEdges = ['issue', 'start', 'end'] as const;
export type AnchorEdge = (typeof anchorEdges)[number];

/** Work shows more about an operation than a host wait, and a wait more than a call. */
const ranks = Uint8Array.from(rowKinds, (kind) => (laneKindOf(kind) === 'stream' ? 2 : kind === 'host-call' ? 0 : 1));

/** Returns how much a row of this kind shows of its operation: 2 for device work, 1 for host work, 0 for a call. */
export const rankOf = (kind: number): number => ranks[kind] as number;

/** Returns nanoseconds from the iteration's start; null if the operation isn't in it. */
export function anchorNs(trace: Trace, iteration: number, op: number, edge: AnchorEdge): number | null {
  const { op: ops, kind, startNs, durationNs } = trace.columns;
  const { from, to } = iterationRows(trace, iteration);
  let best: RowIndex | null = null;
  for (let row = from; row < to; row += 1) {
    if (ops[row] !== op) continue;
    // Rows come in order of start, so the first one is where the host began.
    if (edge === 'issue') return startNs[row] as number;
    if (best === null || rankOf(kind[row] as number) > rankOf(kind[best] as number)) best = row;
    if (rankOf(kind[best] as number) === 2) break;
  }
  if (best === null) return null;
  return (startNs[best] as number) + (edge === 'end' ? (durationNs[best] as number) : 0);
}
