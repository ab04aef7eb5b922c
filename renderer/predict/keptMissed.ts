/** Missed overlaps from one moment of a short document to the next: marks don't go with each edit, to come back after it. */
import { renumbering } from '../../core/experiment/edit/renumbering.ts';
import { rowKind } from '../../core/trace/iteration.ts';
import { type RowRange, rowEndNs } from '../../core/trace/rows.ts';
import type { Run } from '../../core/trace/run.ts';
import type { RowIndex, Trace } from '../../core/trace/trace.ts';
import type { Verdict } from '../../core/verdicts/verdict.ts';
import { type MissedRows, noneMissed } from '../store/opened/missed.ts';

/** Of a longer run finding and drawing them would hold up the frame that draws the edit. */
const mostRows = 1000;

interface Before {
  readonly run: Run;
  readonly missed: MissedRows;
}

/**
 * What was missed before an edit and, by the new lanes, still is: both operations are there, and no kernel runs beside
 * the one. Why it is so the verdicts of the new run will say; until then a mark has the words of before, as the cards have.
 */
export function keptMissed(before: Before, now: Run, rows: RowRange): MissedRows {
  const [edited, experiment] = [before.run.info.experiment, now.info.experiment];
  if (rows.to - rows.from > mostRows || before.missed.size === 0 || edited === null || experiment === null) {
    return noneMissed;
  }
  const numbers = renumbering(edited, experiment);
  const verdicts = new Map<number, Verdict>();
  for (const verdict of before.missed.values()) {
    const op = numbers.numberAfter(verdict.op);
    // Without the other there may be nothing left to overlap; of one that overlapped now and then only a row is known.
    const other = verdict.with === null ? null : numbers.numberAfter(verdict.with);
    if (op !== null && other !== null && verdict.overlappedOccurrences === 0) {
      verdicts.set(op, op === verdict.op && other === verdict.with ? verdict : { ...verdict, op, with: other });
    }
  }
  return marked(now.trace, rows, verdicts);
}

function marked(trace: Trace, rows: RowRange, verdicts: ReadonlyMap<number, Verdict>): MissedRows {
  const { startNs, op } = trace.columns;
  const all = Array.from({ length: rows.to - rows.from }, (_, at) => rows.from + at);
  const kernels = all.filter((row) => rowKind(trace, row) === 'kernel');
  const start = (row: RowIndex): number => startNs[row] ?? 0;
  const isAlone = (row: RowIndex): boolean =>
    kernels.every(
      (kernel) => kernel === row || rowEndNs(trace, kernel) <= start(row) || start(kernel) >= rowEndNs(trace, row),
    );
  const found = new Map<RowIndex, Verdict>();
  for (const row of all) {
    const verdict = verdicts.get(op[row] ?? -1);
    if (verdict !== undefined && rowKind(trace, row) === verdict.subject && isAlone(row)) found.set(row, verdict);
  }
  return found;
}
