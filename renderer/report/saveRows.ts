/** The rows of a report's run as a file of their own. */
import { exportWords, fileNameOf } from '../../core/export/formats.ts';
import { csvPieces } from '../../core/export/tables/rowTable.ts';
import { placeIterations } from '../../core/export/times.ts';
import type { Run } from '../../core/trace/run.ts';
import { saveBlob } from '../common/saveBlob.ts';

/** Characters written per piece. */
const pieceLength = 1 << 20;

export function saveRows(run: Run, title: string): void {
  const pieces = csvPieces(run, placeIterations(run.trace), { isDue: (length) => length >= pieceLength });
  const { ending, mediaType } = exportWords.csv;
  saveBlob(fileNameOf(title, ending), new Blob([...pieces] as Uint8Array<ArrayBuffer>[], { type: mediaType }));
}
