import { csvPieces } from '../../../core/export/tables/rowTable.ts';
import { placeIterations } from '../../../core/export/times.ts';
import type { Run } from '../../../core/trace/run.ts';

/** The rows of one iteration as comma-separated values: of few enough of them for one text. */
export function rowsText({ info, trace }: Run, iteration: number): string {
  const decoder = new TextDecoder();
  const pieces = csvPieces({ info, trace }, placeIterations(trace, iteration), { isDue: () => false });
  return [...pieces].map((piece) => decoder.decode(piece)).join('');
}
