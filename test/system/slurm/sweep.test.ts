/** Sweeps as jobs of a cluster, whose programs are stand-ins: arrays, what is cancelled or lost, and what goes on later. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SweepStore } from '../../../host/service/sweepStore.ts';
import { copyscope, type Result } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from '../machines/support/builtProgram.ts';
import { kill, processesOf, standInSsh } from '../machines/support/standInSsh.ts';
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
  // All of it is a word of a shell somewhere.
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
const works = (): string[] => slurmTerminal(program, slurm, data).works();
/** Its jobs wait for a file, but for the first so many. */
const gated = async (first: number): Promise<() => void> => {
  const gate = join(folder, 'go');
  const line = `while [ "$SLURM_ARRAY_TASK_ID" -ge ${first} ] && [ ! -e ${quotedInShell(gate)} ]; do sleep 0.05; done`;
  expect((await cli(['slurm', 'set', '--line', line])).exitCode).toBe(0);
  return () => writeFileSync(gate, '');
};
const quotedInShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const done = async (): Promise<number> =>
  (await store().list(new Set())).reduce((sum, { done: points }) => sum + points, 0);
/** Slurm calls the first so many of its jobs ended: it does so after their results are there. */
const completed = (first: number): Promise<void> =>
  eventually(() => {
    const states = slurm.jobs().map(({ state }) => state);
    expect(states.slice(0, first)).toEqual(Array(first).fill('COMPLETED'));
  });
const messages = ({ out }: Result): string[] =>
  JSON.parse(out).points.flatMap((point: { error?: { message: string } }) => point.error?.message ?? []);

describe('copyscope sweep --slurm', () => {
  it('runs the points as one array, keeps them in the library, and leaves nothing there', async () => {
    const ran = await sweep();
    expect({ err: ran.err, exitCode: ran.exitCode }).toEqual({ err: '', exitCode: 0 });
    await eventually(() => expect(slurm.jobs().map(({ state }) => state)).toEqual(Array(6).fill('COMPLETED')));
    const here = await cli(['sweep', file, '--engine', 'sim', '--json']);
    expect(JSON.parse(ran.out).points).toEqual(JSON.parse(here.out).points);
    const [kept] = await store().list(new Set());
    expect(kept).toMatchObject({ name: 'Chunks', status: 'complete', points: 6, done: 6 });
    expect((await store().runs()).map(({ host }) => host)).toEqual(Array(6).fill('node01'));
    expect(works()).toEqual([]);
  });

  it('is cancelled, and goes on with the points that are left', async () => {
    const open = await gated(2);
    const interrupted = new AbortController();
    const asked: string[] = [];
    const ask = async (question: string): Promise<boolean> => asked.push(question) > 0;
    const first = sweep([], { terminal: { ask }, context: { signal: interrupted.signal } });
    await eventually(async () => expect(await done()).toBe(2));
    await completed(2);
    interrupted.abort();
    const cancelled = await first;
    expect(asked).toEqual(['\nCancel its jobs too? [y/N] ']);
    expect(cancelled.exitCode).toBe(130);
    expect(JSON.parse(cancelled.out)).toMatchObject({ status: 'cancelled', points: [{ point: 0 }, { point: 1 }] });
    await eventually(() =>
      expect(slurm.jobs().map(({ state }) => state)).toEqual(['COMPLETED', 'COMPLETED', ...Array(4).fill('CANCELLED')]),
    );
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
    await completed(1);
    interrupted.abort();
    const left = await first;
    expect(left.exitCode).toBe(130);
    const { error } = JSON.parse(left.err);
    expect(error).toMatchObject({ code: 'host.left', message: 'Its jobs go on.' });
    const listed = JSON.parse((await cli(['slurm', 'list', '--json'])).out).sweeps;
    expect(listed).toMatchObject([{ name: 'Chunks', points: 6, active: 5 }]);
    expect(error.remedy).toContain(`copyscope slurm cancel ${listed[0].id}`);
    open();
    expect((await sweep()).exitCode).toBe(0);
    expect(slurm.jobs()).toHaveLength(6);
    expect(await done()).toBe(6);
  });

  it("tells of failed nodes and time limits in Slurm's words, and submits those points again", async () => {
    slurm.conduct({ fates: { 1: 'NODE_FAIL', 3: 'TIMEOUT', 4: 'OUT_OF_MEMORY' } });
    const lost = await sweep();
    expect(lost.exitCode).toBe(1);
    expect(messages(lost)).toEqual([
      'Slurm: job 1_1 on node01 ended with NODE_FAIL.',
      'Slurm: job 1_3 on node01 ended with TIMEOUT.',
      'Slurm: job 1_4 on node01 ended with OUT_OF_MEMORY.',
    ]);
    expect(JSON.parse(lost.err).error.message).toMatch(/^3 of 6 points failed/);
    expect(JSON.parse(lost.out).points[3].error.remedy).toContain('copyscope slurm set --time');
    slurm.conduct({});
    expect((await sweep()).exitCode).toBe(0);
    expect(slurm.jobs()).toHaveLength(6 + 3);
    expect(await done()).toBe(6);
    expect(await store().list(new Set())).toHaveLength(1);
  });

  it('is refused in the words of sbatch, and leaves nothing', async () => {
    await cli(['slurm', 'set', '--partition', 'nowhere']);
    const refused = await sweep();
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.err).error.message).toContain('invalid partition specified: nowhere');
    expect(works()).toEqual([]);
    expect(await store().list(new Set())).toEqual([]);
  });

  it('tells of a machine without Slurm', async () => {
    const { exitCode, err } = await sweep([], { context: { environment: { ...environment(), PATH: folder } } });
    expect(exitCode).toBe(3);
    expect(JSON.parse(err).error.code).toBe('slurm.not-found');
  });

  it('refuses options of jobs where there are none', async () => {
    expect((await cli(['sweep', file, '--points-per-job', '2'])).exitCode).toBe(2);
  });
});

describe('copyscope slurm', () => {
  it('keeps what is set, and takes away what is set to nothing', async () => {
    await cli(['slurm', 'set', '--partition', 'gpu', '--gpus', 'h200:2', '--option=--qos=short', '--at-once', '8']);
    await cli(['slurm', 'set', '--time', '1:00:00', '--partition', '']);
    const { out } = await cli(['slurm', 'show']);
    expect(out.split('\n')[0]).toMatch(/--array=0-1%8 .*--time=1:00:00 --gres=gpu:h200:2 --qos=short script-0\.sh$/);
    expect(JSON.parse((await cli(['slurm', 'show', '--json'])).out)).not.toHaveProperty('partition');
  });
});

describe('a login node behind ssh', () => {
  it('runs a sweep there, and keeps its folder while results are not taken', async () => {
    const machine = standInSsh({ path: [slurm.bin, process.env['PATH']].join(delimiter) });
    const there = (args: readonly string[], changes: Changes = {}): Promise<Result> =>
      copyscope(args, program.engine, {
        context: { program: program.folder, environment: machine.environment, ...changes.context },
      });
    try {
      expect((await there(['host', 'add', 'login', '--yes'])).exitCode).toBe(0);
      const gate = join(folder, 'go');
      await there([
        'slurm',
        'set',
        '--host',
        'login',
        '--line',
        `while [ ! -e ${quotedInShell(gate)} ]; do sleep 0.05; done`,
      ]);
      const command = ['sweep', file, '--slurm', '--host', 'login', '--engine', 'sim', '--json'];
      const interrupted = new AbortController();
      const first = there(command, { context: { signal: interrupted.signal } });
      await eventually(() => expect(slurm.jobs().filter(({ state }) => state === 'RUNNING')).toHaveLength(2));
      interrupted.abort();
      expect((await first).exitCode).toBe(130);
      const refused = await there(['host', 'remove', 'login', '--yes']);
      expect(refused.exitCode).toBe(2);
      const watched = there(command);
      writeFileSync(gate, '');
      // The line drops meanwhile.
      machine.cut();
      expect((await watched).exitCode).toBe(0);
      const runs = await new SweepStore(join(machine.data, 'sweeps')).runs();
      expect(runs.map(({ host }) => host)).toEqual(Array(6).fill('node01 of login'));
      expect(slurm.jobs()).toHaveLength(6);
      await eventually(() => expect(machine.processes()).toEqual([]));
      expect((await there(['host', 'remove', 'login', '--yes'])).exitCode).toBe(0);
    } finally {
      machine.remove();
    }
  });
});
