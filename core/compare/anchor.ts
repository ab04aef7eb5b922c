/** The moment of a run that several runs are laid over one another by. */

import { iterationRows } from '../trace/rows.ts';
import { laneKindOf } from '../trace/rules.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';

/** issue: when the host began to call for it. start, end: of what it did. All of the first time that it ran. */
export const anchorEdges = ['issue', 'start', 'end'] as const;
export type AnchorEdge = (typeof anchorEdges)[number];

/** What an operation did tells more than how the host waited for it, and that more than its call. */
const ranks = Uint8Array.from(rowKinds, (kind) => (laneKindOf(kind) === 'stream' ? 2 : kind === 'host-call' ? 0 : 1));

/** How much a row of this kind tells of its operation: 2 what it did on a device, 1 on the host, 0 a call. */
export const rankOf = (kind: number): number => ranks[kind] as number;

/** Nanoseconds from the iteration's start; null where the operation isn't in it. */
export function anchorNs(trace: Trace, iteration: number, op: number, edge: AnchorEdge): number | null {
  const { op: ops, kind, startNs, durationNs } = trace.columns;
  const { from, to } = iterationRows(trace, iteration);
  let best: RowIndex | null = null;
  for (let row = from; row < to; row += 1) {
    if (ops[row] !== op) continue;
    // Rows come in order of start: the first one is where the host began.
    if (edge === 'issue') return startNs[row] as number;
    if (best === null || rankOf(kind[row] as number) > rankOf(kind[best] as number)) best = row;
    if (rankOf(kind[best] as number) === 2) break;
  }
  if (best === null) return null;
  return (startNs[best] as number) + (edge === 'end' ? (durationNs[best] as number) : 0);
}
