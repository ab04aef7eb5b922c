/** Files that the window itself makes something of: a sweep to be run. */
import { openSweepFile } from '../sweep/setup.ts';

/** Where a document says what it is. */
const headBytes = 4096;

/** Whether it was one. Throws `file.too-large` or `sweep.invalid`. */
export async function openDocument(file: File): Promise<boolean> {
  const isSweep = /"format"\s*:\s*"copyscope\/sweep"/.test(await file.slice(0, headBytes).text());
  if (isSweep) await openSweepFile(file);
  return isSweep;
}
