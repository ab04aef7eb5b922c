/** Files that the window itself makes something of: a sweep to be run, and a benchmark to be drawn. */
import { openPage } from '../app/store/pages.ts';
import { openBench } from '../charts/openBench.ts';
import { openSweepFile } from './setup.ts';

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
