/** Finds rows by their names, or by the experiment's labels of their operations. */
import { lowerBound } from '../../../core/lowerBound.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../../../core/trace/trace.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { type OperationLabel, operationLabels } from './describeRow.ts';

export interface Matches {
  readonly count: number;
  /** Rows in order of start. */
  readonly rows: Uint32Array;
  /** Returns the index of a row among the matches, from 1; null if it is no match. */
  placeOf(row: RowIndex): number | null;
  /** Returns the match after (1) or before (-1) a row, wrapping around; null if there is none. */
  next(from: RowIndex | null, step: 1 | -1): RowIndex | null;
}

/** Returns a query that finds exactly this name. */
export const exactly = (name: string): string => `"${name}"`;

/**
 * Finds rows whose name, kind or label contains every word of `query`, ignoring case; a query in quotes finds exact
 * names.
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

/** Returns the index of the first match after `from`, or of the last before it; the length or -1 without one. */
function place(rows: Uint32Array, from: RowIndex, step: 1 | -1): number {
  const end = from + (step === 1 ? 1 : 0);
  const found = lowerBound(0, rows.length, (index) => (rows[index] as number) < end);
  return step === 1 ? found : found - 1;
}

let last: { readonly view: IterationView; readonly query: string; readonly matches: Matches } | null = null;

/** Returns the matches in a shown run, cached since the box that counts them and the lanes both read them. */
export function matchesIn(run: LoadedRun, view: IterationView, query: string): Matches {
  if (last?.view !== view || last.query !== query) {
    const { trace, info } = run.run;
    last = { view, query, matches: findRows(trace, view.rows, query, operationLabels(info.experiment)) };
  }
  return last.matches;
}
