import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CopyscopeError } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { Streams } from '../../../host/cli/io.ts';
import { EngineSupervisor } from '../../../host/engine/supervisor.ts';
import { readBundle } from '../../../host/machines/bundle.ts';
import { type LineState, machineChild } from '../../../host/machines/machineChild.ts';
import { buildRecorder, noRecorder } from '../../support/recorder.ts';
import { example, exampleFile } from '../../unit/host/support/runs.ts';
import { copyscope, type Result } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { noSshd, type RealMachine, realMachine, type Way } from './support/realSsh.ts';
import { alwaysNode } from './support/tools.ts';

const cutLines = 20;
const waysAtOnce = 5;

/** Records, says who it is, and goes on until something is written to `go` at its home. */
const untilReleased = 'rm -f go; mkfifo go; recorder/copyscope_record_player 1 200 > /dev/null; id -u; read go < go';

/** Goes on until it is ended: for minutes, where it is not. */
function lasting(): Experiment {
  const [thread, ...others] = example().threads;
  if (thread === undefined) throw new Error('the example has no thread');
  const work = { op: 'work' as const, durationNs: 1e9 };
  return {
    ...example(),
    environment: { ...example().environment, iterations: 600, warmups: 0 },
    threads: [{ ...thread, operations: [work, ...thread.operations] }, ...others],
  };
}

describe.skipIf(noSshd !== null)(`a machine behind sshd${noSshd === null ? '' : ` (skipped: ${noSshd})`}`, () => {
  let program: BuiltProgram;
  let machine: RealMachine;
  let build: string;

  const cli = (args: string[], terminal: Partial<Streams> = {}): Promise<Result> =>
    copyscope(args, program.engine, {
      terminal,
      context: { program: program.folder, environment: machine.environment },
    });
  const base = (): string => join(machine.home, '.local/share/copyscope-host');
  const jobs = (): string[] => (existsSync(join(base(), 'jobs')) ? readdirSync(join(base(), 'jobs')) : []);
  const stopEngines = (): Promise<void> => eventually(() => expect(machine.stopEngines()).toBe(true));
  const nothingLeft = (): Promise<void> =>
    eventually(() => expect({ processes: machine.processes(), jobs: jobs() }).toEqual({ processes: [], jobs: [] }));

  beforeAll(async () => {
    program = await buildProgram();
    machine = await realMachine(noRecorder === null ? buildRecorder() : null);
    ({ build } = await readBundle(program.folder));
    const added = await cli(['host', 'add', 'box', '--yes']);
    expect(added.err).toContain('box is set up');
  });
  afterAll(async () => {
    await machine?.close();
    program?.remove();
  });

  it('runs an experiment on its CPU, and leaves nothing running', async ({ skip }) => {
    if (!program.hasAddon) skip('the native addon is not built here');
    const ran = await cli(['run', exampleFile('pinned-side-stream'), '--engine', 'cpu', '--host', 'box']);
    expect(ran.exitCode).toBe(0);
    expect(ran.out).toMatch(/measured on .* of box by the CPU engine/);
    await nothingLeft();
  });

  it('records a program, also where its line is lost', async ({ skip }) => {
    if (noRecorder !== null) skip(noRecorder);
    const out = join(machine.data, 'recorded.arrow');
    const states: string[] = [];
    const ended = cli(['record', '--host', 'box', '--out', out, '--', 'sh', '-c', untilReleased], {
      animated: true,
      err: (text) => {
        if (text.includes('200 copies') && states.length === 0) {
          states.push('recording');
          machine.cut();
        } else if (text.includes('was lost')) {
          states.push('lost');
          void writeFile(join(machine.home, 'go'), 'go\n');
        }
      },
    });
    const { exitCode, out: printed } = await ended;
    expect({ exitCode, states }).toEqual({ exitCode: 0, states: ['recording', 'lost'] });
    expect(printed).toBe(`${machine.uid}\n`);
    expect(decodeRun(new Uint8Array(readFileSync(out))).info.host).toBe('box');
    await nothingLeft();
  });

  it('runs a sweep', async () => {
    const file = join(machine.data, 'sweep.json');
    const axes = [{ fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: [1 << 20, 2 << 20] }];
    const sweep = { format: 'copyscope/sweep', version: 1, name: 'Bytes', base: { experiment: example() }, axes };
    writeFileSync(file, JSON.stringify(sweep));
    const { out, err, exitCode } = await cli(['sweep', file, '--engine', 'sim', '--host', 'box', '--json']);
    expect({ err, exitCode }).toEqual({ err: '', exitCode: 0 });
    expect(JSON.parse(out).points).toHaveLength(2);
    await nothingLeft();
  });

  it('loses nothing where the line is cut after any number of bytes', async () => {
    const before = machine.bytes;
    const whole = await runOver(machine, null);
    const usual = machine.bytes - before;
    expect(whole).toBe('complete');
    // Nearly a third of the bytes are ssh's own, before anything is begun.
    const moments = fc.sample(fc.noBias(fc.integer({ min: Math.floor(usual / 4), max: usual })), cutLines);
    // Several at once, since each makes two lines: a busy machine takes seconds for one.
    const ways = await Promise.all(Array.from({ length: waysAtOnce }, () => machine.anotherWay()));
    const ended: (readonly [cut: number, how: string])[] = [];
    await Promise.all(
      ways.map(async (way) => {
        for (let cut = moments.pop(); cut !== undefined; cut = moments.pop())
          ended.push([cut, await runOver(way, cut)]);
      }),
    );
    expect(ended).toHaveLength(cutLines);
    // Where the first line never came about, nothing was begun.
    expect(ended.filter(([, how]) => how !== 'complete' && how !== 'host.unreachable')).toEqual([]);
    await eventually(() => expect(jobs()).toEqual([]));
    // One whose line was cut before anybody here knew of it is never told that it may end.
    await eventually(() => {
      machine.killKeepers();
      expect(machine.processes()).toEqual([]);
    });
  });

  it('goes on without its window, and has the run fetched later', async ({ skip }) => {
    if (!program.hasAddon) skip('the native addon is not built here');
    const supervisor = new EngineSupervisor({
      host: 'box',
      spawn: () => machineChild({ host: 'box', build, environment: machine.environment }),
    });
    await supervisor.report();
    await stopEngines();
    supervisor.run({ experiment: example(), engine: 'cpu' }).catch(() => {});
    await eventually(() => expect(jobs()).toHaveLength(1));
    supervisor.close();
    machine.letEngines();
    const fetched = await eventually(async () => {
      const result = await cli(['host', 'fetch', 'box']);
      expect(result.err).toMatch(/^1 run was fetched from box\./);
      return result;
    });
    const file = join(machine.data, 'runs', `${fetched.out.trim()}.arrow`);
    expect(decodeRun(new Uint8Array(readFileSync(file))).info).toMatchObject({ status: 'complete', host: 'box' });
    expect(await cli(['host', 'fetch', 'box'])).toMatchObject({ err: '0 runs were fetched from box.\n' });
    await nothingLeft();
  });

  it('cancels there what is cancelled here', async ({ skip }) => {
    if (!program.hasAddon) skip('the native addon is not built here');
    const supervisor = new EngineSupervisor({
      host: 'box',
      // It is that machine that cancels it, however long the way there and back takes.
      cancelGraceMs: 600_000,
      spawn: () => machineChild({ host: 'box', build, environment: machine.environment }),
    });
    const controller = new AbortController();
    const hooks = { signal: controller.signal, onProgress: () => controller.abort() };
    const run = supervisor.run({ experiment: lasting(), engine: 'cpu' }, hooks);
    await expect(run).rejects.toMatchObject({ code: 'run.cancelled' });
    supervisor.close();
    await nothingLeft();
  });

  it('tells of a run whose line is lost, and gets it once there is one again', async ({ skip }) => {
    if (!program.hasAddon) skip('the native addon is not built here');
    const states: LineState[] = [];
    const supervisor = new EngineSupervisor({
      host: 'box',
      spawn: () =>
        machineChild({
          host: 'box',
          build,
          environment: machine.environment,
          pausesMs: [0],
          onLine: (state) => {
            states.push(state);
            if (state === 'lost') machine.letEngines();
            // Two attempts fail before one is let through.
            if (states.filter((one) => one === 'connecting').length === 4) machine.refuse(false);
          },
        }),
    });
    await supervisor.report();
    await stopEngines();
    const run = supervisor.run({ experiment: example(), engine: 'cpu' });
    await eventually(() => expect(jobs()).toHaveLength(1));
    machine.refuse(true);
    machine.cut();
    expect((await run).info.status).toBe('complete');
    expect(states.filter((state) => state !== 'connecting')).toEqual(['up', 'lost', 'up']);
    supervisor.close();
    await nothingLeft();
  });

  it('says that its disk is full, and gives a result that it could not keep', async ({ skip }) => {
    const [folder, filler] = [base(), join(base(), 'filler')];
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=24m,mode=777', 'tmpfs', folder]).status !== 0) {
      skip('no disk can be mounted here');
    }
    try {
      const fill = (): void => void spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']);
      fill();
      const refused = await cli(['host', 'add', 'box', '--yes']);
      expect(refused.err).toContain('No space left on device');
      expect(refused.exitCode).toBe(1);
      expect(readdirSync(join(folder, 'programs'))).toEqual([]);
      rmSync(filler);
      expect((await cli(['host', 'add', 'box', '--yes'])).exitCode).toBe(0);
      fill();
      const ran = await cli(['run', exampleFile('pinned-side-stream'), '--engine', 'sim', '--host', 'box']);
      expect({ err: ran.err, exitCode: ran.exitCode }).toEqual({ err: '', exitCode: 0 });
      await eventually(() => expect(machine.processes()).toEqual([]));
    } finally {
      spawnSync('umount', ['-l', folder]);
    }
  });

  it('tells of another version there, and replaces it on request', async () => {
    // As after both ends were set up with one build, and this end has got another one.
    const other = '0.0.9-0123456789ab';
    machine.as(`mv '${join(base(), 'programs', build)}' '${join(base(), 'programs', other)}'`);
    const ran = await cli(['devices', '--host', 'box']);
    expect(ran.err).toContain('box does not have this version of Copyscope.');
    expect(ran.exitCode).toBe(3);
    const told = await cli(['host', 'add', 'box', '--yes']);
    expect(told.err).toContain(`box has Copyscope ${other}; here it is ${build}.`);
    expect(told.err).toContain('Replace it with: copyscope host add box --replace');
    expect(told.exitCode).toBe(3);
    expect(readdirSync(join(base(), 'programs'))).toEqual([other]);
    const replaced = await cli(['host', 'add', 'box', '--yes', '--replace']);
    expect(replaced.err).toContain(`Build ${other} there will be deleted.`);
    expect(replaced.exitCode).toBe(0);
    expect(readdirSync(join(base(), 'programs'))).toEqual([build]);
    expect((await cli(['devices', '--host', 'box'])).exitCode).toBe(0);
    await nothingLeft();
  });

  it('brings a Node to a machine that has none', async ({ skip }) => {
    if (alwaysNode !== null) skip(alwaysNode);
    machine.hideNode(true);
    try {
      const added = await cli(['host', 'add', 'box', '--yes']);
      expect(added.err).toContain('no Node 20.19 or newer.');
      expect(added.err).toContain(`A Node will be copied with it: ${process.execPath}.`);
      expect(added.exitCode).toBe(0);
      expect(existsSync(join(base(), 'programs', build, 'node/bin/node'))).toBe(true);
      const ran = await cli(['run', exampleFile('pinned-side-stream'), '--engine', 'sim', '--host', 'box']);
      expect({ err: ran.err, exitCode: ran.exitCode }).toEqual({ err: '', exitCode: 0 });
    } finally {
      machine.hideNode(false);
    }
    // Where there is one after all, it is used, and the copy goes.
    const again = await cli(['host', 'add', 'box', '--yes']);
    expect(again, again.err).toMatchObject({ exitCode: 0 });
    expect(existsSync(join(base(), 'programs', build, 'node'))).toBe(false);
    await nothingLeft();
  });

  it('says that a run is lost whose keeper was killed, and leaves nothing of it', async ({ skip }) => {
    if (!program.hasAddon) skip('the native addon is not built here');
    const supervisor = new EngineSupervisor({
      host: 'box',
      spawn: () => machineChild({ host: 'box', build, environment: machine.environment, pausesMs: [0] }),
    });
    const hooks = { onProgress: () => machine.killKeepers() };
    const run = supervisor.run({ experiment: lasting(), engine: 'cpu' }, hooks);
    await expect(run).rejects.toMatchObject({ code: 'host.session-gone' });
    supervisor.close();
    // A process that was killed is listed until its parent has heard of it.
    await eventually(async () =>
      expect((await cli(['host', 'fetch', 'box'])).err).toBe('0 runs were fetched from box.\n'),
    );
    await nothingLeft();
  });

  it('keeps what was recorded where the keeper is killed, and brings it once the program has ended', async ({
    skip,
  }) => {
    if (noRecorder !== null) skip(noRecorder);
    const { exitCode, err } = await recordUntilReleased((text) => {
      if (text.includes('200 copies')) machine.killKeepers();
    });
    expect(exitCode).toBe(1);
    expect(err).toContain('What was in progress on box is not there any more');
    expect((await cli(['host', 'fetch', 'box'])).err).toBe('0 runs were fetched from box. 1 in progress there.\n');
    await writeFile(join(machine.home, 'go'), 'go\n');
    const { info, trace } = await fetchedRun();
    expect(info.host).toBe('box');
    expect(info.notes[0]).toContain('how the program ended isn’t known');
    expect(trace.count).toBeGreaterThan(200);
    await nothingLeft();
  });

  it('goes on recording where the command here is killed, and its run is fetched later', async ({ skip }) => {
    if (noRecorder !== null) skip(noRecorder);
    const words = [
      'record',
      '--host',
      'box',
      '--out',
      join(machine.data, 'none.arrow'),
      '--',
      'sh',
      '-c',
      untilReleased,
    ];
    const command = spawn(process.execPath, [join(program.folder, 'dist/host/cli.js'), ...words], {
      env: machine.environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(command, 'exit');
    for await (const text of command.stdout.setEncoding('utf8')) if (`${text}`.includes(`${machine.uid}`)) break;
    command.kill('SIGKILL');
    await ended;
    await writeFile(join(machine.home, 'go'), 'go\n');
    const { info, trace } = await fetchedRun();
    expect(info.host).toBe('box');
    expect(trace.count).toBeGreaterThan(200);
    await nothingLeft();
  });

  it('is refused in the words of ssh where its host key has changed', async () => {
    machine.changeHostKey(true);
    const { err, exitCode } = await cli(['devices', '--host', 'box']);
    machine.changeHostKey(false);
    expect(err).toContain('REMOTE HOST IDENTIFICATION HAS CHANGED');
    expect(err).toContain('Host key verification failed.');
    expect(exitCode).toBe(3);
  });

  const recordUntilReleased = (err: (text: string) => void): Promise<Result> =>
    cli(['record', '--host', 'box', '--out', join(machine.data, 'none.arrow'), '--', 'sh', '-c', untilReleased], {
      animated: true,
      err,
    });

  /** The one run that waits there, once it does. */
  async function fetchedRun(): Promise<Run> {
    const { out } = await eventually(async () => {
      const result = await cli(['host', 'fetch', 'box']);
      expect(result.err).toMatch(/^1 run was fetched/);
      return result;
    });
    return decodeRun(new Uint8Array(readFileSync(join(machine.data, 'runs', `${out.trim()}.arrow`))));
  }

  /** Runs something while the first connection is cut after so many bytes; says how it ended. */
  async function runOver(way: Way, cut: number | null): Promise<string> {
    let isFirst = true;
    const supervisor = new EngineSupervisor({
      host: 'box',
      spawn: () =>
        machineChild({
          host: 'box',
          build,
          environment: way.environment,
          pausesMs: [0],
          // A busy machine takes long to make the next line.
          idleMs: 600_000,
          onLine: (state: LineState) => {
            if (state === 'connecting' && isFirst && cut !== null) way.cutAfter(cut);
            if (state === 'connecting') isFirst = false;
          },
        }),
    });
    try {
      const profile = {
        name: 'h200',
        json: JSON.parse(readFileSync(join(program.folder, 'assets/profiles/h200.json'), 'utf8')),
      };
      const { file } = await supervisor.run({ experiment: example(), engine: 'sim', profile });
      const { info } = decodeRun(file);
      expect(info.host).toBe('box');
      return info.status;
    } catch (error) {
      return (error as CopyscopeError).code;
    } finally {
      supervisor.close();
      way.cutAfter(Number.POSITIVE_INFINITY);
    }
  }
});
