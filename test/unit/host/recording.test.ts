/** A file of a recorded process on the disk: from the command line and dropped on a window. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { profilerOf } from '../../../core/lift/profilerCost.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { importTraceFile, isTraceFile } from '../../../host/library/importTrace.ts';
import { newFolder } from '../../support/newFolder.ts';
import { steps } from '../import/recorded/recordingBytes.ts';
import { hostOf } from './support/hostOf.ts';
import { importedRun, importFile } from './support/imports.ts';

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
  const host = hostOf(join(folder, 'data'));
  const { id } = await importedRun(host.service, '4711.cprec', bytes);
  expect(await importFile(host.service, '4711.cprec', bytes)).toMatchObject({ kind: 'run', isNew: false });
  const kept = decodeRun(new Uint8Array(await host.service.readRun(id)));
  expect(kept.info.imported?.format).toBe('copyscope-record');
  host.close();
});
