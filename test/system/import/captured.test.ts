/** The command lines of an export's programs are shown on request, and are never stored in a run. */
import { describe, expect, it } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { readCaptured } from '../../../host/library/imports/nsightFile.ts';
import { newFolder } from '../../support/newFolder.ts';
import { exampleFile } from '../../unit/host/support/runs.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';
import { made, read, recorded, table } from '../../unit/import/nsightSupport.ts';

const folder = newFolder();
const capture = (...rows: readonly (readonly [string, string])[]): string =>
  made(
    folder,
    table(
      'META_DATA_CAPTURE',
      rows.map(([name, value]) => ({ name, value })),
    ),
  );

describe('how the programs of an export were started', () => {
  it('is read of a recorded one, and is in no run of it', async () => {
    const path = recorded(folder, 'mock');
    const [program, ...others] = await readCaptured(path);
    expect(others).toEqual([]);
    // The fixture has this placeholder in place of private text.
    expect(JSON.stringify(program)).toContain('private-7f31');
    const file = Buffer.from(encodeRun(await read(path))).toString('latin1');
    expect(file).not.toContain('private-7f31');
  });

  it('keeps arguments in the order of their numbers, and several programs apart', async () => {
    const path = capture(
      ['PROCESS_0:ARGUMENT_10', 'last'],
      ['PROCESS_0:ARGUMENT_2', 'second'],
      ['PROCESS_0:COMMAND', 'python'],
      ['PROCESS_1:COMMAND', 'other'],
      ['PROCESS_1:ENVIRONMENT_VARIABLE', 'A="1"'],
      ['CAPTURE_EVENT_TYPE', 'NvtxEvents'],
    );
    expect(await readCaptured(path)).toEqual([
      { command: ['python', 'second', 'last'], folder: null, environment: [] },
      { command: ['other'], folder: null, environment: ['A="1"'] },
    ]);
  });

  it('takes a bounded number of a hostile export', async () => {
    const many = Array.from({ length: 300 }, (_, index) => [`PROCESS_${index}:COMMAND`, 'x'] as const);
    expect(await readCaptured(capture(...many))).toHaveLength(100);
  });
});

describe('explain --captured', () => {
  it('prints it and nothing else, as JSON too', async () => {
    const path = capture(['PROCESS_0:COMMAND', 'python'], ['PROCESS_0:ENVIRONMENT_VARIABLE', 'TOKEN="x"']);
    expect((await copyscope(['explain', path, '--captured'], '')).out).toBe('Command: python\n  TOKEN="x"\n');
    const { out } = await copyscope(['explain', path, '--captured', '--json'], '');
    expect(JSON.parse(out)).toEqual({ programs: [{ command: ['python'], folder: null, environment: ['TOKEN="x"'] }] });
  });

  it('says that another file holds none', async () => {
    expect(await copyscope(['explain', exampleFile('pinned-side-stream'), '--captured'], '')).toMatchObject({
      exitCode: 2,
      err: expect.stringMatching(/no export of Nsight Systems.*Leave --captured out/s),
    });
  });
});
