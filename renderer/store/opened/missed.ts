/** Activities that could have overlapped and didn't: what the lanes mark whatever is selected, and V goes through. */
import { rowKind } from '../../../core/trace/iteration.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import type { Cause, Verdict } from '../../../core/verdicts/verdict.ts';

/** In the order of their rows, which is that of their starts. */
export type MissedRows = ReadonlyMap<RowIndex, Verdict>;

export const noneMissed: MissedRows = new Map();

/** Of these nothing was missed: there was nothing to overlap, or no time for it. */
const notMissed: ReadonlySet<Cause> = new Set(['overlapped', 'nothing-to-overlap', 'too-small']);

interface Judged {
  readonly run: Run;
  /** The run's own, or those of the run before, until its own are there. */
  readonly verdicts: readonly Verdict[];
  readonly opOf: (id: string) => number | null;
}

/** `rows` are those of the iteration that the verdicts are about. */
export function missedRows(judged: Judged, rows: RowRange): MissedRows {
  const { trace } = judged.run;
  const { op: ops } = trace.columns;
  const found = new Map<RowIndex, Verdict>();
  // If an operation overlapped now and then, only the occurrence is known that the verdict describes.
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
