/** `copyscope connect` with OpenSSH's own server: setup, run, record, reconnection, other version, removal. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { bearer, connectAsWindow, sessionOf } from '../../../bench/support/hostClient.mjs';
import type { HostService, WindowService } from '../../../core/service/service.ts';
import { type Connection, connect, removeThere } from '../../../host/remote/connection.ts';
import { buildRecorder, noRecorder } from '../../support/recorder.ts';
import { example } from '../../unit/host/support/runs.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';
import { eventually } from '../../unit/support/eventually.ts';
import { type BuiltProgram, buildProgram } from './support/builtProgram.ts';
import { noSshd, type RealHost, realHost } from './support/realSsh.ts';

/** Records, and continues when something is written to `go` in its home. */
const untilReleased = 'rm -f go; mkfifo go; recorder/copyscope_record_player 1 200 > /dev/null; read go < go';

describe.skipIf(noSshd !== null)(`a host behind sshd${noSshd === null ? '' : ` (skipped: ${noSshd})`}`, () => {
  let program: BuiltProgram;
  let there: RealHost;
  let asked: string[];
  let ending: AbortController;
  let port: number | null = null;

  const cache = (): string => join(there.home, '.cache/copyscope');
  const stateFile = (): string => join(cache(), `host-${hostname()}.json`);

  async function connected({ agrees = true } = {}): Promise<Connection> {
    asked = [];
    ending = new AbortController();
    const connection = await connect({
      host: 'box',
      program: program.folder,
      environment: there.environment,
      port,
      signal: ending.signal,
      agree: async (says) => {
        asked.push(...says);
        return agrees;
      },
    });
    port = connection.port;
    return connection;
  }

  async function windowOf({ address }: Connection): Promise<{ service: HostService; close: () => void }> {
    const { service, socket } = await connectAsWindow(address, await sessionOf(address));
    await (service as WindowService).allowStarts('recording');
    return { service, close: () => socket.terminate() };
  }

  beforeAll(async () => {
    program = await buildProgram();
    mkdirSync(join(program.folder, 'dist/renderer'), { recursive: true });
    writeFileSync(join(program.folder, 'dist/renderer/index.html'), '<!doctype html><title>Copyscope</title>');
    there = await realHost(noRecorder === null ? buildRecorder() : null);
  });
  afterEach(() => ending?.abort());
  afterAll(async () => {
    await there?.close();
    program?.remove();
  });

  it('changes nothing if the copy is not agreed to', async () => {
    await expect(connected({ agrees: false })).rejects.toMatchObject({ code: 'run.cancelled' });
    expect(asked.join('\n')).toMatch(/^box: Linux \S+, .*\nCopyscope \S+ \([\d.]+ MiB, .*will be copied to ~\/\.cache/);
    expect(existsSync(cache())).toBe(false);
  });

  it('copies the program, starts it, and serves its window to the token alone', async () => {
    const { address, port: local } = await connected();
    const page = await fetch(`http://127.0.0.1:${local}/`);
    expect(await page.text()).toContain('<title>Copyscope</title>');
    expect(page.headers.get('content-security-policy')).toContain(`ws://127.0.0.1:${local}`);
    expect((await fetch(`http://127.0.0.1:${local}/session`)).status).toBe(401);
    const { service, close } = await windowOf({ address } as Connection);
    expect(await service.about()).toMatchObject({ remote: 'box', shell: 'browser' });
    close();
    const { searchParams } = new URL(address);
    const again = await fetch(`http://127.0.0.1:${local}/session`, { headers: bearer(searchParams.get('token')) });
    expect(again.status).toBe(401);
    expect(statSync(stateFile()).mode & 0o077).toBe(0);
  });

  it('continues without a connection, reconnects without a question, and has the run that has ended', async () => {
    const connection = await connected();
    expect(asked).toEqual([]);
    const { service } = await windowOf(connection);
    const { engines } = await service.devices(true);
    const engine = engines.some(({ kind, available }) => kind === 'cpu' && available) ? 'cpu' : 'sim';
    const { id } = await service.startRun({ experiment: example(), engine });
    there.cut();
    expect(await connection.ended).toMatchObject({ code: 'host.lost' });
    const before = there.processes();
    expect(before.some((command) => command.includes('connect-host'))).toBe(true);
    const next = await connected();
    expect(asked).toEqual([]);
    expect(next.port).toBe(connection.port);
    const again = await windowOf(next);
    await eventually(async () => {
      const runs = await again.service.runs();
      expect(runs.find((run) => run.id === id)).toMatchObject({
        status: 'complete',
        origin: engine === 'cpu' ? 'measured' : 'simulated',
      });
    });
    again.close();
  });

  it('records a program there', async ({ skip }) => {
    if (noRecorder !== null) skip(noRecorder);
    const { service, close } = await windowOf(await connected());
    await service.startRecording({
      command: ['sh', '-c', untilReleased],
      folder: there.home,
      environment: {},
      light: false,
      lines: false,
    });
    await eventually(() => expect(existsSync(join(there.home, 'go'))).toBe(true));
    there.as('echo go > go');
    await eventually(async () => expect(await service.recording()).toMatchObject({ phase: 'done', exitCode: 0 }));
    close();
  });

  it('leaves only the host when its connection has ended', async () => {
    await connected();
    ending.abort();
    await eventually(() => {
      const commands = there.processes().filter((command) => command.includes('connect-'));
      expect(commands).toHaveLength(1);
      expect(commands[0]).toContain('connect-host');
    });
  });

  const command = (args: readonly string[], signal = new AbortController().signal, out?: (text: string) => void) =>
    copyscope(['connect', ...args], program.engine, {
      ...(out === undefined ? {} : { terminal: { out } }),
      context: { program: program.folder, environment: there.environment, signal },
    });

  it('has a command that prints the address of the window, and ends well at Ctrl-C', async () => {
    const interrupted = new AbortController();
    let printed = '';
    const ended = command(['box', '--no-open'], interrupted.signal, (text) => {
      printed += text;
    });
    await eventually(() => expect(printed).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?token=\S+\n$/));
    await sessionOf(printed.trim());
    // The next address is printed after one was used.
    await eventually(() => expect(printed.trim().split('\n')).toHaveLength(2));
    interrupted.abort();
    expect((await ended).exitCode).toBe(0);
  });

  it.each(['-oProxyCommand=x', 'a;b', 'a b'])('refuses the name %j before ssh starts', async (name) => {
    expect((await command(['--', name])).exitCode).toBe(2);
  });

  it('asks before it replaces the host of another version', async () => {
    const { build } = JSON.parse(readFileSync(stateFile(), 'utf8')) as { build: string };
    writeFileSync(join(program.folder, 'dist/renderer/new.txt'), 'another version');
    const connection = await connected();
    expect(asked.join('\n')).toContain(`Copyscope ${build} runs there. It will be ended`);
    const { service, close } = await windowOf(connection);
    expect((await service.runs()).some(({ builtIn }) => !builtIn)).toBe(true);
    close();
    expect(JSON.parse(readFileSync(stateFile(), 'utf8')).build).not.toBe(build);
  });

  it('is refused in the words of ssh if its host key has changed', async () => {
    there.changeHostKey(true);
    await expect(connected()).rejects.toMatchObject({
      code: 'host.unreachable',
      message: expect.stringContaining('REMOTE HOST IDENTIFICATION HAS CHANGED'),
    });
    there.changeHostKey(false);
  });

  it('ends there and is deleted, but for its library', async () => {
    await removeThere('box', there.environment);
    expect(existsSync(cache())).toBe(false);
    expect(readdirSync(join(there.home, '.local/share/copyscope'))).toContain('runs');
    await eventually(() => expect(there.processes().filter((one) => one.includes('connect-host'))).toEqual([]));
  });
});
