/** Activities that could have overlapped and didn't. The lanes mark them always, and V goes through them. */

import type { Cause, Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { rowKind } from '../../../core/trace/iteration.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';

/** Verdicts by row, in row order, which is the order of starts. */
export type MissedRows = ReadonlyMap<RowIndex, Verdict>;

export const noneMissed: MissedRows = new Map();

/** Causes without a missed overlap: there was nothing to overlap, or no time for it, or nothing should overlap. */
const notMissed: ReadonlySet<Cause> = new Set(['race', 'overlapped', 'nothing-to-overlap', 'too-small']);

interface Judged {
  readonly run: Run;
  /** Verdicts of the run, or of the previous prediction until its own exist. */
  readonly verdicts: readonly Verdict[];
  readonly opOf: (id: string) => number | null;
}

/** `rows` are those of the iteration that the verdicts judge. */
export function missedRows(judged: Judged, rows: RowRange): MissedRows {
  const { trace } = judged.run;
  const { op: ops } = trace.columns;
  const found = new Map<RowIndex, Verdict>();
  // If an operation overlapped in some occurrences, only the verdict's occurrence is known to be missed.
  const always = new Map<number, Verdict>();
  for (const verdict of judged.verdicts) {
    if (notMissed.has(verdict.cause)) continue;
    const op = verdict.id === null ? -1 : judged.opOf(verdict.id);
    const isItsRow = op === (ops[verdict.row] ?? -1) && (op < 0 || rowKind(trace, verdict.row) === verdict.subject);
    if (isItsRow) found.set(verdict.row, verdict);
    if (op !== null && op >= 0 && verdict.overlappedOccurrences === 0) always.set(op, verdict);
  }
  for (let row = rows.from; row < rows.to && always.size > 0; row += 1) {
    const verdict = always.get(ops[row] ?? -1);
    if (verdict !== undefined && rowKind(trace, row) === verdict.subject) found.set(row, verdict);
  }
  return found.size === 0 ? noneMissed : new Map([...found].sort(([a], [b]) => a - b));
}

/** Returns the missed rows of a shown iteration; verdicts exist only for the representative one. */
export const missedIn = (
  { missed, run }: { readonly missed: MissedRows; readonly run: Run },
  { number }: { readonly number: number },
): MissedRows => (number === run.info.iterations.representative ? missed : noneMissed);

/** Returns the missed row after (1) or before (-1) a row, wrapping around; null if there is none. */
export function neighbourMissed(missed: MissedRows, from: RowIndex | null, step: 1 | -1): RowIndex | null {
  const rows = [...missed.keys()];
  const next =
    step === 1 ? rows.find((row) => from === null || row > from) : rows.findLast((row) => from === null || row < from);
  return next ?? rows.at(step === 1 ? 0 : -1) ?? null;
}
