/** Activities that could have overlapped and didn't: what the lanes mark whatever is selected, and V goes through. */
import { rowKind } from '../../../core/trace/iteration.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowIndex, Trace } from '../../../core/trace/trace.ts';
import type { Cause, Verdict } from '../../../core/verdicts/verdict.ts';

/** In the order of their rows, which is that of their starts. */
export type MissedRows = ReadonlyMap<RowIndex, Verdict>;

export const noneMissed: MissedRows = new Map();

/** Of these nothing was missed: there was nothing to overlap, or no time for it. */
const notMissed: ReadonlySet<Cause> = new Set(['overlapped', 'nothing-to-overlap', 'too-small']);

/** `rows` are those of the iteration that the verdicts are told of. */
export function missedRows(trace: Trace, rows: RowRange, verdicts: readonly Verdict[]): MissedRows {
  const missed = verdicts.filter(({ cause }) => !notMissed.has(cause));
  if (missed.length === 0) return noneMissed;
  const found = new Map(missed.map((verdict) => [verdict.row, verdict]));
  // Of an operation that overlapped now and then, only the occurrence is known that the verdict is told of.
  const always = new Map(
    missed.flatMap((verdict) =>
      verdict.op >= 0 && verdict.overlappedOccurrences === 0 ? [[verdict.op, verdict]] : [],
    ),
  );
  for (let row = rows.from; row < rows.to && always.size > 0; row += 1) {
    const verdict = always.get(trace.columns.op[row] ?? -1);
    if (verdict !== undefined && rowKind(trace, row) === verdict.subject) found.set(row, verdict);
  }
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** Of a shown iteration: verdicts are told of one. */
export const missedIn = (
  { missed, run }: { readonly missed: MissedRows; readonly run: Run },
  { number }: { readonly number: number },
): MissedRows => (number === run.info.iterations.representative ? missed : noneMissed);

/** The one after a row (1), or before it (-1), and round again at the end; null where there is none. */
export function neighbourMissed(missed: MissedRows, from: RowIndex | null, step: 1 | -1): RowIndex | null {
  const rows = [...missed.keys()];
  const next =
    step === 1 ? rows.find((row) => from === null || row > from) : rows.findLast((row) => from === null || row < from);
  return next ?? rows.at(step === 1 ? 0 : -1) ?? null;
}
