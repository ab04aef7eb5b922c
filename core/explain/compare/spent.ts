/**
 * Assigns each moment of the makespan to one row: to a kernel if one runs, else to a copy or memset, else to a call,
 * work or wait of a host thread; among several of a kind, to the one that began first. An operation's share is what the
 * makespan would lose without it, so an overlapped copy has none.
 */
import { coveredLength, union } from '../../trace/intervals.ts';
import { type RowRange, rowEndNs } from '../../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';

/** Kinds of rows by priority. */
const order = [
  ['kernel'],
  ['copy', 'memset'],
  ['host-call', 'host-sync', 'host-work', 'host-read', 'host-write'],
] as const;
const none = order.length;
const places = Uint8Array.from(rowKinds, (kind) => {
  const at = order.findIndex((kinds) => (kinds as readonly string[]).includes(kind));
  return at < 0 ? none : at;
});

/** Returns the nanoseconds of each row in the range, from its first. */
export function spentNs(trace: Trace, { from, to }: RowRange): Float64Array {
  const spent = new Float64Array(Math.max(0, to - from));
  let taken = new Float64Array(0);
  for (let place = 0; place < none; place += 1) {
    const rows = rowsAt(trace, { from, to }, place);
    const own = apart(trace, rows);
    for (const { row, startNs, endNs } of own) {
      spent[row - from] = endNs - startNs - coveredLength(taken, startNs, endNs);
    }
    taken = Float64Array.from(
      union(
        [...evens(taken), ...own.map(({ startNs }) => startNs)],
        [...odds(taken), ...own.map(({ endNs }) => endNs)],
      ),
    );
  }
  return spent;
}

function rowsAt({ columns }: Trace, { from, to }: RowRange, place: number): RowIndex[] {
  const rows: RowIndex[] = [];
  for (let row = from; row < to; row += 1) if (places[columns.kind[row] as number] === place) rows.push(row);
  return rows;
}

interface Stretch {
  readonly row: RowIndex;
  readonly startNs: number;
  readonly endNs: number;
}

/** Returns the part of each row that no earlier one covers. Rows come in order of start. */
function apart(trace: Trace, rows: readonly RowIndex[]): Stretch[] {
  let reached = Number.NEGATIVE_INFINITY;
  return rows.flatMap((row) => {
    const [startNs, endNs] = [Math.max(trace.columns.startNs[row] as number, reached), rowEndNs(trace, row)];
    reached = Math.max(reached, endNs);
    return endNs > startNs ? [{ row, startNs, endNs }] : [];
  });
}

const evens = (flat: Float64Array): Float64Array => flat.filter((_, at) => at % 2 === 0);
const odds = (flat: Float64Array): Float64Array => flat.filter((_, at) => at % 2 === 1);
