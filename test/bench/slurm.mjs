/**
 * What Copyscope adds to a sweep as one array of Slurm's, with the stand-in of Slurm's programs that the tests use. It
 * starts a job as soon as another one ends, so that all that is left is ours. Needs the built host (npm run build):
 *
 *   node test/bench/slurm.mjs [POINTS] [POINTS_PER_JOB]
 *
 * Around the jobs: what the command takes before the first job begins and after the last one ended. In a job: what it
 * takes without its points, by the line through jobs of one and of several points.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { root } from '../../scripts/lib/paths.mjs';

const points = Number(process.argv[2] ?? 1000);
const perJob = Number(process.argv[3] ?? 1);
const slots = 2;
const folder = mkdtempSync(join(tmpdir(), 'copyscope-bench-slurm-'));
const [bin, state] = [join(folder, 'bin'), join(folder, 'state')];
for (const made of [bin, state]) mkdirSync(made);
writeFileSync(join(state, 'conduct.json'), JSON.stringify({ slots }));
const standIn = join(root, 'test/system/slurm/support/standInSlurm.mjs');
for (const program of ['sbatch', 'squeue', 'sacct', 'scancel', 'scontrol']) {
  writeFileSync(join(bin, program), `#!/bin/sh\nexec '${process.execPath}' '${standIn}' '${state}' ${program} "$@"\n`);
  chmodSync(join(bin, program), 0o755);
}
const file = join(folder, 'sweep.json');
const axis = { parameter: 'chunkBytes', from: '64 KiB', to: '4 MiB', points, scale: 'linear' };
const base = { template: 'chunked-pipeline', parameters: { bytes: '4 MiB' } };
writeFileSync(file, JSON.stringify({ format: 'copyscope/sweep', version: 1, name: 'Bench', base, axes: [axis] }));

const begun = Date.now();
const words = ['sweep', file, '--slurm', '--engine', 'sim', '--json', '--points-per-job', String(perJob)];
const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'dist/host/cli.js'), ...words], {
  env: { ...process.env, COPYSCOPE_DATA: join(folder, 'data'), PATH: `${bin}${delimiter}${process.env.PATH}` },
  encoding: 'utf8',
  maxBuffer: 2 ** 28,
});
const endedAt = Date.now();
if (status !== 0) throw new Error(stderr);
const done = JSON.parse(stdout).points.length;
const jobs = readdirSync(state)
  .filter((name) => /^\d+$/.test(name))
  .flatMap((id) => JSON.parse(readFileSync(join(state, id, 'jobs.json'), 'utf8')));
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });

const first = Math.min(...jobs.map((job) => job.startedAt));
const last = Math.max(...jobs.map((job) => job.endedAt));
const spent = jobs.reduce((sum, job) => sum + job.endedAt - job.startedAt, 0);
const [before, within, after] = [first - begun, last - first, endedAt - last];
console.log(`${done} points in ${jobs.length} jobs, ${slots} at once`);
console.log(`before the first job ${before} ms, jobs ${within} ms, after the last ${after} ms`);
console.log(`around the jobs: ${(((before + after) / within) * 100).toFixed(2)} % more than the jobs`);
console.log(`a job took ${(spent / jobs.length).toFixed(0)} ms, ${(spent / done).toFixed(1)} ms for each point`);
