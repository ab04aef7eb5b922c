/**
 * `copyscope attach`: records a Python program that runs already. The program waits for a signal (python/copyscope/_signal.py):
 * in the user's folder below /tmp, PID.json says so, PID.request.json is what to record, and PID.status.json how far it is.
 */
import { execFile } from 'node:child_process';
import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { CopyscopeError } from '../../../core/errors.ts';
import { makeFolder, privately, removeFile, writeWhole } from '../../files/files.ts';
import { isAlive } from '../../files/thisProcess.ts';
import { refuseUnused, requireWritableAsRun } from '../inputFile.ts';
import { statusLine } from '../progress.ts';
import { keepRun, unusedName } from './record.ts';
import { explain, type Tools } from './run.ts';
import { serve } from './serve.ts';

export interface AttachOptions {
  readonly steps?: number | undefined;
  readonly duration?: number | undefined;
  readonly light: boolean;
  readonly open: boolean;
  readonly out?: string | undefined;
}

interface Status {
  readonly state: 'recording' | 'done' | 'failed';
  readonly problem?: string;
}

const everyMs = 100;
/** A program in a long call of compiled code hears a signal only after it. */
const answerMs = 60_000;
const loadMs = 20_000;

/** Rejects with `attach.*`, or as explain() does. */
export async function attach(tools: Tools, pid: number, options: AttachOptions): Promise<void> {
  const { context } = tools;
  if (options.steps !== undefined) refuseUnused({ '--duration': options.duration }, 'a recording without --steps');
  const out = resolve(options.out ?? unusedName());
  await requireWritableAsRun(out);
  const place = `/tmp/copyscope-${process.getuid?.() ?? 0}`;
  if (!isListening(place, pid)) {
    await load(context.program, place, pid);
    context.terminal.err([
      `Copyscope was loaded into process ${pid}. Ranges of NVTX are recorded only if the program uses NVTX for the first time`,
      'from now on. With copyscope.on_signal() at its start, the program has its steps.',
    ]);
  }
  const statusFile = join(place, `${pid}.status.json`);
  await removeFile(statusFile).catch(() => {});
  const request = { out, steps: options.steps, seconds: options.duration, light: options.light };
  await writeWhole(join(place, `${pid}.request.json`), JSON.stringify(request), privately);
  process.kill(pid, 'SIGUSR2');
  await untilDone(tools, pid, statusFile);
  await keepRun(context, `${out}.parts`, out);
  if (options.open) await serve(context, [out], { open: true });
  else await explain(tools, [out], { json: false });
}

async function untilDone({ context }: Tools, pid: number, statusFile: string): Promise<void> {
  const line = statusLine(context.terminal);
  const stop = (): void => void process.kill(pid, 'SIGUSR2');
  context.signal.addEventListener('abort', stop);
  line.show(`Waiting for process ${pid}`);
  try {
    for (let waitedMs = 0; ; waitedMs += everyMs) {
      const status = readJson(statusFile) as Status | null;
      if (status?.state === 'done') return;
      if (status?.state === 'failed') throw failed(pid, status.problem ?? 'It gave no reason.');
      if (status !== null) line.show(`Recording process ${pid}; Ctrl-C ends the recording early`);
      // A program that ended while it was recorded has left its files.
      if (hasEnded(pid)) return;
      if (status === null && waitedMs >= answerMs) throw failed(pid, 'It has not answered within a minute.');
      await pause(everyMs);
    }
  } finally {
    context.signal.removeEventListener('abort', stop);
    line.clear();
  }
}

/** SIGUSR2 ends a program that doesn't wait for it, so that all must agree: file, start time, and the kernel. */
function isListening(place: string, pid: number): boolean {
  const folder = lstatSync(place, { throwIfNoEntry: false });
  if (folder?.isDirectory() !== true || folder.uid !== process.getuid?.() || (folder.mode & 0o077) !== 0) return false;
  const told = readJson(join(place, `${pid}.json`)) as { readonly started?: string } | null;
  return told !== null && told.started === startTime(pid) && handlesSignal(pid, 'Cgt');
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

const processFile = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
};

/** A program whose parent has not asked how it ended is still in the system's list. */
const hasEnded = (pid: number): boolean => !isAlive(pid) || /^.*\) Z/s.test(processFile(pid, 'stat'));

/** The 22nd field, counted behind the program's name, which may hold spaces. */
const startTime = (pid: number): string | undefined =>
  processFile(pid, 'stat')
    .replace(/^.*\)\s+/s, '')
    .split(' ')[19];

const userSignal2 = 12;

function handlesSignal(pid: number, how: 'Cgt' | 'Ign'): boolean {
  const handled = new RegExp(`^Sig${how}:\\s*([0-9a-f]+)$`, 'm').exec(processFile(pid, 'status'))?.[1] ?? '0';
  return (BigInt(`0x${handled}`) & (1n << BigInt(userSignal2 - 1))) !== 0n;
}

/** Python 3.14 runs a file in another process of it, if the system lets one process look into the other. */
async function load(program: string, place: string, pid: number): Promise<void> {
  if (!isAlive(pid)) throw attachError(pid, 'there is no such process.', 'Look its number up with ps.');
  const python = executableOf(pid);
  if (!/python/.test(basename(python))) throw notWaiting(pid, 'it is no Python program that waits for a recording.');
  if (handlesSignal(pid, 'Cgt') || handlesSignal(pid, 'Ign')) {
    throw notWaiting(pid, "it doesn't wait for a recording, and uses SIGUSR2 for something else.");
  }
  const script = join(place, `${pid}.load.py`);
  await makeFolder(place, privately.folder);
  const folders = [dirname(dirname(program)), join(program, 'python')];
  const text = `import sys\nsys.path += ${JSON.stringify(folders)}\nimport copyscope\ncopyscope.on_signal()\n`;
  await writeWhole(script, text, privately);
  try {
    const call = `import sys; sys.remote_exec(${pid}, ${JSON.stringify(script)})`;
    await promisify(execFile)(python, ['-c', call], { timeout: loadMs });
    for (let waitedMs = 0; waitedMs < loadMs; waitedMs += everyMs) {
      if (isListening(place, pid)) return;
      await pause(everyMs);
    }
    throw new Error('the package copyscope was not loaded');
  } catch (thrown) {
    const words = String((thrown as { stderr?: string }).stderr ?? thrown)
      .trim()
      .split('\n');
    const reason = /no attribute 'remote_exec'/.test(words.join(' ')) ? 'its Python is older than 3.14' : words.at(-1);
    throw notWaiting(pid, `it doesn't wait for a recording, and can't be made to: ${reason}.`);
  } finally {
    await removeFile(script).catch(() => {});
  }
}

function executableOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/exe`);
  } catch {
    return '';
  }
}

const attachError = (pid: number, what: string, remedy: string): CopyscopeError =>
  new CopyscopeError({
    code: 'usage.attach',
    field: 'pid',
    message: `Process ${pid} can't be recorded: ${what}`,
    remedy,
  });

const notWaiting = (pid: number, what: string): CopyscopeError =>
  attachError(pid, what, 'Add to the program: import copyscope; copyscope.on_signal()');

const failed = (pid: number, problem: string): CopyscopeError =>
  new CopyscopeError({
    code: 'engine.unavailable',
    message: `Process ${pid} was not recorded. ${problem}`,
    remedy: 'The program goes on. copyscope record starts a program with the recorder in it.',
  });
