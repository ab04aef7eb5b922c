/** Other machines as a window has them, with a stand-in for ssh. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { example, smallRun } from '../host/support/runs.ts';
import { copyscope } from '../host/support/terminal.ts';
import { eventually } from '../support/eventually.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { type StandIn, standInSsh } from './support/standInSsh.ts';

let program: BuiltProgram;
let machine: StandIn;
let host: Host;

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

  it('is refused where nobody has added it', async () => {
    await expect(host.service.connectMachine('other')).rejects.toMatchObject({ code: 'host.unknown' });
    const run = host.service.startRun({ experiment: example(), engine: 'sim', machine: 'other' });
    await expect(run).rejects.toMatchObject({ code: 'host.unknown' });
  });
});
