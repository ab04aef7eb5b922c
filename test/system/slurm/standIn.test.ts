/** What the stand-in for Slurm leaves alone. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../unit/support/eventually.ts';
import { type StandInSlurm, standInSlurm } from './support/cluster.ts';

let slurm: StandInSlurm;
let folder: string;

beforeEach(() => {
  slurm = standInSlurm();
  folder = mkdtempSync(join(tmpdir(), 'copyscope-standin-'));
});
afterEach(() => {
  slurm.remove();
  rmSync(folder, { recursive: true, force: true });
});

// Jobs are killed while their login shell starts. What it runs there, as pyenv's rehash, may leave a lock that holds
// every shell that its user opens later.
it("its jobs run nothing that this user's login shells run", async () => {
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.bash_profile'), 'echo "read by a login"\n');
  writeFileSync(join(folder, 'job'), '#!/bin/bash -l\necho "the job"\n');
  execFileSync(
    join(slurm.bin, 'sbatch'),
    [`--chdir=${folder}`, '--array=0-0', '--output=%A_%a.out', join(folder, 'job')],
    {
      env: { ...process.env, HOME: home },
    },
  );
  await eventually(() => expect(slurm.jobs().map(({ state }) => state)).toEqual(['COMPLETED']));
  const printed = readFileSync(join(folder, '1_0.out'), 'utf8');
  expect(printed).toContain('the job\n');
  expect(printed).not.toContain('read by a login');
});
