/** What windows hand to Slurm of this machine itself, whose programs are stand-ins. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StartRecording } from '../../../core/service/recording.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../../support/recorder.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from '../machines/support/builtProgram.ts';
import { kill, processesOf } from '../machines/support/standInSsh.ts';
import { type StandInSlurm, standInSlurm } from './support/cluster.ts';
import { slurmTerminal } from './support/slurmTerminal.ts';

let program: BuiltProgram;
let slurm: StandInSlurm;
let folder: string;
let host: Host | null;
let told: ReturnType<typeof toldWindow>;

beforeAll(async () => {
  program = await buildProgram();
});
afterAll(() => program.remove());
beforeEach(() => {
  slurm = standInSlurm();
  folder = mkdtempSync(join(tmpdir(), 'copyscope-window-'));
  told = toldWindow();
});
afterEach(() => {
  host?.close();
  host = null;
  slurm.remove();
  for (const { pid } of processesOf(folder)) kill(pid);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

function open(changes: NodeJS.ProcessEnv = {}): Host['service'] {
  const { environment } = slurmTerminal(program, slurm, folder);
  host = createHost({
    about: { version: '1.0.0', shell: 'browser', platform: 'linux', dataFolder: folder },
    assetsFolder: join(program.folder, 'assets'),
    spawnEngine: () => forkEngine(program.engine),
    environment: { ...environment, ...changes },
  });
  host.addWindow(told);
  return host.service;
}

const calibration = () => told.ownClusterChanged.mock.calls.at(-1)?.[0].calibration;
const recording = () => told.recordingChanged.mock.calls.at(-1)?.[0];

it('its settings are kept and told', async () => {
  const service = open();
  await service.setSlurm(null, { partition: 'main', lines: [], options: [] });
  expect(told.ownClusterChanged).toHaveBeenLastCalledWith(
    expect.objectContaining({ slurm: expect.objectContaining({ partition: 'main' }) }),
  );
  await service.setSlurm(null, null);
  expect((await service.ownCluster())?.slurm).toEqual({ lines: [], options: [] });
});

it('a calibration is one job, tells how far it is, and its profile is there', async () => {
  const service = open();
  await service.startCalibration(null, { engine: 'sim', quick: true });
  await expect(service.startCalibration(null, { engine: 'sim', quick: true })).rejects.toMatchObject({
    code: 'slurm.busy',
  });
  await eventually(() => expect(calibration()).toMatchObject({ isUnderWay: false, error: null }));
  expect(calibration()?.said).toMatch(/^Calibrating \d+\/\d+: /);
  expect(slurm.jobs()).toHaveLength(1);
  const own = (await service.profiles()).filter((profile) => profile.own);
  expect(own.map(({ name }) => name)).toEqual([calibration()?.profile]);
  expect(own[0]?.source).toContain('node01');
  expect(await service.slurmWorks(null)).toEqual([]);
});

it('a sweep is submitted, goes on after a restart, and its points come', async () => {
  slurm.conduct({ isHeld: true });
  const sweep = {
    format: 'copyscope/sweep',
    version: 1,
    name: 'Streams',
    base: { template: 'chunked-pipeline', parameters: { bytes: '4 MiB', chunkBytes: '1 MiB' } },
    axes: [{ parameter: 'streams', values: [1, 2] }],
  };
  const begun = await open().startSweep({ sweep, engine: 'sim', iterations: 1, slurm: { pointsPerJob: 2 } });
  expect(begun).toMatchObject({ status: 'running', slurm: { jobs: null }, device: 'NVIDIA H200' });
  expect(begun.host).toBeUndefined();
  host?.close();
  slurm.conduct({});
  const service = open();
  await service.continueSweep(begun.id, false);
  await eventually(async () => expect((await service.sweeps())[0]).toMatchObject({ status: 'complete', done: 2 }));
});

describe.skipIf(noRecorder !== null)(`a program${noRecorder === null ? '' : ` (skipped: ${noRecorder})`}`, () => {
  let built: string;
  beforeAll(() => {
    built = buildRecorder();
  });

  const request = (script: string): StartRecording => ({
    command: ['sh', '-c', `${player(built)} 2 40 > /dev/null; ${script}`],
    folder,
    environment: { GREETING: 'two words' },
    light: false,
    lines: false,
    slurm: true,
  });

  it('is recorded by one job, with its variables, and its run is in the library', async () => {
    const service = open(standInEnvironment(built));
    const begun = await service.startRecording(request('echo $GREETING; exit 5'));
    expect(begun).toMatchObject({ host: null, slurm: { jobs: null }, phase: 'recording' });
    await eventually(() => expect(recording()).toMatchObject({ phase: 'done', exitCode: 5, error: null }));
    expect(recording()?.output).toBe('two words\n');
    const { info } = decodeRun(await service.readRun(recording()?.run ?? ''));
    expect(info.host).toBe('node01');
    expect(slurm.jobs()).toHaveLength(1);
  });

  it('goes on where the host ends, and the same request brings its run', async () => {
    const gate = join(folder, 'go');
    const waits = request(`echo began; while [ ! -e '${gate}' ]; do sleep 0.1; done`);
    await open(standInEnvironment(built)).startRecording(waits);
    await eventually(() => expect(recording()?.output).toBe('began\n'));
    host?.close();
    const service = open(standInEnvironment(built));
    await service.startRecording(waits);
    writeFileSync(gate, '');
    await eventually(() => expect(recording()).toMatchObject({ phase: 'done', exitCode: 0 }));
    expect(slurm.jobs()).toHaveLength(1);
  });
});
