/** The same with Slurm itself, if it is installed, to check its own programs' behaviour. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { SweepStore } from '../../../host/library/sweepStore.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../../support/recorder.ts';
import { copyscope, type Result } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from '../remote/support/builtProgram.ts';
import { noSlurm, type RealSlurm, realSlurm } from './support/realSlurm.ts';
import { sweepFile } from './support/sweepFile.ts';

describe.skipIf(noSlurm !== null)(`Slurm of one node${noSlurm === null ? '' : ` (skipped: ${noSlurm})`}`, () => {
  let program: BuiltProgram;
  let slurm: RealSlurm;
  let folder: string;
  /** Folder with a plain name, for lines of the shell. */
  let gates: string;

  beforeAll(async () => {
    program = await buildProgram();
    slurm = await realSlurm();
  });
  afterAll(() => {
    slurm?.close();
    program?.remove();
  });
  beforeEach(() => {
    folder = newFolder();
    gates = newFolder();
  });
  afterEach(() => {
    for (const made of [folder, gates]) rmSync(made, { recursive: true, force: true, maxRetries: 10 });
  });

  const environment = (): NodeJS.ProcessEnv => ({
    ...slurm.environment,
    NODE_OPTIONS: '',
    COPYSCOPE_DATA: join(folder, 'data'),
  });
  const cli = (args: readonly string[], changes: Parameters<typeof copyscope>[2] = {}): Promise<Result> =>
    copyscope(args, program.engine, {
      terminal: { ...changes.terminal },
      context: {
        program: program.folder,
        environment: environment(),
        ...changes.context,
      },
    });
  const command = (): string[] => ['sweep', sweepFile(folder), '--slurm', '--engine', 'sim', '--json'];
  const store = (): SweepStore => new SweepStore(join(folder, 'data', 'sweeps'));
  const done = async (): Promise<number> =>
    (await store().list(new Set())).reduce((sum, { done: points }) => sum + points, 0);
  const gated = async (first: number): Promise<() => void> => {
    const gate = join(gates, 'go');
    await cli([
      'slurm',
      'set',
      '--line',
      `while [ $SLURM_ARRAY_TASK_ID -ge ${first} ] && [ ! -e ${gate} ]; do sleep 0.1; done`,
    ]);
    return () => writeFileSync(gate, '');
  };
  /** Waits until no job is in progress. Returns the number of successful ones, whose results exist by then. */
  const ended = async (): Promise<number> => {
    await eventually(() => {
      for (const state of ['RUNNING', 'PENDING', 'COMPLETING'] as const) expect(slurm.count(state)).toBe(0);
    });
    return slurm.count('COMPLETED');
  };
  it('runs a sweep as one array', async () => {
    const ran = await cli(command());
    expect({ err: ran.err, exitCode: ran.exitCode }).toEqual({ err: '', exitCode: 0 });
    expect((await store().runs()).map(({ host }) => host)).toEqual(Array(6).fill(slurm.node));
  });

  it('cancels it, and goes on later with the points that are left', async () => {
    const before = await ended();
    const open = await gated(2);
    const interrupted = new AbortController();
    const first = cli(command(), { terminal: { ask: async () => true }, context: { signal: interrupted.signal } });
    await eventually(async () => expect(await done()).toBe(2));
    await eventually(() => expect(slurm.count('COMPLETED')).toBe(before + 2));
    interrupted.abort();
    expect((await first).exitCode).toBe(130);
    expect(await ended()).toBe(before + 2);
    open();
    expect((await cli(command())).exitCode).toBe(0);
    expect(await ended()).toBe(before + 6);
    expect(await done()).toBe(6);
  });

  it.skipIf(noRecorder !== null)('records as a job; what scancel ends comes as far as it was', async () => {
    const built = buildRecorder();
    const out = join(folder, 'job.arrow');
    const record = (script: string, changes: Parameters<typeof copyscope>[2] = {}): Promise<Result> =>
      cli(['record', '--slurm', '--out', out, '--', 'sh', '-c', script], {
        ...changes,
        context: { environment: { ...environment(), ...standInEnvironment(built) }, ...changes.context },
      });
    // This node has no GPUs to request.
    expect((await cli(['slurm', 'set', '--gpus', '0'])).exitCode).toBe(0);
    const ran = await record(`${player(built)} 2 40 > /dev/null; echo done; exit 5`);
    expect(ran.exitCode).toBe(5);
    expect(ran.out).toContain('done\n');
    const interrupted = new AbortController();
    const told: string[] = [];
    const first = record(`${player(built)} 2 40 > /dev/null; echo began; while :; do sleep 0.1; done`, {
      terminal: { out: (text) => void told.push(text), ask: async () => true },
      context: { environment: { ...environment(), ...standInEnvironment(built) }, signal: interrupted.signal },
    });
    await eventually(() => expect(told.join('')).toContain('began\n'));
    interrupted.abort();
    const ended = await first;
    expect(decodeRun(new Uint8Array(readFileSync(out))).info.status).toBe('complete');
    expect(ended.exitCode).toBeGreaterThan(128);
  });
});
