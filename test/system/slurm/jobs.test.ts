/** `--slurm` with stand-ins of Slurm's programs: arrays, one command, cancelled and lost jobs, continuation. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseProfile } from '../../../core/machine/profile/profile.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import { SweepStore } from '../../../host/library/sweepStore.ts';
import { createHost } from '../../../host/service/host.ts';
import type { Result } from '../../unit/host/support/terminal.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from '../remote/support/builtProgram.ts';
import { kill, processesOf } from '../remote/support/processes.ts';
import { type StandInSlurm, standInSlurm } from './support/cluster.ts';
import { type Changes, slurmTerminal } from './support/slurmTerminal.ts';
import { sweepFile } from './support/sweepFile.ts';

let program: BuiltProgram;
let slurm: StandInSlurm;
let folder: string;
let data: string;
let file: string;

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());
beforeEach(() => {
  slurm = standInSlurm();
  // Every part of this name has a meaning in a shell.
  folder = mkdtempSync(join(tmpdir(), 'copyscope it\'s $(echo "x) `y` & '));
  data = join(folder, 'data');
  file = sweepFile(folder);
});
afterEach(() => {
  slurm.remove();
  for (const { pid } of processesOf(data)) kill(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const environment = (): NodeJS.ProcessEnv => slurmTerminal(program, slurm, data).environment;
const cli = (args: readonly string[], changes: Changes = {}): Promise<Result> =>
  slurmTerminal(program, slurm, data).cli(args, changes);
const sweep = (more: readonly string[] = [], changes: Changes = {}): Promise<Result> =>
  cli(['sweep', file, '--slurm', '--engine', 'sim', '--json', ...more], changes);
const store = (): SweepStore => new SweepStore(join(data, 'sweeps'));
const states = (): string[] => slurm.jobs().map(({ state }) => state);
const quotedInShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
/** Makes jobs from number `first` on wait until the returned function is called. */
async function gated(first: number): Promise<() => void> {
  const gate = join(folder, 'go');
  const line = `while [ "$SLURM_ARRAY_TASK_ID" -ge ${first} ] && [ ! -e ${quotedInShell(gate)} ]; do sleep 0.05; done`;
  expect((await cli(['slurm', 'set', '--line', line])).exitCode).toBe(0);
  return () => writeFileSync(gate, '');
}
const done = async (): Promise<number> =>
  (await store().list(new Set())).reduce((sum, { done: points }) => sum + points, 0);
const messages = ({ out }: Result): string[] =>
  JSON.parse(out).points.flatMap((point: { error?: { message: string } }) => point.error?.message ?? []);

describe('copyscope sweep --slurm', () => {
  it('runs the points as one array and keeps them in the library', async () => {
    const ran = await sweep();
    expect({ err: ran.err, exitCode: ran.exitCode }).toEqual({ err: '', exitCode: 0 });
    await eventually(() => expect(states()).toEqual(Array(6).fill('COMPLETED')));
    const here = await cli(['sweep', file, '--engine', 'sim', '--json']);
    expect(JSON.parse(ran.out).points).toEqual(JSON.parse(here.out).points);
    const [kept] = await store().list(new Set());
    expect(kept).toMatchObject({ name: 'Chunks', status: 'complete', points: 6, done: 6 });
    expect((await store().runs()).map(({ host }) => host)).toEqual(Array(6).fill('node01'));
  });

  it('is cancelled after a question, and goes on with the points that are left', async () => {
    const open = await gated(2);
    const interrupted = new AbortController();
    const asked: string[] = [];
    const ask = async (question: string): Promise<boolean> => asked.push(question) > 0;
    const first = sweep([], { terminal: { ask }, context: { signal: interrupted.signal } });
    await eventually(async () => expect(await done()).toBe(2));
    await eventually(() => expect(states().slice(0, 2)).toEqual(['COMPLETED', 'COMPLETED']));
    interrupted.abort();
    const cancelled = await first;
    expect(asked).toHaveLength(1);
    expect(cancelled.exitCode).toBe(130);
    expect(JSON.parse(cancelled.out)).toMatchObject({ status: 'cancelled', points: [{ point: 0 }, { point: 1 }] });
    await eventually(() => expect(states()).toEqual(['COMPLETED', 'COMPLETED', ...Array(4).fill('CANCELLED')]));
    open();
    const resumed = await sweep();
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(resumed.out).points).toHaveLength(6);
    expect(slurm.jobs()).toHaveLength(6 + 4);
    expect(await store().list(new Set())).toHaveLength(1);
  });

  it('goes on without its command, and is watched again by the same one', async () => {
    const open = await gated(1);
    const interrupted = new AbortController();
    const first = sweep([], { context: { signal: interrupted.signal } });
    await eventually(async () => expect(await done()).toBe(1));
    interrupted.abort();
    const left = await first;
    expect(left.exitCode).toBe(130);
    expect(JSON.parse(left.err).error).toMatchObject({ code: 'slurm.left', message: 'Its jobs go on.' });
    open();
    expect((await sweep()).exitCode).toBe(0);
    expect(slurm.jobs()).toHaveLength(6);
    expect(await done()).toBe(6);
  });

  it("says how Slurm ended jobs in Slurm's words, and submits those points again", async () => {
    slurm.conduct({ fates: { 1: 'NODE_FAIL', 3: 'TIMEOUT' } });
    const lost = await sweep();
    expect(lost.exitCode).toBe(1);
    expect(messages(lost)).toEqual([
      'Slurm ended job 1_1 on node01: NODE_FAIL.',
      'Slurm ended job 1_3 on node01: TIMEOUT.',
    ]);
    slurm.conduct({});
    expect((await sweep()).exitCode).toBe(0);
    expect(slurm.jobs()).toHaveLength(6 + 2);
    expect(await done()).toBe(6);
    expect(await store().list(new Set())).toHaveLength(1);
  });

  it('asks sacct if squeue has forgotten the jobs', async () => {
    slurm.conduct({ forgets: true, fates: { 5: 'TIMEOUT' } });
    expect(messages(await sweep(['--points-per-job', '1']))).toEqual(['Slurm ended job 1_5 on node01: TIMEOUT.']);
  });

  it('gives jobs several points', async () => {
    expect((await sweep(['--points-per-job', '2'])).exitCode).toBe(0);
    expect(slurm.jobs()).toHaveLength(3);
  });

  it('is refused in the words of sbatch, and leaves nothing', async () => {
    await cli(['slurm', 'set', '--partition', 'nowhere']);
    const refused = await sweep();
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.err).error.message).toContain('invalid partition specified: nowhere');
    expect(await store().list(new Set())).toEqual([]);
  });

  it('needs a computer with Slurm', async () => {
    const { exitCode, err } = await sweep([], { context: { environment: { ...environment(), PATH: folder } } });
    expect(exitCode).toBe(3);
    expect(JSON.parse(err).error.code).toBe('slurm.not-found');
  });
});

describe('one command as a job', () => {
  const calibrate = (changes: Changes = {}): Promise<Result> =>
    cli(['calibrate', '--slurm', '--engine', 'sim', '--quick', '--json', '--name', 'of a node'], changes);

  it('prints what it printed there without the noise of a login, and keeps what it made', async () => {
    await cli(['slurm', 'set', '--line', 'echo loading modules']);
    const ran = await calibrate();
    expect(ran.exitCode).toBe(0);
    expect(parseProfile(JSON.parse(ran.out)).name).toBe('of-a-node');
    expect(readdirSync(join(data, 'profiles'))).toEqual(['of-a-node.json']);
    expect(readdirSync(join(data, 'slurm-jobs'))).toEqual([]);
  });

  it('passes on the exit code of a command that fails', async () => {
    const ran = await cli(['record', '--slurm', '--out', join(folder, 'x.txt'), '--', 'true']);
    expect(ran.exitCode).toBeGreaterThan(0);
    expect(ran.err).toMatch(/^Error: /m);
  });

  it('is cancelled after a question', async () => {
    await gated(0);
    const interrupted = new AbortController();
    const first = calibrate({ terminal: { ask: async () => true }, context: { signal: interrupted.signal } });
    await eventually(() => expect(states()).toEqual(['RUNNING']));
    interrupted.abort();
    expect((await first).exitCode).toBe(130);
    await eventually(() => expect(states()).toEqual(['CANCELLED']));
  });
});

it('submits a sweep of the window, says how its jobs stand, and cancels them', async () => {
  const open = await gated(1);
  const host = createHost({
    about: { version: '1.0.0', shell: 'browser', platform: 'linux', dataFolder: data },
    assetsFolder: join(program.folder, 'assets'),
    spawnEngine: () => forkEngine(program.engine),
    environment: environment(),
  });
  const told = toldWindow();
  host.addWindow(told);
  const { service } = host;
  expect((await service.slurm())?.[0]).toContain('sbatch --job-name');
  const document = JSON.parse(readFileSync(file, 'utf8'));
  const { id } = await service.startSweep({ sweep: document, engine: 'sim', slurm: { pointsPerJob: 1 } });
  const summary = async () => (await service.readSweep(id)).summary;
  await eventually(async () => expect(await summary()).toMatchObject({ done: 1, status: 'running' }));
  await eventually(async () => expect((await summary()).slurm?.jobs).toMatchObject({ running: 2, waiting: 3 }));
  await service.cancelSweep(id);
  await eventually(() => expect(states().filter((state) => state === 'CANCELLED')).toHaveLength(5));
  await eventually(async () => expect(await summary()).toMatchObject({ done: 1, status: 'stopped' }));
  open();
  await service.continueSweep(id, false);
  await eventually(async () => expect(await summary()).toMatchObject({ done: 6, status: 'complete' }));
  host.close();
});

it('keeps settings of Slurm, and removes what is set to nothing', async () => {
  await cli(['slurm', 'set', '--partition', 'gpu', '--gpus', 'h200:2', '--option=--qos=short', '--at-once', '8']);
  await cli(['slurm', 'set', '--time', '1:00:00', '--partition', '']);
  const { out } = await cli(['slurm', 'show']);
  expect(out.split('\n')[0]).toMatch(/--array=0-1%8 .*--time=1:00:00 --gres=gpu:h200:2 --qos=short script-0\.sh$/);
  expect(existsSync(join(data, 'slurm-settings.json'))).toBe(true);
  expect(JSON.parse((await cli(['slurm', 'show', '--json'])).out)).not.toHaveProperty('partition');
});
