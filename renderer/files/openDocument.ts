/** Files that the window itself reads: sweeps to run. */
import { openSweepFile } from '../sweep/setup.ts';

/** Bytes at the file's start that contain the format. */
const headBytes = 4096;

/** Returns true if the file was a sweep. Throws `file.too-large` or `sweep.invalid`. */
export async function openDocument(file: File): Promise<boolean> {
  const isSweep = /"format"\s*:\s*"copyscope\/sweep"/.test(await file.slice(0, headBytes).text());
  if (isSweep) await openSweepFile(file);
  return isSweep;
}
