/** Calibrations and recordings as jobs of a cluster, whose programs are stand-ins. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseProfile } from '../../../core/profile/profile.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../../support/recorder.ts';
import type { Result } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from '../machines/support/builtProgram.ts';
import { kill, processesOf, standInSsh } from '../machines/support/standInSsh.ts';
import { type StandInSlurm, standInSlurm } from './support/cluster.ts';
import { type Changes, slurmTerminal } from './support/slurmTerminal.ts';

let program: BuiltProgram;
let slurm: StandInSlurm;
let folder: string;
let data: string;

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());
beforeEach(() => {
  slurm = standInSlurm();
  folder = mkdtempSync(join(tmpdir(), "copyscope it's $(x) "));
  data = join(folder, 'data');
});
afterEach(() => {
  slurm.remove();
  for (const { pid } of processesOf(folder)) kill(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const environment = (): NodeJS.ProcessEnv => slurmTerminal(program, slurm, data).environment;
const cli = (args: readonly string[], changes: Changes = {}): Promise<Result> =>
  slurmTerminal(program, slurm, data).cli(args, changes);
const works = (): string[] => slurmTerminal(program, slurm, data).works();
const states = (): string[] => slurm.jobs().map(({ state }) => state);

describe('copyscope calibrate --slurm', () => {
  const calibrate = (more: readonly string[] = [], changes: Changes = {}): Promise<Result> =>
    cli(['calibrate', '--slurm', '--engine', 'sim', '--quick', ...more], changes);

  it('writes the profile that it writes without a cluster, and leaves nothing there', async () => {
    const ran = await calibrate(['--json', '--name', 'Of a node']);
    expect(ran.exitCode).toBe(0);
    expect(ran.err).toMatch(/^A job is submitted with\n\nsbatch --parsable .*--array=0-0 /);
    const path = join(data, 'profiles', 'of-a-node.json');
    const profile = parseProfile(JSON.parse(readFileSync(path, 'utf8')));
    const here = await cli(['calibrate', '--engine', 'sim', '--quick', '--json', '--name', 'here']);
    expect(profile.parameters).toEqual(JSON.parse(here.out).parameters);
    expect(profile.source).toContain('node01');
    expect(works()).toEqual([]);
  });

  it('is cancelled by Ctrl-C, also before its job has begun', async () => {
    slurm.conduct({ isHeld: true });
    const interrupted = new AbortController();
    const first = calibrate([], { context: { signal: interrupted.signal } });
    await eventually(() => expect(states()).toEqual(['PENDING']));
    interrupted.abort();
    const cancelled = await first;
    expect(cancelled.exitCode).toBe(130);
    expect(cancelled.err).toContain('Its job was cancelled, and left no result.');
    await eventually(() => expect(states()).toEqual(['CANCELLED']));
    expect(works()).toEqual([]);
  });

  it('passes on what sbatch refuses, and says where there is no Slurm', async () => {
    expect((await cli(['slurm', 'set', '--partition', 'nowhere'])).exitCode).toBe(0);
    const refused = await calibrate();
    expect(refused.exitCode).toBe(1);
    expect(refused.err).toContain('invalid partition specified: nowhere');
    const path = { ...environment(), PATH: folder };
    const nothing = await calibrate([], { context: { environment: path } });
    expect(nothing.exitCode).toBe(3);
    expect(nothing.err).toMatch(/There is no (sbatch|squeue|scontrol) there/);
    expect(works()).toEqual([]);
  });
});

describe.skipIf(noRecorder !== null)(
  `copyscope record --slurm${noRecorder === null ? '' : ` (skipped: ${noRecorder})`}`,
  () => {
    let built: string;
    beforeAll(() => {
      built = buildRecorder();
    });

    const out = (): string => join(folder, 'job.arrow');
    const withRecorder = (): NodeJS.ProcessEnv => ({ ...environment(), ...standInEnvironment(built) });
    const record = (script: string, changes: Changes = {}, more: readonly string[] = []): Promise<Result> =>
      cli(['record', '--slurm', ...more, '--out', out(), '--', 'sh', '-c', script], {
        ...changes,
        context: { environment: withRecorder(), ...changes.context },
      });
    const recorded = () => decodeRun(new Uint8Array(readFileSync(out())));
    const gate = (): string => `'${join(folder, 'go').replaceAll("'", "'\\''")}'`;

    it('prints what the program prints, passes its exit code on, and its run comes back', async () => {
      const ran = await record(`${player(built)} 2 40 > /dev/null; pwd; echo careful >&2; exit 5`);
      expect({ exitCode: ran.exitCode, out: ran.out }).toEqual({ exitCode: 5, out: `${process.cwd()}\ncareful\n` });
      expect(ran.err).toContain(`Written to ${out()}.`);
      const { info, trace } = recorded();
      expect(info.host).toBe('node01');
      expect(info.notes).toContain('The program ended with exit code 5.');
      expect(trace.count).toBeGreaterThan(80);
      expect(works()).toEqual([]);
    });

    it('tells what it prints while it runs; Ctrl-C ends it, and what was recorded comes', async () => {
      const interrupted = new AbortController();
      const told: string[] = [];
      const script = `${player(built)} 2 40 > /dev/null; echo began; while [ ! -e ${gate()} ]; do sleep 0.1; done`;
      const first = record(script, {
        terminal: { out: (text) => void told.push(text) },
        context: { environment: withRecorder(), signal: interrupted.signal },
      });
      await eventually(() => expect(told.join('')).toBe('began\n'));
      interrupted.abort();
      const ended = await first;
      expect(ended.exitCode).toBeGreaterThan(128);
      expect(ended.err).toContain('Slurm ended it: job 1_0 on node01 ended with CANCELLED');
      expect(recorded().info.notes).toContain('The program was stopped from Slurm.');
      expect(works()).toEqual([]);
    });

    it('goes on where the line to the login node is lost, and the same command fetches it', async () => {
      const machine = standInSsh({ path: environment()['PATH'] ?? '' });
      try {
        const there = { ...withRecorder(), ...machine.environment, PATH: environment()['PATH'], COPYSCOPE_DATA: data };
        expect((await cli(['host', 'add', 'login', '--yes'], { context: { environment: there } })).exitCode).toBe(0);
        const interrupted = new AbortController();
        const lines: string[] = [];
        const more = ['--host', 'login', '--folder', machine.home];
        const script = `${player(built)} 2 40 > /dev/null; echo began; read go < ${gate()}; exit 4`;
        const first = record(
          `mkfifo ${gate()}; ${script}`,
          {
            terminal: { out: (text) => void lines.push(text), err: (text) => void lines.push(text) },
            context: { environment: there, signal: interrupted.signal },
          },
          more,
        );
        await eventually(() => expect(lines.join('')).toContain('began\n'));
        machine.fail('ssh: connect to host login port 22: Connection timed out\n');
        machine.cut();
        await eventually(() => expect(lines.join('')).toContain('The line to login was lost'));
        interrupted.abort();
        const left = await first;
        expect(left.exitCode).toBe(130);
        expect(lines.join('')).toContain('There is no line to its job, which goes on.');
        machine.fail(null);
        writeFileSync(join(folder, 'go'), 'go\n');
        const again = await record(`mkfifo ${gate()}; ${script}`, { context: { environment: there } }, more);
        expect({ exitCode: again.exitCode, out: again.out }).toEqual({ exitCode: 4, out: 'began\n' });
        expect(recorded().info.host).toBe('node01 of login');
        // Its result is there before Slurm calls it ended.
        await eventually(() => expect(states()).toEqual(['FAILED']));
      } finally {
        machine.remove();
      }
    });
  },
);
