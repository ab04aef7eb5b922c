/** Import of Nsight Systems' files: from a window, from the command line, and with nsys itself. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Imported } from '../../../core/service/service.ts';
import { withReportExported } from '../../../host/library/imports/nsysReport.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { newFolder } from '../../support/newFolder.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importFile } from '../../unit/host/support/imports.ts';

const fixture = brotliDecompressSync(readFileSync(join(repository, 'test/fixtures/nsight/mock.sqlite.br')));

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

const file = (name: string, content: string | Uint8Array): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};

/** Adds a file in parts, like a window. */
async function dropped(name: string, bytes: Uint8Array): Promise<Imported> {
  const host = hostOf(join(folder, 'data'));
  try {
    return await importFile(host.service, name, bytes, 100_000);
  } finally {
    host.close();
  }
}

describe('an export that is dropped on a window', () => {
  it('is kept as a run, whatever it is called, and once', async () => {
    const imported = await dropped('train.nsys.sqlite', fixture);
    expect(imported).toMatchObject({ kind: 'run', isNew: true, run: { id: 'imported/train-nsys' } });
    expect(await dropped('same', fixture)).toMatchObject({ kind: 'run' });
  });

  it('that is damaged beyond reading is refused, and leaves nothing', async () => {
    await expect(dropped('x.sqlite', fixture.subarray(0, 5000))).rejects.toMatchObject({
      code: expect.stringMatching(/^trace-file\./),
    });
    expect(readdirSync(join(folder, 'data')).filter((name) => name === 'runs')).toEqual([]);
  });
});

describe('a report (.nsys-rep)', () => {
  const report = (): string => file('train.nsys-rep', 'a format of its own');
  const stands = process.platform === 'win32' ? 'needs a script that the system starts' : '';

  /** Makes a folder with an nsys that runs `script`: $4 is its output, $5 its input. */
  function nsys(script: string): NodeJS.ProcessEnv {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'nsys'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(bin, 'nsys'), 0o755);
    return { PATH: `relative:${bin}:/usr/bin:/bin` };
  }

  const database = (environment: NodeJS.ProcessEnv): Promise<Buffer> =>
    withReportExported(report(), 'train.nsys-rep', async (path) => readFileSync(path), environment);

  it('says what to do without nsys', async () => {
    await expect(database({ PATH: join(folder, 'empty') })).rejects.toMatchObject({
      code: 'trace-file.nsys-report',
      message: expect.stringContaining('nsys is not on the PATH'),
      remedy: 'Run nsys export --type=sqlite FILE, and open what it writes.',
    });
  });

  it('is taken from a window by its name', async () => {
    await expect(dropped('train.nsys-rep', new Uint8Array(100))).rejects.toMatchObject({
      code: 'trace-file.nsys-report',
      message: expect.stringContaining('train.nsys-rep'),
    });
  });

  it('is exported by the nsys that is there', async (context) => {
    if (stands !== '') context.skip(stands);
    const environment = nsys(`
      [ "$1 $2 $3" = "export --type=sqlite --force-overwrite=true" ] || exit 9
      cp "$5" "\${4#--output=}"`);
    expect((await database(environment)).toString()).toBe('a format of its own');
  });

  it('that nsys can’t export says what nsys said', async (context) => {
    if (stands !== '') context.skip(stands);
    await expect(database(nsys('echo "newer than this nsys" >&2; exit 1'))).rejects.toMatchObject({
      code: 'trace-file.nsys-report',
      message: 'nsys could not export train.nsys-rep: newer than this nsys.',
    });
  });
});

it('a report on the disk is recognised by its bytes, and named without its ending', async () => {
  const { info } = await importTraceFile(file('step.sqlite', fixture), '1.2.3');
  expect(info.imported).toEqual({ format: 'nsight-systems', name: 'step', events: 13, rows: 13 });
});
