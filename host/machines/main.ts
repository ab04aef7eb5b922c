/**
 * The program on the other machine. ssh starts `attach SESSION engine|new|again IDLE_MS`, which passes bytes between its own stdin
 * and stdout and the keeper of that session: a process of the same user that outlives the line, listens on a socket in a
 * folder that only this user may enter, and ends by itself. No port is opened. Slurm starts `slurm-task FOLDER SUBMISSION
 * TASK` on its nodes.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { lstatSync, mkdirSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { endings, greeting } from './protocol.ts';

const sessionPattern = /^[0-9a-f-]{36}$/;

/** In /tmp whatever TMPDIR says, which may differ from login to login; a home's path may be too long for a socket's. */
function socketPath(session: string): string {
  if (!sessionPattern.test(session)) throw new Error('there is no such session');
  const uid = process.getuid?.() ?? 0;
  const folder = `/tmp/copyscope-${uid}`;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  if (!found.isDirectory() || found.uid !== uid || (found.mode & 0o077) !== 0) {
    throw new Error(`${folder} is not a folder of this user alone`);
  }
  return join(folder, session);
}

/** Passes bytes until either side ends. */
async function attach(session: string, how: string, idleMs: string): Promise<void> {
  const path = socketPath(session);
  if (how !== 'again') await startKeeper(session, how, idleMs);
  const socket = await connect(path);
  if (socket === null) {
    process.stderr.write('Its session there has ended.\n');
    process.exit(endings.noSession);
  }
  process.stdout.write(greeting);
  process.stdin.pipe(socket).pipe(process.stdout);
  const leave = (): void => process.exit(0);
  socket.on('close', leave).on('error', leave);
  process.stdout.on('error', () => socket.destroy());
}

function connect(path: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(null));
  });
}

/** Resolves when it can be connected to. */
function startKeeper(session: string, how: string, idleMs: string): Promise<void> {
  const script = process.argv[1] ?? '';
  const child: ChildProcess = spawn(process.execPath, [script, 'keep', session, how, idleMs], {
    detached: true,
    // Not this process's own stderr: sshd ends a session only once nobody has that open.
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-4096);
  });
  return new Promise((resolve, reject) => {
    child.once('message', () => {
      child.disconnect();
      child.stderr?.destroy();
      child.unref();
      resolve();
    });
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(said === '' ? `its keeper ended with exit code ${code}` : said)));
  });
}

/** A job of Slurm's, which tells it so before it ends it. */
async function slurmTask([folder = '', submission, task]: readonly string[]): Promise<void> {
  const ended = new AbortController();
  process.on('SIGTERM', () => ended.abort());
  const [{ runTask }, { programFolder }] = [await import('../slurm/task.ts'), await import('../paths.ts')];
  const node = process.env['SLURMD_NODENAME'] ?? hostname();
  const numbers = { submission: Number(submission), task: Number(task) };
  process.exitCode = await runTask({ folder, ...numbers, program: programFolder(), node, signal: ended.signal });
}

async function main([what, ...args]: readonly string[]): Promise<void> {
  const [session = '', how = '', idleMs = ''] = args;
  // What only passes bytes loads none of it: whoever waits for the first lanes waits for that.
  if (what === 'keep') (await import('./keep.ts')).keep(socketPath(session), how === 'engine', Number(idleMs));
  else if (what === 'attach') await attach(session, how, idleMs);
  else if (what === 'slurm-task') await slurmTask(args);
  else throw new Error('this program is started by Copyscope on another machine');
}

await main(process.argv.slice(2)).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
