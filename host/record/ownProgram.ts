/** Checks and environment of a program without a terminal that a window records, and notes on its end. */
import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import type { StartRecording } from '../../core/service/recording.ts';
import type { Run } from '../../core/trace/run.ts';
import { recordLibrary } from '../../native/addon.ts';
import { refuseSetUserId, requireDriver } from './recordProgram.ts';
import { type RecordSettings, recordEnvironment } from './recordSettings.ts';

export interface CheckedProgram {
  readonly environment: NodeJS.ProcessEnv;
  /** Absolute path of the folder in which it runs. */
  readonly folder: string;
}

/** Checks the request before anything starts. Rejects with `engine.unavailable` or `usage.*`. */
export async function checkProgram(
  request: Pick<StartRecording, 'command' | 'folder' | 'environment'>,
  settings: RecordSettings,
  own: NodeJS.ProcessEnv,
): Promise<CheckedProgram> {
  const environment = { ...own, ...request.environment };
  requireDriver(environment);
  const folder = await workFolder(request.folder);
  recordEnvironment(environment, recordLibrary(environment), folder, settings);
  await refuseSetUserId(request.command[0], environment, folder);
  return { environment, folder };
}

async function workFolder(asked: string): Promise<string> {
  const folder = asked.trim().replace(/^~(?=$|\/)/, homedir()) || homedir();
  const found = isAbsolute(folder) ? await stat(folder).catch(() => null) : null;
  if (found?.isDirectory() === true) return folder;
  throw new CopyscopeError({
    code: 'usage.folder',
    field: 'folder',
    message: isAbsolute(folder)
      ? `${folder} is ${found === null ? 'not there' : 'no folder'}.`
      : `${folder} is not a whole path.`,
    remedy: 'Give the whole path of the folder in which the program is started, as /home/me/project or ~/project.',
  });
}

/** Adds notes to the run if the program failed or was stopped. */
export function withEnd(
  run: Run,
  { exitCode, stoppedFrom }: { readonly exitCode: number | null; readonly stoppedFrom: string | null },
): Run {
  const words = [
    ...(stoppedFrom === null ? [] : [`The program was stopped from ${stoppedFrom}.`]),
    ...(exitCode === 0 || exitCode === null ? [] : [`The program ended with exit code ${exitCode}.`]),
  ];
  return { ...run, info: { ...run.info, notes: [...words, ...run.info.notes] } };
}
