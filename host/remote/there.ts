/**
 * The far end of `copyscope connect`, which ssh starts. It starts this user's host unless one runs, prints its token,
 * and waits for the connection to end. The host goes on without a connection, and ends when no window is open and
 * nothing is in progress.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, watchFile } from 'node:fs';
import { mkdir, readFile, rm, symlink } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { isUnderWay } from '../../core/service/recording.ts';
import { privately, writeWhole } from '../files/files.ts';
import { startServer } from '../server/server.ts';
import type { Host } from '../service/host.ts';

/** State of the host, in a folder that only the user may read. */
const stateSchema = z.object({
  pid: z.number().int(),
  build: z.string(),
  socket: z.string(),
  token: z.string().regex(/^[\w-]+$/),
});
type HostState = z.infer<typeof stateSchema>;

/** Returns the state file. `program` is the folder of one build below the cache. Several nodes may share a home. */
const stateFile = (program: string): string => join(dirname(program), `host-${hostname()}.json`);

async function runningHost(program: string): Promise<HostState | null> {
  try {
    const state = stateSchema.parse(JSON.parse(await readFile(stateFile(program), 'utf8')));
    return (await answers(state.socket)) ? state : null;
  } catch {
    return null;
  }
}

function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** Resolves when the connection ends. `ticket` names the path that the near end forwards to. */
export async function attend(
  program: string,
  ticket: string,
  name: string,
  print: (line: string) => void,
): Promise<void> {
  if (!/^[0-9a-f]{32}$/.test(ticket))
    throw new CopyscopeError({ code: 'usage.invalid', message: 'This is no ticket.' });
  const state = (await runningHost(program)) ?? (await startHost(program, name));
  const way = `/var/tmp/copyscope-${ticket}`;
  await mkdir(way, { mode: 0o700 });
  try {
    await symlink(state.socket, join(way, 'host'));
    let told = '';
    const tell = (token: string): void => {
      if (token !== told) print(`copyscope token ${token}`);
      told = token;
    };
    tell(state.token);
    const file = stateFile(program);
    watchFile(file, { interval: 500, persistent: false }, () => {
      void runningHost(program).then((now) => now !== null && tell(now.token));
    });
    await new Promise<void>((resolve) => {
      for (const event of ['end', 'close', 'error']) process.stdin.once(event, () => resolve());
      process.stdin.resume();
    });
  } finally {
    await rm(way, { recursive: true, force: true });
  }
}

/** Resolves when the host accepts connections. */
async function startHost(program: string, name: string): Promise<HostState> {
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'connect-host', name], {
    detached: true,
    // Not this process's own stderr, since sshd ends a session only when no process has that open.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4096);
  });
  const ended = once(child, 'exit').then(() => {
    throw new CopyscopeError({ code: 'host.failed', message: `The host could not be started: ${said.trim()}` });
  });
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});
  child.disconnect();
  child.stderr?.destroy();
  child.unref();
  const state = await runningHost(program);
  if (state !== null) return state;
  throw new CopyscopeError({ code: 'host.failed', message: 'The host ended when it was started.' });
}

/** A host without windows and work ends after this time, so that it holds no GPU. */
const idleMs = 10 * 60_000;
const lookMs = 30_000;

/** Serves the host on a socket of this user until it is idle or the signal fires. */
export async function serveThere(host: Host, program: string, signal: AbortSignal): Promise<void> {
  process.on('SIGHUP', () => {});
  // No process reads stderr after the start.
  process.stderr.on('error', () => {});
  const folder = mkdtempSync('/var/tmp/copyscope-host-');
  const socket = join(folder, 'host');
  const tell = (): Promise<void> =>
    writeWhole(
      stateFile(program),
      JSON.stringify({ pid: process.pid, build: basename(program), socket, token: server.token } satisfies HostState),
      privately,
    );
  const server = await startServer({
    host,
    pageFolder: join(program, 'dist/renderer'),
    socket,
    onAddress: () => void tell().catch(() => {}),
  });
  try {
    await tell();
    process.send?.('ready');
    let idleSince = performance.now();
    const idle = new AbortController();
    const timer = setInterval(async () => {
      const isIdle = server.windows === 0 && !(await isBusy(host));
      if (!isIdle) idleSince = performance.now();
      else if (performance.now() - idleSince > idleMs) idle.abort();
    }, lookMs);
    await once(AbortSignal.any([signal, idle.signal]), 'abort');
    clearInterval(timer);
  } finally {
    const own = await runningHost(program);
    if (own?.pid === process.pid) rmSync(stateFile(program), { force: true });
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function isBusy({ service }: Host): Promise<boolean> {
  const [runs, sweeps, recording] = await Promise.all([service.runs(), service.sweeps(), service.recording()]);
  const isRunning = [...runs, ...sweeps].some(({ status }) => status === 'running');
  return isRunning || (recording !== null && isUnderWay(recording));
}
