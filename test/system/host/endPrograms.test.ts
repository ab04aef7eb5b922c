/** Programs that are recorded for nobody any more are ended with all that they start meanwhile. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { endProgramsOf } from '../../../host/record/endPrograms.ts';
import { folderVariable } from '../../../host/record/recordSettings.ts';
import { eventually } from '../../unit/support/eventually.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-end-'));
});
afterEach(() => {
  for (const pid of marked()) process.kill(pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

/** Those that say that they are recorded into the folder. */
function marked(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });
}

it.skipIf(process.platform !== 'linux')(
  'also what is started while one looks (skipped where there is no /proc)',
  async () => {
    // A new one every few milliseconds, which would go on by itself.
    spawn('sh', ['-c', 'while :; do sleep 600 & sleep 0.002; done'], {
      env: { PATH: process.env['PATH'], [folderVariable]: folder },
      stdio: 'ignore',
    });
    await eventually(() => expect(marked().length).toBeGreaterThan(20));
    await endProgramsOf(folder);
    await eventually(() => expect(marked()).toEqual([]));
  },
);
