/** Submissions to Slurm contain only the intended words, for any name of a folder or a program. */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { requireSettings } from '../../../core/apps/slurm/settings.ts';
import { type ArrayPlan, sbatchWords, scriptText } from '../../../core/apps/slurm/submission.ts';
import { newFolder } from '../../support/newFolder.ts';

let work: string;
beforeEach(() => {
  work = newFolder();
});

const names = ["a'b", 'a"b', 'a $(touch hacked) b', 'a`touch hacked`', 'a;touch hacked', '-x', 'a\nb', '*', 'a\\'];

describe.skipIf(process.platform === 'win32')('the script of a job', () => {
  it.each(names)('starts the program with its words where they are called %j', (name) => {
    const folder = join(work, name);
    mkdirSync(join(folder, 'output'), { recursive: true });
    const program = join(folder, 'program');
    writeFileSync(program, '#!/bin/sh\nfor word in "$@"; do printf "%s\\0" "$word"; done\n');
    chmodSync(program, 0o755);
    const { status } = spawnSync('bash', ['-c', scriptText(plan(folder, program))], {
      cwd: work,
      encoding: 'utf8',
      env: { ...process.env, SLURM_ARRAY_TASK_ID: '3' },
    });
    expect(status).toBe(0);
    expect(
      readFileSync(join(folder, 'output', '0_3.out'), 'utf8')
        .split('\0')
        .slice(0, -1),
    ).toEqual(['slurm-task', folder, '0', '3']);
    expect(existsSync(join(work, 'hacked'))).toBe(false);
  });

  it.each(names)('starts a command in its folder with the word %j, and keeps its exit code', (name) => {
    const folder = join(work, name);
    mkdirSync(join(folder, 'output'), { recursive: true });
    const command = { words: ['record', '--', name], folder };
    const start = ['/bin/sh', '-c', 'pwd; printf "%s\\0" "$@"; exit 5', 'program'];
    const script = scriptText({ ...plan(folder, ''), start, command });
    const env = { ...process.env, SLURM_ARRAY_TASK_ID: '0', SLURMD_NODENAME: 'node01' };
    expect(spawnSync('bash', ['-c', script], { cwd: work, env }).status).toBe(5);
    expect(readFileSync(join(folder, 'output', '0_0.out'), 'utf8')).toBe(`${folder}\nrecord\0--\0${name}\0`);
    expect(readFileSync(join(folder, 'exit'), 'utf8')).toBe('5\n');
    expect(existsSync(join(work, 'hacked'))).toBe(false);
  });
});

it('the words of sbatch are one each, whatever is in a folder or a setting: no shell reads them', () => {
  const words = sbatchWords({
    ...plan("/a b'c --wrap=x", '/p'),
    settings: { partition: 'gpu --wrap=x', account: '-x', lines: [], options: [] },
  });
  expect(words).toContain("--chdir=/a b'c --wrap=x");
  expect(words).toContain('--partition=gpu --wrap=x');
  expect(words).toContain('--account=-x');
  expect(words.filter((word) => word.startsWith('--wrap'))).toEqual([]);
  expect(words.at(-1)).toBe('script-0.sh');
});

const plan = (folder: string, program: string): ArrayPlan => ({
  ...{ id: '0123456789abcdef', number: 0, jobs: 4, engine: 'sim', folder, start: [program] },
  settings: { lines: [], options: [] },
});

describe('settings of Slurm', () => {
  const refused = [
    { gpus: '-x' },
    ...['--wra=x', '--arra=1', '--out=x', '--he', '-p'].map((one) => ({ options: [one] })),
  ];
  it.each(refused)('refuse %j, which sbatch would read as another option', (settings) => {
    expect(() => requireSettings(settings)).toThrow();
  });

  it('take options that Copyscope does not set', () => {
    expect(requireSettings({ options: ['--qos=short', '--mem=16G'] }).options).toHaveLength(2);
  });
});
