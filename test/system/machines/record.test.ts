/** Programs recorded on another machine, with stand-ins for ssh and for CUPTI. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../../support/recorder.ts';
import { copyscope, type Result } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { type StandIn, standInSsh } from './support/standInSsh.ts';

describe.skipIf(noRecorder !== null)(
  `a program on another machine${noRecorder === null ? '' : ` (${noRecorder})`}`,
  () => {
    let program: BuiltProgram;
    let machine: StandIn;
    let built: string;

    const cli = (args: string[], signal?: AbortSignal, err?: (text: string) => void): Promise<Result> =>
      copyscope(args, program.engine, {
        context: {
          program: program.folder,
          environment: { ...machine.environment, ...standInEnvironment(built) },
          ...(signal === undefined ? {} : { signal }),
        },
        ...(err === undefined ? {} : { terminal: { err, animated: true } }),
      });
    const out = (): string => join(machine.home, 'there.arrow');
    const record = (command: string[], signal?: AbortSignal, err?: (text: string) => void): Promise<Result> =>
      cli(['record', '--host', 'gpu-box', '--folder', '~', '--out', out(), '--', ...command], signal, err);
    const recorded = () => decodeRun(new Uint8Array(readFileSync(out())));
    /** Records, and goes on until it is released. */
    const waits = (): string[] => ['sh', '-c', `mkfifo go; ${player(built)} 1 200 > /dev/null; read go < go`];
    const release = (): Promise<void> => writeFile(join(machine.home, 'go'), 'go\n');
    const jobs = join('.local/share/copyscope-host', 'jobs');
    const nothingLeft = (): Promise<void> =>
      eventually(() =>
        expect({ processes: machine.processes(), jobs: readdirSync(join(machine.home, jobs)) }).toEqual({
          processes: [],
          jobs: [],
        }),
      );

    beforeAll(async () => {
      program = await buildProgram();
      built = buildRecorder();
    });
    afterAll(() => program.remove());
    beforeEach(async () => {
      machine = standInSsh();
      expect((await cli(['host', 'add', 'gpu-box', '--yes'])).exitCode).toBe(0);
    });
    afterEach(() => machine.remove());

    it('runs in its folder there, prints here, and its run comes back', async () => {
      const script = `${player(built)} 2 40 > /dev/null; pwd; echo careful >&2; exit 5`;
      const { exitCode, out: printed, err } = await record(['sh', '-c', script]);
      expect({ exitCode, printed }).toEqual({ exitCode: 5, printed: `${machine.home}\n` });
      expect(err).toContain('careful\n');
      expect(err).toContain(`Written to ${out()}.`);
      const { info, trace } = recorded();
      expect(info.host).toBe('gpu-box');
      expect(info.notes).toContain('The program ended with exit code 5.');
      expect(trace.count).toBeGreaterThan(80);
      await nothingLeft();
    });

    it('says why it can not be started there', async () => {
      const missing = await record(['no-such-program']);
      expect(missing.err).toContain("no-such-program can't be started: there is no such program.");
      expect(missing.exitCode).toBe(2);
      const folder = await cli([
        'record',
        '--host',
        'gpu-box',
        '--folder',
        '/no/such/folder',
        '--out',
        out(),
        '--',
        'true',
      ]);
      expect(folder.err).toContain('/no/such/folder is not there.');
      const nothing = await record(['true']);
      expect(nothing.err).toContain('nothing was recorded');
      expect(nothing.exitCode).toBe(1);
      expect(existsSync(out())).toBe(false);
      await nothingLeft();
    });

    it('goes on where the line drops, and its run comes once there is one again', async () => {
      let [isCut, isBack] = [false, false];
      const ended = record(waits(), undefined, (text) => {
        if (text.includes('200 copies') && !isCut) {
          isCut = true;
          machine.fail('ssh: connect to host gpu-box port 22: Connection timed out\n');
          machine.cut();
        } else if (text.includes('was lost')) {
          isBack = true;
          machine.fail(null);
          void release();
        }
      });
      expect((await ended).exitCode).toBe(0);
      expect(isBack).toBe(true);
      expect(recorded().info.host).toBe('gpu-box');
      await nothingLeft();
    });

    it('is asked to end by Ctrl-C, and what was recorded is kept', async () => {
      const interrupted = new AbortController();
      const ended = record(['sh', '-c', `exec ${player(built)} 1 200 wait`], interrupted.signal, (text) => {
        if (text.includes('200 copies')) interrupted.abort();
      });
      expect((await ended).exitCode).toBe(130);
      expect(recorded().info.notes).toContain('The program was stopped from the machine that asked for it.');
      await nothingLeft();
    });
  },
);
