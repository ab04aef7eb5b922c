/** The rows of a report's run as a file of their own. */

import { exportWords, fileNameOf } from '../../core/export/formats.ts';
import { arrowPieces, csvPieces } from '../../core/export/tables/rowTable.ts';
import { placeIterations } from '../../core/export/times.ts';
import type { Run } from '../../core/trace/run.ts';
import { saveBlob } from '../common/saveBlob.ts';

/** So much text at a time. */
const pieceLength = 1 << 20;

export function saveRows(run: Run, title: string, as: 'csv' | 'arrow'): void {
  const iterations = placeIterations(run.trace);
  const pieces =
    as === 'csv'
      ? csvPieces(run, iterations, { isDue: (length) => length >= pieceLength })
      : arrowPieces(run, iterations);
  const { ending, mediaType } = exportWords[as];
  saveBlob(fileNameOf(title, ending), new Blob([...pieces] as Uint8Array<ArrayBuffer>[], { type: mediaType }));
}
