/**
 * The file of a report: the page that is built beside the window, and the data as base64 of gzip. So no name in the data is
 * ever read as markup or script, whatever it is; the title alone is text of the page, and is escaped.
 */
import { xmlText } from '../media.ts';
import type { ReportDocument } from './document.ts';
import { base64Pieces, gzipPieces } from './packed.ts';

/** Where the page's file has its title and its data. */
const titlePlace = '%TITLE%';
const dataPlace = '<!--data-->';

/** Ids of the elements that hold the data. */
export const documentElement = 'report-document';
export const runElement = (index: number): string => `report-run-${index}`;

export interface ReportFile {
  readonly document: ReportDocument;
  /** Run files (Arrow), one for each of the document's runs. */
  readonly runs: readonly Uint8Array[];
}

/** The globals of Node and browsers: core knows the type libraries of neither. */
const platform = globalThis as unknown as { readonly TextEncoder: new () => { encode(text: string): Uint8Array } };

/** The file's bytes in pieces. `onPacked` is told how many bytes of the data are in them, and of how many. */
export async function* reportPieces(
  page: string,
  { document, runs }: ReportFile,
  onPacked: (bytes: number, of: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const encoder = new platform.TextEncoder();
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
