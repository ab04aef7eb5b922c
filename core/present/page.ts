/**
 * File of a report: the page that is built with the window, and the data as base64 of gzip. Names in the data are
 * therefore never read as markup or script. Only the title is text of the page, and it is escaped.
 */
import { xmlText } from '../media.ts';
import { textEncoder } from '../textEncoder.ts';
import type { ReportDocument } from './document.ts';
import { base64Pieces, gzipPieces } from './packed.ts';

/** Placeholders for title and data in the page's file. */
const titlePlace = '%TITLE%';
export const dataPlace = '<!--data-->';

/** Ids of the elements that contain the data. */
export const documentElement = 'report-document';
export const runElement = (index: number): string => `report-run-${index}`;

export interface ReportFile {
  readonly document: ReportDocument;
  /** Run files (Arrow), one for each run of the document. */
  readonly runs: readonly Uint8Array[];
}

/** Yields the file's bytes in pieces. Calls `onPacked` with the number of packed bytes of data and their total. */
export async function* reportPieces(
  page: string,
  { document, runs }: ReportFile,
  onPacked: (bytes: number, of: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const encoder = textEncoder();
  const parts = [encoder.encode(JSON.stringify(document)), ...runs];
  const of = parts.reduce((sum, { length }) => sum + length, 0);
  let packed = 0;
  const onTaken = (bytes: number): void => {
    packed += bytes;
    onPacked(packed, of);
  };
  const [before = '', after = ''] = page.split(dataPlace);
  yield encoder.encode(before.replace(titlePlace, () => xmlText(document.title)));
  for (const [index, bytes] of parts.entries()) {
    const id = index === 0 ? documentElement : runElement(index - 1);
    yield encoder.encode(`<script type="application/octet-stream" id="${id}">`);
    yield* base64Pieces(gzipPieces(bytes, onTaken));
    yield encoder.encode('</script>\n');
  }
  yield encoder.encode(after);
}
