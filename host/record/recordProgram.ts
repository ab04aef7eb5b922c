/** Runs a program with the recorder in it, and reads what its processes left. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { readRecording } from '../../core/import/recorded/recording.ts';
import type { RecordingCounts } from '../../core/import/recorded/recordingFile.ts';
import { maxRunFileBytes } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';
import { recordLibrary } from '../../native/recordLibrary.ts';
import { readBounded, storageError } from '../service/files.ts';
import { LiveCounts, recordingEnding } from './liveCounts.ts';
import { type RecordSettings, recordEnvironment } from './recordSettings.ts';

export interface RecordRequest {
  readonly command: readonly [string, ...string[]];
  readonly settings: RecordSettings;
  readonly environment: NodeJS.ProcessEnv;
  /** Where the processes' files go. It must not be there. */
  readonly folder: string;
  /** The program is asked to end, as by Ctrl-C. */
  readonly signal: AbortSignal;
  /** A terminal's Ctrl-C reaches the program by itself: what has not ended from it after so long is asked again. */
  readonly patienceMs?: number | undefined;
  readonly onCounts?: ((counts: RecordingCounts, processes: number) => void) | undefined;
}

const countsEveryMs = 500;

/** The program's own exit code; 128 and the signal's number where it was killed. Rejects with `usage.*` and `engine.unavailable`. */
export async function recordProgram(request: RecordRequest): Promise<number> {
  const { settings, folder, onCounts } = request;
  const library = recordLibrary(request.environment);
  const environment = recordEnvironment(request.environment, library, folder, settings);
  await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw storageError(`${folder} could not be made`, error);
  });
  const counts = new LiveCounts(folder);
  const tell = async (): Promise<void> => onCounts?.(await counts.read(), counts.processes);
  const timer = setInterval(() => void tell(), countsEveryMs);
  try {
    return await runToEnd(request, environment);
  } finally {
    clearInterval(timer);
    await tell();
  }
}

const usualPatienceMs = 3000;

function runToEnd(
  { command: [file, ...args], signal, patienceMs = usualPatienceMs }: RecordRequest,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', env });
    const forget = endWhenAsked(child, signal, patienceMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      forget();
      reject(notStarted(file, error));
    });
    child.once('close', (code, killedBy) => {
      forget();
      resolve(code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]));
    });
  });
}

function endWhenAsked(child: ChildProcess, signal: AbortSignal, patienceMs: number): () => void {
  const timers: NodeJS.Timeout[] = [];
  const ask = (): void => {
    timers.push(setTimeout(() => child.kill('SIGINT'), patienceMs));
    timers.push(setTimeout(() => child.kill('SIGTERM'), 2 * patienceMs + 1));
  };
  if (signal.aborted) ask();
  signal.addEventListener('abort', ask);
  return () => {
    signal.removeEventListener('abort', ask);
    for (const timer of timers) clearTimeout(timer);
  };
}

const notStarted = (file: string, error: NodeJS.ErrnoException): CopyscopeError =>
  new CopyscopeError(
    {
      code: 'usage.program',
      field: 'program',
      message: `${file} can't be started: ${error.code === 'ENOENT' ? 'there is no such program' : error.message}.`,
      remedy:
        'Check its name and path. What is to be recorded stands behind --, as in: copyscope record -- python train.py',
    },
    { cause: error },
  );

/** The run of all that the processes left in `folder`. Throws `record.nothing`, `engine.unavailable` or `trace-file.*`. */
export async function readRecordingFolder(folder: string, name: string, version: string): Promise<Run> {
  const names = (await readdir(folder)).filter((one) => one.endsWith(recordingEnding)).sort();
  if (names.length === 0) throw nothingInitialised();
  const files: Uint8Array[] = [];
  for (const one of names) files.push(await readBounded(join(folder, one), maxRunFileBytes));
  return readRecording(files, { name, version, modifiedAt: new Date() });
}

const nothingInitialised = (): CopyscopeError =>
  new CopyscopeError({
    code: 'record.nothing',
    message:
      'nothing was recorded: no process of the program initialised CUDA, or CUDA was not allowed to load the recorder.',
    remedy:
      'Check that the program uses the GPU. A set-user-id program is never recorded, nor is one that clears its environment.',
  });

export const removeRecordingFolder = (folder: string): Promise<void> => rm(folder, { recursive: true, force: true });

/** Any of these is there where a driver of NVIDIA is. */
const driverPlaces = ['/proc/driver/nvidia/version', '/dev/nvidiactl', '/dev/nvidia0', '/dev/dxg'];

/** Throws `engine.unavailable` where there is no GPU driver; COPYSCOPE_RECORD_DRIVER=1 says that there is one all the same. */
export function requireDriver(environment: NodeJS.ProcessEnv): void {
  if (environment['COPYSCOPE_RECORD_DRIVER'] === '1' || driverPlaces.some((place) => existsSync(place))) return;
  throw new CopyscopeError({
    code: 'engine.unavailable',
    message: 'there is no NVIDIA driver on this machine, so the program was not started.',
    remedy: 'Record it on a machine with an NVIDIA GPU, and open the run here.',
  });
}

/** Whether CUDA would refuse to load a library into this program, since it runs with another user's rights. */
export async function isSetUserId(file: string, environment: NodeJS.ProcessEnv): Promise<boolean> {
  const folders = file.includes('/') ? [''] : (environment['PATH'] ?? '').split(delimiter);
  for (const folder of folders) {
    const found = await stat(folder === '' ? file : join(folder, file)).catch(() => null);
    if (found !== null) return (found.mode & 0o6000) !== 0;
  }
  return false;
}
