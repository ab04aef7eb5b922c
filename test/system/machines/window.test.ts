/** Other machines as a window has them, with a stand-in for ssh. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import { readBundle } from '../../../host/machines/bundle.ts';
import { fetchJobs } from '../../../host/machines/fetchJobs.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { type StandIn, standInSsh } from './support/standInSsh.ts';

let program: BuiltProgram;
let machine: StandIn;
let host: Host;
let told: ReturnType<typeof toldWindow>;

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());
beforeEach(async () => {
  machine = standInSsh();
  const { environment, data } = machine;
  const context = { program: program.folder, environment };
  expect((await copyscope(['host', 'add', 'gpu-box', '--yes'], program.engine, { context })).exitCode).toBe(0);
  await eventually(() => expect(machine.processes()).toEqual([]));
  host = createHost({
    about: { version: '1.0.0', shell: 'browser', platform: 'linux', dataFolder: data },
    assetsFolder: join(program.folder, 'assets'),
    spawnEngine: () => forkEngine(program.engine),
    environment,
  });
  told = toldWindow();
  host.addWindow(told);
});
afterEach(() => {
  host.close();
  machine.remove();
});

const runsHere = async () => (await host.service.runs()).filter(({ builtIn }) => !builtIn);

describe('a machine of the window', () => {
  it('is listed without being asked, and runs an experiment', async () => {
    expect(await host.service.machines()).toMatchObject([{ name: 'gpu-box', line: 'unasked', report: null }]);
    expect(machine.processes()).toEqual([]);
    const { id } = await host.service.startRun({ experiment: example(), engine: 'sim', machine: 'gpu-box' });
    const run = await eventually(async () => {
      const [first] = await runsHere();
      expect(first).toMatchObject({ id, status: 'complete' });
      return first;
    });
    expect(run).toMatchObject({ host: 'gpu-box', device: 'NVIDIA H200 of gpu-box' });
    expect(await host.service.machines()).toMatchObject([{ line: 'up' }]);
  });

  it('brings what waits there when it is asked for its devices', async () => {
    const job = join(machine.home, '.local/share/copyscope-host/jobs/0d9ff4f3-7f58-4d6c-9c1e-6a1f7d0f6a11');
    mkdirSync(job, { recursive: true });
    const meta = { name: 'x', engine: 'cpu', startedAt: '2026-11-25T08:00:00.000Z', pid: 1, node: 'elsewhere' };
    writeFileSync(join(job, 'meta.json'), JSON.stringify(meta));
    writeFileSync(join(job, 'run.arrow'), encodeRun(smallRun(example(), 'cpu', { host: 'gpu-box' })));
    expect(await host.service.connectMachine('gpu-box')).toMatchObject({ line: 'up', problem: null });
    await eventually(async () => expect(await runsHere()).toMatchObject([{ host: 'gpu-box', status: 'complete' }]));
  });

  it('says why there is no way to it, and is there again', async () => {
    machine.fail('ssh: connect to host gpu-box port 22: No route to host\n');
    const lost = await host.service.connectMachine('gpu-box');
    expect(lost).toMatchObject({ line: 'lost', problem: { code: 'host.unreachable' } });
    expect(lost.problem?.message).toContain('No route to host');
    machine.fail(null);
    expect(await host.service.connectMachine('gpu-box')).toMatchObject({ line: 'up', problem: null });
  });

  it('runs a sweep, whose points say where they ran', async () => {
    const sweep = {
      format: 'copyscope/sweep',
      version: 1,
      name: 'Bytes',
      base: { experiment: example() },
      axes: [{ fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: [1 << 20, 2 << 20] }],
    };
    const { id, host: there } = await host.service.startSweep({ sweep, engine: 'sim', machine: 'gpu-box' });
    expect(there).toBe('gpu-box');
    const { outcomes, summary } = await eventually(async () => {
      const kept = await host.service.readSweep(id);
      expect(kept.summary.status).toBe('complete');
      return kept;
    });
    expect(outcomes).toMatchObject([{ run: { host: 'gpu-box' } }, { run: { host: 'gpu-box' } }]);
    expect(summary.device).toContain('of gpu-box');
    const other = host.service.startSweep({ sweep, engine: 'sim', machine: 'other' });
    await expect(other).rejects.toMatchObject({ code: 'host.unknown' });
  });

  it('is refused where nobody has added it', async () => {
    await expect(host.service.connectMachine('other')).rejects.toMatchObject({ code: 'host.unknown' });
    const run = host.service.startRun({ experiment: example(), engine: 'sim', machine: 'other' });
    await expect(run).rejects.toMatchObject({ code: 'host.unknown' });
  });
});

describe('a machine that a window adds', () => {
  const state = async (name: string) => (await host.service.machines()).find((one) => one.name === name);
  const isIdle = (name: string): Promise<void> =>
    eventually(async () => expect(await state(name)).toMatchObject({ work: null }));

  it('is set up as was said, and has its devices', async () => {
    const { ticket, says } = await host.service.planMachine('second', false);
    expect(says[0]).toMatch(/^second: Linux /);
    expect(says[1]).toContain('will be copied into ~/.local/share/copyscope-host of your user there.');
    expect(await state('second')).toBeUndefined();
    await host.service.addMachine(ticket);
    const [, begun] = told.machineChanged.mock.calls.find(([name]) => name === 'second') ?? [];
    expect(begun).toMatchObject({ version: null, work: { what: 'adding' } });
    await isIdle('second');
    expect(await state('second')).toMatchObject({ version: expect.any(String), line: 'up', problem: null });
    expect((await state('second'))?.report?.engines).toHaveLength(3);
    await expect(host.service.addMachine(ticket)).rejects.toMatchObject({ code: 'host.plan-gone' });
  });

  it('says why it could not be, and is only forgotten then', async () => {
    const { ticket } = await host.service.planMachine('second', false);
    machine.fail('ssh: connect to host second port 22: No route to host\n');
    await host.service.addMachine(ticket);
    await isIdle('second');
    expect(await state('second')).toMatchObject({ version: null, problem: { code: 'host.unreachable' } });
    await host.service.removeMachine('second', { discard: false, forget: false });
    expect(await state('second')).toBeUndefined();
  });

  it('is replaced where another version is there', async () => {
    const other = join(machine.home, '.local/share/copyscope-host/programs/0.0.9-0123456789ab');
    mkdirSync(other, { recursive: true });
    writeFileSync(join(other, 'start'), '');
    await expect(host.service.planMachine('gpu-box', false)).rejects.toMatchObject({ code: 'host.other-version' });
    const { ticket, says } = await host.service.planMachine('gpu-box', true);
    expect(says).toContain('Build 0.0.9-0123456789ab there will be deleted.');
    await host.service.addMachine(ticket);
    await isIdle('gpu-box');
    expect(await state('gpu-box')).toMatchObject({ line: 'up', problem: null });
    expect(existsSync(other)).toBe(false);
  });

  it('is not removed with results that wait there, unless they may go', async () => {
    const job = join(machine.home, '.local/share/copyscope-host/jobs/0d9ff4f3-7f58-4d6c-9c1e-6a1f7d0f6a11');
    mkdirSync(job, { recursive: true });
    const meta = { name: 'x', engine: 'cpu', startedAt: '2026-11-25T08:00:00.000Z', pid: 1, node: 'elsewhere' };
    writeFileSync(join(job, 'meta.json'), JSON.stringify(meta));
    const refused = host.service.removeMachine('gpu-box', { discard: false, forget: false });
    await expect(refused).rejects.toMatchObject({ code: 'host.unfetched' });
    expect(await state('gpu-box')).toMatchObject({ work: null });
    await host.service.removeMachine('gpu-box', { discard: true, forget: false });
    expect(await host.service.machines()).toEqual([]);
    expect(existsSync(join(machine.home, '.local/share/copyscope-host'))).toBe(false);
  });

  it('keeps a result there whose line is lost before it was taken, and says why', async () => {
    const job = join(machine.home, '.local/share/copyscope-host/jobs/0d9ff4f3-7f58-4d6c-9c1e-6a1f7d0f6a11');
    mkdirSync(job, { recursive: true });
    const meta = { name: 'x', engine: 'cpu', startedAt: '2026-11-25T08:00:00.000Z', pid: 1, node: 'elsewhere' };
    writeFileSync(join(job, 'meta.json'), JSON.stringify(meta));
    writeFileSync(join(job, 'run.arrow'), encodeRun(smallRun(example(), 'cpu', { host: 'gpu-box' })));
    const { build } = await readBundle(program.folder);
    const options = { host: 'gpu-box', build, environment: machine.environment, triesAgain: false };
    const fetched = fetchJobs(options, async () => {
      machine.fail('ssh: connect to host gpu-box port 22: Connection timed out\n');
      machine.cut();
      await eventually(() => expect(machine.attached()).toEqual([]));
    });
    await expect(fetched).rejects.toMatchObject({ code: expect.stringMatching(/^host\./) });
    expect(existsSync(join(job, 'run.arrow'))).toBe(true);
  });

  it('says how many results came, and how many go on', async () => {
    machine.hold(true);
    await host.service.fetchMachine('gpu-box');
    await expect(host.service.fetchMachine('gpu-box')).rejects.toMatchObject({ code: 'host.busy' });
    machine.hold(false);
    await isIdle('gpu-box');
    expect(await state('gpu-box')).toMatchObject({ fetched: { runs: 0, running: 0 }, problem: null });
  });
});
