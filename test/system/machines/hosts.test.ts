/** `copyscope host` and `--host`, with a stand-in for ssh: what is said, copied, run and left behind. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { exampleFile } from '../../unit/host/support/runs.ts';
import type { Result } from '../../unit/host/support/terminal.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { type StandIn, standInSsh } from './support/standInSsh.ts';
import { alwaysNode, linkTools } from './support/tools.ts';

let program: BuiltProgram;
let machine: StandIn;

const cli = (...args: string[]): Promise<Result> =>
  copyscope(args, program.engine, { context: { program: program.folder, environment: machine.environment } });
const base = (): string => join(machine.home, '.local/share/copyscope-host');
const experiment = exampleFile('pinned-side-stream');

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());
beforeEach(() => {
  machine = standInSsh();
});
afterEach(() => machine.remove());

describe('copyscope host add', () => {
  it('says what it finds and does, copies it, and lists the machine', async () => {
    const added = await cli('host', 'add', 'gpu-box', '--yes');
    expect(added.err).toMatch(/^gpu-box: Linux \S+, .*Node \d+\.\d+ at /);
    expect(added.err).toContain('will be copied into ~/.local/share/copyscope-host of your user there.');
    expect(added.err).toContain('gpu-box is set up. Use it with --host gpu-box.');
    expect(added.out).toMatch(/\[available\] +sim/);
    expect(added.exitCode).toBe(0);
    const [build = ''] = readdirSync(join(base(), 'programs'));
    expect(build).toMatch(/^\d+\.\d+\.\d+-[0-9a-f]{12}$/);
    const listed = await cli('host', 'list', '--json');
    expect(JSON.parse(listed.out).machines).toMatchObject([{ name: 'gpu-box', build }]);
    await eventually(() => expect(machine.processes()).toEqual([]));
  });

  it('changes nothing without a yes', async () => {
    const asked = await cli('host', 'add', 'gpu-box');
    expect(asked.exitCode).toBe(2);
    expect(asked.err).toContain('--yes');
    expect(existsSync(base())).toBe(false);
  });

  it('brings a Node where there is none', async ({ skip }) => {
    if (alwaysNode !== null) skip(alwaysNode);
    const tools = mkdtempSync(join(tmpdir(), 'copyscope-tools-'));
    linkTools(tools);
    const bare = standInSsh({ path: tools });
    const added = await copyscope(['host', 'add', 'bare', '--yes'], program.engine, {
      context: { program: program.folder, environment: bare.environment },
    });
    expect(added.err).toContain('no Node 20.19 or newer');
    expect(added.err).toContain(`A Node will be copied with it: ${process.execPath}.`);
    expect(added.exitCode).toBe(0);
    bare.remove();
    rmSync(tools, { recursive: true });
  });

  it('tells of another version, and replaces it where it may', async () => {
    const other = join(base(), 'programs/0.0.9-0123456789ab');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'start'), '');
    const told = await cli('host', 'add', 'gpu-box', '--yes');
    expect(told.exitCode).toBe(3);
    expect(told.err).toContain('gpu-box has Copyscope 0.0.9-0123456789ab');
    const replaced = await cli('host', 'add', 'gpu-box', '--yes', '--replace');
    expect(replaced.exitCode).toBe(0);
    expect(readdirSync(join(base(), 'programs'))).toHaveLength(1);
    expect(existsSync(other)).toBe(false);
  });

  it.each(['-oProxyCommand=x', 'a b', "a'b", 'a;b', ''])('refuses %j as a name', async (name) => {
    const refused = await cli('host', 'add', '--yes', '--', name);
    expect(refused.exitCode).toBe(2);
  });
});

describe('--host', () => {
  it('runs there and says so', async () => {
    expect((await cli('host', 'add', 'gpu-box', '--yes')).exitCode).toBe(0);
    const out = join(machine.home, 'run.arrow');
    const ran = await cli('run', experiment, '--engine', 'sim', '--host', 'gpu-box', '--out', out);
    expect(ran.err).toBe(`Written to ${out}.\n`);
    expect(ran.exitCode).toBe(0);
    expect(decodeRun(new Uint8Array(readFileSync(out))).info.host).toBe('gpu-box');
    // Nothing goes on there, and nothing waits to be fetched.
    await eventually(() => expect(machine.processes()).toEqual([]));
    await eventually(() => expect(readdirSync(join(base(), 'jobs'))).toEqual([]));
  });

  it('asks there for devices', async () => {
    expect((await cli('host', 'add', 'gpu-box', '--yes')).exitCode).toBe(0);
    const { out, exitCode } = await cli('devices', '--host', 'gpu-box', '--json');
    expect(exitCode).toBe(0);
    expect(JSON.parse(out).engines).toHaveLength(3);
    // What is missing there is not missing here.
    expect(out).not.toContain('this machine');
  });

  it('keeps a profile under the name of the machine, and says where it was measured', async () => {
    expect((await cli('host', 'add', 'gpu-box', '--yes')).exitCode).toBe(0);
    const { err, exitCode } = await cli('calibrate', '--engine', 'sim', '--quick', '--host', 'gpu-box');
    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    const profile = JSON.parse(readFileSync(join(machine.data, 'profiles/sim-of-gpu-box.json'), 'utf8'));
    expect(profile.source).toMatch(/^By copyscope calibrate, simulated on the profile "h200" of gpu-box, /);
    expect(profile.host).toBe('gpu-box');
    const { out } = await cli('run', experiment, '--engine', 'sim', '--profile', 'sim-of-gpu-box');
    expect(out).toContain('NVIDIA H200 of gpu-box');
  });

  it('refuses a machine that was not added', async () => {
    const { err, exitCode } = await cli('devices', '--host', 'gpu-box');
    expect({ err, exitCode }).toEqual({
      err: 'Error: host: gpu-box is not set up for Copyscope. Set it up with: copyscope host add gpu-box\n',
      exitCode: 2,
    });
  });

  it('says in the words of ssh why there is no way to it', async () => {
    expect((await cli('host', 'add', 'gpu-box', '--yes')).exitCode).toBe(0);
    machine.fail('ssh: connect to host gpu-box port 22: No route to host\n');
    const { err, exitCode } = await cli('run', experiment, '--host', 'gpu-box');
    expect(err).toContain('ssh could not reach gpu-box: ssh: connect to host gpu-box port 22: No route to host');
    expect(exitCode).toBe(3);
  });

  it('runs a sweep there', async () => {
    expect((await cli('host', 'add', 'gpu-box', '--yes')).exitCode).toBe(0);
    const file = join(machine.home, 'sweep.json');
    const sweep = {
      format: 'copyscope/sweep',
      version: 1,
      name: 'Bytes',
      base: { experiment: JSON.parse(readFileSync(experiment, 'utf8')) },
      axes: [{ fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: [1 << 20, 2 << 20] }],
    };
    writeFileSync(file, JSON.stringify(sweep));
    const { out, err, exitCode } = await cli('sweep', file, '--engine', 'sim', '--host', 'gpu-box', '--json');
    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    expect(JSON.parse(out).points).toHaveLength(2);
  });
});

describe('copyscope host remove', () => {
  it('leaves nothing there', async () => {
    expect((await cli('host', 'add', 'gpu-box', '--yes')).exitCode).toBe(0);
    const removed = await cli('host', 'remove', 'gpu-box', '--yes');
    expect(removed.exitCode).toBe(0);
    expect(existsSync(base())).toBe(false);
    expect((await cli('host', 'list')).err).toContain('No machine is set up.');
  });
});
