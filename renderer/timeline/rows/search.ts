/** Finds rows by their names, or by what the experiment calls their operations. */
import { lowerBound } from '../../../core/lowerBound.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../../../core/trace/trace.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import type { OperationLabel } from './describeRow.ts';
import { operationLabels } from './operationLabels.ts';

export interface Matches {
  readonly count: number;
  /** In order of start. */
  readonly rows: Uint32Array;
  /** Which of them a row is, from 1; null where it is none. */
  placeOf(row: RowIndex): number | null;
  /** The match after (1) or before (-1) a row; beyond the last one the search begins anew. Null where there is none. */
  next(from: RowIndex | null, step: 1 | -1): RowIndex | null;
}

/** What is searched for where only this very name is meant. */
export const exactly = (name: string): string => `"${name}"`;

/**
 * Rows of which every word of `query` is in the name, the kind or the operation's label, whatever the case; of a query in
 * quotes, rows of exactly that name.
 */
export function findRows(trace: Trace, range: RowRange, query: string, label: OperationLabel): Matches {
  const exact = /^\s*"(.+)"\s*$/s.exec(query)?.[1]?.toLowerCase() ?? null;
  const words = exact === null ? query.toLowerCase().split(/\s+/).filter(Boolean) : [exact];
  const { name, kind, op } = trace.columns;
  const known = new Map<string, boolean>();
  const isMatch = (row: RowIndex): boolean => {
    const key = `${name[row]} ${kind[row]} ${op[row]}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const own = label(op[row] ?? -1) ?? '';
    const title = trace.names[name[row] ?? -1] ?? '';
    const text = `${title} ${rowKinds[kind[row] ?? 0]} ${own}`.toLowerCase();
    const found = exact === null ? words.every((word) => text.includes(word)) : title.toLowerCase() === exact;
    known.set(key, found);
    return found;
  };
  const rows = words.length === 0 ? new Uint32Array(0) : matching(range, isMatch);
  return {
    count: rows.length,
    rows,
    placeOf: (row) => {
      const at = place(rows, row - 1, 1);
      return rows[at] === row ? at + 1 : null;
    },
    next: (from, step) => {
      if (rows.length === 0) return null;
      const at = place(rows, from ?? range.from - 1, step);
      return rows[(at + rows.length) % rows.length] ?? null;
    },
  };
}

function matching({ from, to }: RowRange, isMatch: (row: RowIndex) => boolean): Uint32Array {
  const rows = new Uint32Array(to - from);
  let count = 0;
  for (let row = from; row < to; row += 1) if (isMatch(row)) rows[count++] = row;
  return rows.slice(0, count);
}

/** Position of the first match after `from`, or of the last one before it; -1 or the length where there is none. */
function place(rows: Uint32Array, from: RowIndex, step: 1 | -1): number {
  const end = from + (step === 1 ? 1 : 0);
  const found = lowerBound(0, rows.length, (index) => (rows[index] as number) < end);
  return step === 1 ? found : found - 1;
}

let last: { readonly view: IterationView; readonly query: string; readonly matches: Matches } | null = null;

/** The same for a run that is shown: the box that counts them and the lanes that mark them ask for the same. */
export function matchesIn(run: LoadedRun, view: IterationView, query: string): Matches {
  if (last?.view !== view || last.query !== query) {
    const { trace, info } = run.run;
    last = { view, query, matches: findRows(trace, view.rows, query, operationLabels(info.experiment)) };
  }
  return last.matches;
}
