/** For any change of a recorded program to its folder, and any place of its run, the command ends with a reason. */
import { chmodSync, copyFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { readBounded } from '../../../host/files/files.ts';
import { newFolder } from '../../support/newFolder.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';
import { steps } from '../../unit/import/recorded/recordingBytes.ts';

let folder: string;
const at = (name: string): string => join(folder, name);

beforeEach(() => {
  folder = newFolder();
  // Writes the file of a recorded process.
  writeFileSync(at('good'), steps(3).bytes());
  writeFileSync(at('bad'), 'no recording');
});

/** Runs `record` without the recorder itself, which CUDA would load. */
const record = (words: readonly string[], out = at('run.arrow')) =>
  copyscope(['record', '--out', out, '--', ...words], '', {
    context: {
      environment: {
        PATH: process.env['PATH'],
        COPYSCOPE_RECORD_DRIVER: '1',
        COPYSCOPE_RECORD_LIBRARY: at('good'),
      },
    },
  });
const script = (text: string): string[] => ['sh', '-c', `cd "$COPYSCOPE_RECORD_FOLDER"; ${text}`];
const kept = async () => decodeRun(await readBounded(at('run.arrow'), 1 << 26)).info;

describe.skipIf(process.platform === 'win32')('copyscope record (skipped on Windows, which has none of these)', () => {
  it.each([
    ['a pipe', `mkfifo 1.cprec`, '1.cprec is damaged'],
    ['a link to a device', 'ln -s /dev/zero 1.cprec', '1.cprec is damaged'],
    ['a link to another recording', `ln -s ../good 1.cprec`, '1.cprec is damaged'],
    ['a folder', 'mkdir 1.cprec', '1.cprec is damaged'],
    ['no recording', 'cp ../bad 1.cprec', '1.cprec is damaged'],
  ])('keeps the other parts if one is %s, and says so', async (_what, text, said) => {
    const { exitCode, err } = await record(script(`cp ../good 2.cprec; ${text}`));
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: expect.stringContaining(said) });
    expect(await kept()).toMatchObject({
      status: 'failed',
      error: { message: expect.stringContaining('One part of the recording could not be read') },
      notes: expect.arrayContaining([expect.stringContaining('Left out: 1.cprec')]),
    });
  });

  it('says what is wrong with the only part, and keeps it', async () => {
    const { exitCode, err } = await record(script('mkfifo 1.cprec'));
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining('1.cprec is no plain file') });
    expect(err).toContain(`The recorded data is kept in ${at('run.arrow.parts')}.`);
  });

  it.each([
    ['deletes', 'rmdir "$PWD"'],
    ['replaces by a link to another', 'cd ..; rmdir run.arrow.parts; ln -s . run.arrow.parts'],
    ['replaces by a file', 'cd ..; rmdir run.arrow.parts; echo > run.arrow.parts'],
  ])('says so if the program %s the folder that it is recorded in', async (_what, text) => {
    const { exitCode, err } = await record(script(text));
    expect(exitCode).toBe(1);
    expect(err).toContain(`${at('run.arrow.parts')}, where the program was recorded, is no folder any more`);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['bad', 'good']));
  });

  it('starts nothing if its run could not be kept where it was asked for', async () => {
    for (const out of ['/proc/self/x.arrow', '/proc/self/a/b/x.arrow']) {
      const { exitCode, err } = await record(['touch', at('started')], out);
      expect(exitCode).toBe(2);
      expect(err).toContain(`${out}.parts could not be made`);
    }
    symlinkSync('nowhere', at('run.arrow.parts'));
    expect((await record(['touch', at('started')])).err).toContain('run.arrow.parts');
    expect(readdirSync(folder).sort()).toEqual(['bad', 'good', 'run.arrow.parts']);
  });

  it('starts no program that has another user’s rights', async () => {
    copyFileSync('/bin/sh', at('privileged'));
    chmodSync(at('privileged'), 0o4755);
    const { exitCode, err } = await record([at('privileged'), '-c', `touch ${at('started')}`]);
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining('set-user-id') });
    expect(readdirSync(folder).sort()).toEqual(['bad', 'good', 'privileged']);
  });

  it.each([
    ['', 'No program is named'],
    ['/nonexistent/program', 'there is no such program'],
    ['/', 'EACCES'],
  ])('says why it can not start "%s"', async (program, why) => {
    const { exitCode, err } = await record([program]);
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: expect.stringContaining(why) });
    expect(readdirSync(folder).sort()).toEqual(['bad', 'good']);
  });
});
