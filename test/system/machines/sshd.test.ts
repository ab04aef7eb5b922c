import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import type { Streams } from '../../../host/cli/io.ts';
import { EngineSupervisor } from '../../../host/engine/supervisor.ts';
import { readBundle } from '../../../host/machines/bundle.ts';
import { type LineState, machineChild } from '../../../host/machines/machineChild.ts';
import { buildRecorder, noRecorder } from '../../support/recorder.ts';
import { example, exampleFile } from '../../unit/host/support/runs.ts';
import { copyscope, type Result } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { noSshd, type RealMachine, realMachine } from './support/realSsh.ts';

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

  it('is refused in the words of ssh where its host key has changed', async () => {
    machine.changeHostKey(true);
    const { err, exitCode } = await cli(['devices', '--host', 'box']);
    machine.changeHostKey(false);
    expect(err).toContain('REMOTE HOST IDENTIFICATION HAS CHANGED');
    expect(err).toContain('Host key verification failed.');
    expect(exitCode).toBe(3);
  });
});
