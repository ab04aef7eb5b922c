import { csvCell } from '../../media.ts';
import { textEncoder } from '../../textEncoder.ts';
import { columnOrder } from '../../trace/arrow/layout.ts';
import { readRow } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';
import type { ExportSteps } from '../exportRun.ts';
import type { PlacedIteration } from '../times.ts';

type CsvCell = string | number;

/** Returns a line of comma-separated values (RFC 4180). */
export const csvLine = (cells: readonly CsvCell[]): string => `${cells.map(cellText).join(',')}\r\n`;

const cellText = (value: CsvCell): string => (typeof value === 'number' ? String(value) : csvCell(value));

/** Columns with the names of a run file, but without hardware channels. */
const header = columnOrder.filter((name) => !name.startsWith('channel'));

export function* csvPieces(
  run: Run,
  iterations: readonly PlacedIteration[],
  steps: ExportSteps,
): Generator<Uint8Array> {
  const encoder = textEncoder();
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
