/** Slurm's programs as login shells find them, where what those read hangs. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SlurmPrograms, slurmPrograms } from '../../../host/slurm/programs.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-programs-'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const script = (path: string, lines: string): void => writeFileSync(path, `#!/bin/sh\n${lines}\n`, { mode: 0o755 });

/** The login shell does this first, and finds squeue after it. */
function afterLogin(lines: string, patienceMs: () => number): SlurmPrograms {
  const slurm = join(folder, 'slurm');
  mkdirSync(slurm);
  script(join(slurm, 'squeue'), 'echo here');
  script(join(folder, 'bin', 'bash'), `${lines}\nprintf '%s\\n' copyscope-login '${slurm}' ''`);
  return slurmPrograms({ PATH: join(folder, 'bin') }, patienceMs);
}

it('a login shell that hangs is told, with its command and what helps', async () => {
  const error = await afterLogin('exec /bin/sleep 600', () => 300)
    .run('squeue', [])
    .catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    code: 'slurm.login-shell',
    message: expect.stringContaining('bash -lc'),
    remedy: expect.stringContaining('PATH'),
  });
});

it('a login shell that asks something gets no answer, and goes on', async () => {
  expect(await afterLogin('read -r answer', () => 60_000).run('squeue', [])).toBe('here\n');
});

it('a login shell is asked again after it hung', async () => {
  const hangs = join(folder, 'hangs');
  writeFileSync(hangs, '');
  // One that is to answer has all the time that it needs.
  const programs = afterLogin(`if [ -e '${hangs}' ]; then exec /bin/sleep 600; fi`, () =>
    existsSync(hangs) ? 300 : 60_000,
  );
  await expect(programs.run('squeue', [])).rejects.toMatchObject({ code: 'slurm.login-shell' });
  rmSync(hangs);
  expect(await programs.run('squeue', [])).toBe('here\n');
});
