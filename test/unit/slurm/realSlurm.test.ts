/** The same with Slurm itself, where it is installed: what its own programs say and do. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SweepStore } from '../../../host/service/sweepStore.ts';
import { copyscope, type Result } from '../host/support/terminal.ts';
import { type BuiltProgram, buildProgram } from '../machines/support/builtProgram.ts';
import { eventually } from '../support/eventually.ts';
import { noSlurm, type RealSlurm, realSlurm } from './support/realSlurm.ts';
import { sweepFile } from './support/sweepFile.ts';

describe.skipIf(noSlurm !== null)(`Slurm of one node${noSlurm === null ? '' : ` (skipped: ${noSlurm})`}`, () => {
  let program: BuiltProgram;
  let slurm: RealSlurm;
  let folder: string;
  /** Of a plain name, for lines of the shell. */
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
    folder = mkdtempSync(join(tmpdir(), "copyscope it's $(x) "));
    gates = mkdtempSync(join(tmpdir(), 'copyscope-gates-'));
  });
  afterEach(() => {
    for (const made of [folder, gates]) rmSync(made, { recursive: true, force: true, maxRetries: 10 });
  });

  const cli = (args: readonly string[], changes: Parameters<typeof copyscope>[2] = {}): Promise<Result> =>
    copyscope(args, program.engine, {
      terminal: { ...changes.terminal },
      context: {
        program: program.folder,
        environment: { ...slurm.environment, NODE_OPTIONS: '', COPYSCOPE_DATA: join(folder, 'data') },
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
  /** How many jobs ended well, once none is in progress: a result is there before Slurm calls its job done. */
  const ended = async (): Promise<number> => {
    await eventually(() => {
      for (const state of ['RUNNING', 'PENDING', 'COMPLETING'] as const) expect(slurm.count(state)).toBe(0);
    });
    return slurm.count('COMPLETED');
  };
  const messages = ({ out }: Result): string[] =>
    JSON.parse(out).points.flatMap((point: { error?: { message: string } }) => point.error?.message ?? []);

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
    interrupted.abort();
    expect((await first).exitCode).toBe(130);
    expect(await ended()).toBe(before + 2);
    open();
    expect((await cli(command())).exitCode).toBe(0);
    expect(await ended()).toBe(before + 6);
    expect(await done()).toBe(6);
  });

  it('tells of a node that failed, and submits its points again', async () => {
    const open = await gated(4);
    const first = cli(command());
    await eventually(async () => expect(await done()).toBe(4));
    await eventually(() => expect(slurm.count('RUNNING')).toBe(2));
    slurm.setNode('DOWN');
    const lost = await first;
    slurm.setNode('RESUME');
    expect(messages(lost)).toEqual(Array(2).fill(expect.stringMatching(/^Slurm: job \d+_[45].* ended with NODE_FAIL/)));
    open();
    expect((await cli(command())).exitCode).toBe(0);
    expect(await done()).toBe(6);
  });

  it('tells of a time limit', async () => {
    await gated(5);
    await cli(['slurm', 'set', '--time', '1']);
    expect(messages(await cli(command()))).toEqual([
      expect.stringMatching(new RegExp(`^Slurm: job \\d+_5 on ${slurm.node} ended with TIMEOUT`)),
    ]);
    expect(await done()).toBe(5);
    // A minute is the least that Slurm counts in, and it looks only now and then.
  }, 300_000);

  it('passes on what sbatch refuses', async () => {
    await cli(['slurm', 'set', '--partition', 'nowhere']);
    const refused = await cli(command());
    expect(refused.exitCode).toBe(1);
    expect(JSON.parse(refused.err).error.message).toContain('invalid partition specified: nowhere');
  });
});
