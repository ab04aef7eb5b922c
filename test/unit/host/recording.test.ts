/** A file of a recorded process on the disk: from the command line and dropped on a window. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { profilerOf } from '../../../core/lift/profilerCost.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { readBounded } from '../../../host/files/files.ts';
import { Assets } from '../../../host/library/assets.ts';
import { importTraceFile, isTraceFile } from '../../../host/library/importTrace.ts';
import { Library } from '../../../host/library/library.ts';
import { newFolder } from '../../support/newFolder.ts';
import { steps } from '../import/recorded/recordingBytes.ts';

const folder = newFolder();
const bytes = steps(3).bytes();

it('is read by its first bytes, and is called as its file', async () => {
  const path = join(folder, '4711.cprec');
  writeFileSync(path, bytes);
  expect(isTraceFile('any', bytes)).toBe(true);
  const { info } = await importTraceFile(path, '1.2.3');
  expect(info.imported).toMatchObject({ format: 'copyscope-record', name: '4711' });
  expect(profilerOf(info)).not.toEqual(profilerOf({ imported: undefined }));
});

it('is kept as a run where it is dropped on a window, and once', async () => {
  const library = new Library({
    dataFolder: join(folder, 'data'),
    assets: new Assets(join(folder, 'none')),
    version: '1.2.3',
  });
  const drop = async () => {
    const ticket = library.imports.begin({ name: '4711.cprec', modifiedAt: new Date(0) });
    await library.imports.part(ticket, bytes);
    return library.imports.finish(ticket);
  };
  const [first, second] = [await drop(), await drop()];
  expect([first, second]).toMatchObject([
    { kind: 'run', isNew: true },
    { kind: 'run', isNew: false },
  ]);
  if (first.kind !== 'run') return;
  const { path } = await library.runs.file(first.run.id);
  const kept = decodeRun(await readBounded(path, 1 << 26));
  expect(kept.info.imported?.format).toBe('copyscope-record');
  library.close();
});
