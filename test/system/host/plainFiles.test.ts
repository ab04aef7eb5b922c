/** Files without an end: a command that read one would wait forever, or until memory is full. */
import { spawnSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../../support/newFolder.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';

const folder = newFolder();
const at = (name: string): string => join(folder, name);

beforeAll(() => {
  spawnSync('sh', ['-c', 'mkfifo pipe pipe.json pipe.arrow'], { cwd: folder });
  for (const name of ['zero', 'zero.json', 'zero.arrow']) symlinkSync('/dev/zero', at(name));
  symlinkSync(at('loop'), at('loop'));
  writeFileSync(at('empty'), '');
  writeFileSync(at('bytes'), Uint8Array.of(0x7b, 0, 1, 2, 0xff));
});

const commands = ['explain', 'check', 'compare', 'predict', 'sweep', 'bundle import'];

/** Runs a command that needs no engine. */
const said = (command: string, ...args: readonly string[]) =>
  copyscope([...command.split(' '), ...args], '', { context: { environment: { COPYSCOPE_DATA: at('data') } } });

describe.skipIf(process.platform === 'win32')('a command', () => {
  it.each(commands)('%s refuses what is no plain file', async (command) => {
    for (const name of ['pipe', 'pipe.json', 'pipe.arrow', 'zero', 'zero.json', 'zero.arrow']) {
      const { exitCode, err } = await said(command, at(name));
      expect(err).toContain(`${at(name)} is no plain file. Write its output to a file, and name that.`);
      expect(exitCode).toBe(2);
    }
  });

  it.each(commands)('%s refuses a link to itself, a name that is too long, and a folder', async (command) => {
    expect((await said(command, at('loop'))).err).toContain('(ELOOP). It is a symbolic link that leads to itself');
    expect((await said(command, at('x'.repeat(5000)))).err).toContain('(ENAMETOOLONG). Use a shorter name.');
    const aFolder = command === 'explain' ? 'Name a folder with' : '(EISDIR). Name a file, not a folder.';
    expect((await said(command, folder)).err).toContain(aFolder);
  });
});
