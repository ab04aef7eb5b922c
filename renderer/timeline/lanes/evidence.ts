/** The evidence of the selection's verdict: possible overlaps, obstacles, and their calls. */
import { lowerBound } from '../../../core/lowerBound.ts';
import { rowEndNs } from '../../../core/trace/rows.ts';
import type { RowIndex, Trace } from '../../../core/trace/trace.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import type { TimeView } from '../time/timeView.ts';

/** Returns the evidence rows besides those of the selected operation. Empty if the iteration has no verdicts. */
export function evidenceRows(
  { run, verdicts }: Pick<LoadedRun, 'run' | 'verdicts'>,
  { number, rows }: Pick<IterationView, 'number' | 'rows'>,
  selectedRow: RowIndex | null,
  selectedOp: number | null,
): RowIndex[] {
  const { columns, lanes } = run.trace;
  if (number !== run.info.iterations.representative || (selectedRow ?? selectedOp) === null) return [];
  const op = selectedRow === null ? selectedOp : (columns.op[selectedRow] ?? -1);
  const verdict = verdicts.find((one) => (op === -1 ? one.row === selectedRow : one.op === op));
  const others = verdict?.evidence.filter((row) => row.op !== op || op === -1) ?? [];
  return others.flatMap(({ startNs, endNs, lane }) => {
    let row = lowerBound(rows.from, rows.to, (index) => (columns.startNs[index] ?? 0) < startNs);
    for (; row < rows.to && columns.startNs[row] === startNs; row += 1) {
      if (rowEndNs(run.trace, row) === endNs && lanes[columns.lane[row] ?? -1]?.id === lane) return row;
    }
    return [];
  });
}

const mostInSight = 2000;

/** Returns those of `rows`, in order of start, that a frame shows; only the first of rows in one pixel of a lane. */
export function rowsInSight(trace: Trace, rows: readonly RowIndex[], view: TimeView, width: number): RowIndex[] {
  const { columns } = trace;
  const nsPerPixel = (view.endNs - view.startNs) / Math.max(width, 1);
  const found: RowIndex[] = [];
  const last = new Map<number, number>();
  for (const row of rows) {
    const start = columns.startNs[row] ?? 0;
    if (start > view.endNs || found.length >= mostInSight) break;
    if (rowEndNs(trace, row) < view.startNs) continue;
    const lane = columns.lane[row] ?? -1;
    if (start - (last.get(lane) ?? Number.NEGATIVE_INFINITY) < nsPerPixel) continue;
    last.set(lane, start);
    found.push(row);
  }
  return found;
}
