/** Runs a program with the recorder loaded, and reads the files of its processes. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { lstat, readdir, rm, rmdir, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { CopyscopeError, type ErrorInfo, toErrorInfo } from '../../core/errors.ts';
import { RecordedProcess } from '../../core/import/recorded/recordedProcess.ts';
import { runOf } from '../../core/import/recorded/recording.ts';
import type { RecordedSoFar } from '../../core/service/recording.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';
import { recordLibrary } from '../../native/addon.ts';
import { makeFolder, privately, readPlain, storageError } from '../files/files.ts';
import { LiveCounts, recordingEnding } from './liveCounts.ts';
import { type RecordSettings, recordEnvironment } from './recordSettings.ts';
import { sourceLines } from './sourceLines.ts';

export interface RecordRequest {
  readonly command: readonly [string, ...string[]];
  readonly settings: RecordSettings;
  readonly environment: NodeJS.ProcessEnv;
  /** Folder for the processes' files. */
  readonly folder: string;
  /** Asks the program to end, as Ctrl-C does. */
  readonly signal: AbortSignal;
  /** Milliseconds after which a program is interrupted again, since a terminal's Ctrl-C reaches it without us. */
  readonly patienceMs?: number | undefined;
  readonly onCounts?: ((counts: RecordedSoFar) => void) | undefined;
  /** Options of a program without a terminal; left out, it uses this process's terminal. */
  readonly own?: OwnProgram | undefined;
}

/** A program without a terminal. It has its own process group, so that its children end with it. */
export interface OwnProgram {
  /** Folder in which it runs. */
  readonly folder: string;
  readonly onOutput: (text: string, isError: boolean) => void;
  /** Ends the program at once. */
  readonly killed: AbortSignal;
}

const countsEveryMs = 500;

/** Returns the exit code, or 128 plus the signal that killed it. Rejects with `usage.*` and `engine.unavailable`. */
export async function recordProgram(request: RecordRequest): Promise<number> {
  const { settings, folder, onCounts } = request;
  const library = recordLibrary(request.environment);
  const environment = recordEnvironment(request.environment, library, folder, settings);
  if (request.command[0] === '') throw noProgram();
  await makeFolder(folder, privately.folder).catch((error: NodeJS.ErrnoException) => {
    throw storageError(`${folder} could not be made`, error);
  });
  const counts = new LiveCounts(folder);
  const tell = async (): Promise<void> => onCounts?.(await counts.read());
  const timer = setInterval(() => void tell(), countsEveryMs);
  try {
    return await runToEnd(request, environment);
  } catch (thrown) {
    // The folder is empty if the program could not start.
    await rmdir(folder).catch(() => {});
    throw thrown;
  } finally {
    clearInterval(timer);
    await tell();
  }
}

const usualPatienceMs = 3000;

function runToEnd(
  { command: [file, ...args], signal, patienceMs = usualPatienceMs, own }: RecordRequest,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const child =
      own === undefined
        ? spawn(file, args, { stdio: 'inherit', env })
        : spawn(file, args, { stdio: ['ignore', 'pipe', 'pipe'], env, cwd: own.folder, detached: true });
    const forget =
      own === undefined ? endByTerminal(child, signal, patienceMs) : endGroup(child, signal, patienceMs, own);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => own?.onOutput(text, stream === child.stderr));
    child.once('error', (error: NodeJS.ErrnoException) => {
      forget();
      reject(notStarted(file, error, own));
    });
    const end = (code: number | null, killedBy: NodeJS.Signals | null): void => {
      forget();
      resolve(code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]));
    };
    child.once('close', end);
    // Processes that the program leaves running may keep its output open.
    child.once('exit', (code, killedBy) => setTimeout(() => end(code, killedBy), lastOutputMs).unref());
  });
}

/** Milliseconds after the program's end in which its last output arrives. */
const lastOutputMs = 1000;

function endByTerminal(child: ChildProcess, signal: AbortSignal, patienceMs: number): () => void {
  return whenAborted(signal, [
    [patienceMs, () => child.kill('SIGINT')],
    [2 * patienceMs + 1, () => child.kill('SIGTERM')],
  ]);
}

function endGroup(child: ChildProcess, signal: AbortSignal, patienceMs: number, { killed }: OwnProgram): () => void {
  const send = (name: NodeJS.Signals) => (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // The process has ended already.
    }
  };
  const forgetAsked = whenAborted(signal, [
    [0, send('SIGINT')],
    [patienceMs, send('SIGTERM')],
  ]);
  const forgetKilled = whenAborted(killed, [[0, send('SIGKILL')]]);
  return () => {
    forgetAsked();
    forgetKilled();
  };
}

/** Runs each action after its delay in milliseconds once the signal fires. Returns a function that cancels them. */
function whenAborted(signal: AbortSignal, acts: readonly (readonly [afterMs: number, act: () => void])[]): () => void {
  const timers: NodeJS.Timeout[] = [];
  const begin = (): void => void timers.push(...acts.map(([afterMs, act]) => setTimeout(act, afterMs)));
  if (signal.aborted) begin();
  signal.addEventListener('abort', begin);
  return () => {
    signal.removeEventListener('abort', begin);
    for (const timer of timers) clearTimeout(timer);
  };
}

const notStarted = (file: string, error: NodeJS.ErrnoException, own: OwnProgram | undefined): CopyscopeError =>
  new CopyscopeError(
    {
      code: 'usage.program',
      field: own === undefined ? 'program' : 'command',
      message: `${file} can't be started: ${error.code === 'ENOENT' ? 'there is no such program' : error.message}.`,
      remedy:
        own === undefined
          ? 'Check its name and path. What is to be recorded stands behind --, as in: copyscope record -- python train.py'
          : 'Check its name, or give its whole path: a name without a path is looked up on the PATH.',
    },
    { cause: error },
  );

/**
 * Makes a run from the processes' files in `folder`. Leaves out unreadable parts, with a note in the run. Throws
 * `record.nothing`, `record.folder-gone`, `engine.unavailable` or `trace-file.*`.
 */
export async function readRecordingFolder(folder: string, name: string, version: string): Promise<Run> {
  const processes: RecordedProcess[] = [];
  const problems: CopyscopeError[] = [];
  for (const one of await partsIn(folder)) {
    try {
      const file = await readPlain(join(folder, one), maxRunFileBytes);
      // A process killed at its start has written nothing.
      if (file.length > 0) processes.push(new RecordedProcess(file));
    } catch (thrown) {
      const error = toErrorInfo(thrown);
      problems.push(
        new CopyscopeError({ ...error, message: `${one} is damaged: ${error.message}` }, { cause: thrown }),
      );
    }
  }
  const [problem] = problems;
  if (processes.length === 0) throw problem ?? nothingInitialised();
  const lines = await sourceLines(processes.flatMap(({ nativeFrames }) => [...nativeFrames.values()]));
  for (const process of processes) process.lines = lines;
  return withDamage(runOf(processes, { name, version, modifiedAt: new Date() }), problems);
}

async function partsIn(folder: string): Promise<string[]> {
  const isFolder = await lstat(folder).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const names = isFolder ? await readdir(folder).catch(() => null) : null;
  if (names === null) throw folderGone(folder);
  return names.filter((one) => one.endsWith(recordingEnding)).sort();
}

/** Notes in the run which parts of the recording are missing. */
function withDamage(run: Run, problems: readonly CopyscopeError[]): Run {
  const [first] = problems;
  if (first === undefined) return run;
  const error: ErrorInfo = {
    code: 'trace-file.malformed',
    message: `${problems.length === 1 ? 'One part' : `${problems.length} parts`} of the recording could not be read. ${first.message}`,
    remedy: 'Record the program again.',
  };
  const notes = problems.map(({ message }) => `Left out: ${message}`.slice(0, 2000));
  return {
    ...run,
    info: { ...run.info, status: 'failed', error: run.info.error ?? error, notes: [...notes, ...run.info.notes] },
  };
}

const folderGone = (folder: string): CopyscopeError =>
  new CopyscopeError({
    code: 'record.folder-gone',
    message: `${folder}, where the program was recorded, is no folder any more: something has deleted or replaced it.`,
    remedy: 'Record the program again, and leave that folder alone until it ends.',
  });

export const noProgram = (): CopyscopeError =>
  new CopyscopeError({
    code: 'usage.program',
    field: 'program',
    message: 'No program is named.',
    remedy: 'Name it behind --, as in: copyscope record -- python train.py',
  });

const nothingInitialised = (): CopyscopeError =>
  new CopyscopeError({
    code: 'record.nothing',
    message:
      'nothing was recorded: no process of the program initialised CUDA, or CUDA was not allowed to load the recorder.',
    remedy:
      'Check that the program uses the GPU. A set-user-id program is never recorded, nor is one that clears its environment.',
  });

export const removeRecordingFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** NVIDIA's driver provides at least one of these. */
const driverPlaces = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'];

/** Throws `engine.unavailable` if there is no GPU driver. COPYSCOPE_RECORD_DRIVER=1 skips the check. */
export function requireDriver(environment: NodeJS.ProcessEnv): void {
  if (environment['COPYSCOPE_RECORD_DRIVER'] === '1' || driverPlaces.some((place) => existsSync(place))) return;
  throw new CopyscopeError({
    code: 'engine.unavailable',
    message: 'there is no NVIDIA driver on this machine, so the program was not started.',
    remedy: 'Record it on a machine with an NVIDIA GPU, and open the run here.',
  });
}

/** Throws `usage.program` if the program runs with another user's rights, since CUDA then loads no library into it. */
export async function refuseSetUserId(file: string, environment: NodeJS.ProcessEnv, workFolder: string): Promise<void> {
  if (!(await isSetUserId(file, environment, workFolder))) return;
  throw new CopyscopeError({
    code: 'usage.program',
    field: 'command',
    message: `${file} runs with another user's rights (set-user-id): CUDA loads no recorder into it.`,
    remedy: 'Record a program without that bit.',
  });
}

async function isSetUserId(file: string, environment: NodeJS.ProcessEnv, workFolder: string): Promise<boolean> {
  const folders = file.includes('/') ? [''] : (environment['PATH'] ?? '').split(delimiter);
  for (const folder of folders) {
    const found = await stat(resolve(workFolder, folder, file)).catch(() => null);
    if (found?.isFile() === true && (found.mode & 0o111) !== 0) return (found.mode & 0o6000) !== 0;
  }
  return false;
}
