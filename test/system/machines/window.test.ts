/** Other machines as a window has them, with a stand-in for ssh. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { forkEngine } from '../../../host/engine/child.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { example } from '../../unit/host/support/runs.ts';
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
});
