/** The rows of a run as a table: comma-separated values, or the columns of a run file. */
import { columnOrder } from '../../trace/arrow/layout.ts';
import { encodeRun } from '../../trace/arrow.ts';
import { readRow } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';
import type { TraceColumns } from '../../trace/trace.ts';
import type { ExportSteps } from '../exportRun.ts';
import type { PlacedIteration } from '../times.ts';
import { csvLine } from './csv.ts';

/** As a run file names its columns; which hardware channel did it is for run files alone. */
const header = columnOrder.filter((name) => !name.startsWith('channel'));

const platform = globalThis as unknown as { readonly TextEncoder: new () => { encode(text: string): Uint8Array } };

export function* csvPieces(
  run: Run,
  iterations: readonly PlacedIteration[],
  steps: ExportSteps,
): Generator<Uint8Array> {
  const encoder = new platform.TextEncoder();
  let text = csvLine(header);
  for (const { number, rows } of iterations) {
    for (let row = rows.from; row < rows.to; row += 1) {
      const { startNs, durationNs, kind, lane, engine, name, op, correlation, bytes, src, dst } = readRow(
        run.trace,
        row,
      );
      text += csvLine([
        ...[number, startNs, durationNs, kind, lane.id, engine?.id ?? '', name],
        ...[op ?? '', correlation ?? '', bytes, src, dst],
      ]);
      if (!steps.isDue(text.length, row)) continue;
      yield encoder.encode(text);
      text = '';
    }
  }
  yield encoder.encode(text);
}

/** A run file, with the rows of these iterations alone. */
export function* arrowPieces(run: Run, iterations: readonly PlacedIteration[]): Generator<Uint8Array> {
  const [from, to] = [iterations[0]?.rows.from ?? 0, iterations.at(-1)?.rows.to ?? 0];
  const { trace, info } = run;
  if (from === 0 && to === trace.count) {
    yield encodeRun(run);
    return;
  }
  const columns = Object.fromEntries(
    Object.entries(trace.columns).map(([name, column]) => [name, column.slice(from, to)]),
  ) as unknown as TraceColumns;
  const representative = iterations[0]?.number ?? info.iterations.representative;
  yield encodeRun({
    info: { ...info, iterations: { ...info.iterations, representative } },
    trace: { ...trace, count: to - from, columns },
  });
}
