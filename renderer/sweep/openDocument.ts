/** Files that the window itself makes something of: a sweep to be run, and a benchmark to be drawn. */
import { requireBench } from '../../core/bench/parse.ts';
import { openPage } from '../app/store/pages.ts';
import { setBench } from '../charts/chosen.ts';
import { openSweepText } from './setup.ts';

/** Where a document says what it is. */
const headBytes = 4096;

/** Whether it was one of them. Throws `sweep.invalid` or `bench-file.invalid`. */
export async function openDocument(file: File): Promise<boolean> {
  const [, format] = /"format"\s*:\s*"copyscope\/(sweep|bench)"/.exec(await file.slice(0, headBytes).text()) ?? [];
  if (format === 'sweep') openSweepText(await file.text());
  else if (format === 'bench') {
    setBench({ name: file.name, file: requireBench(await file.text()) });
    openPage({ kind: 'charts' });
  }
  return format !== undefined;
}
