/** Files that the window itself makes something of: a sweep to be run, and a benchmark to be drawn. */

import { openBench } from '../charts/openBench.ts';
import { openPage } from '../store/pages.ts';
import { openSweepFile } from '../sweep/setup.ts';

/** Where a document says what it is. */
const headBytes = 4096;

/** Whether it was one of them. Throws `file.too-large`, `sweep.invalid` or `bench-file.invalid`. */
export async function openDocument(file: File): Promise<boolean> {
  const [, format] = /"format"\s*:\s*"copyscope\/(sweep|bench)"/.exec(await file.slice(0, headBytes).text()) ?? [];
  if (format === 'sweep') await openSweepFile(file);
  else if (format === 'bench') {
    await openBench(file);
    openPage({ kind: 'charts' });
  }
  return format !== undefined;
}
