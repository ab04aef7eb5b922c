/** Slurm's own programs, and this user's settings for them. Their messages are passed on unchanged. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { noSettings, type SlurmSettings, slurmSettingsSchema } from '../../core/apps/slurm/settings.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { privately, writeWhole } from '../files/files.ts';
import { readShape, readTextIfThere } from '../files/stored.ts';

/** If the controller doesn't answer, the programs wait and then give up by themselves. */
const patienceMs = 300_000;
/** Exit code of a shell that finds no such program. */
const notFoundCode = 127;

/** Resolves with stdout, which login scripts may precede. Rejects with `slurm.refused` or `.not-found`. */
export async function runSlurm(
  environment: NodeJS.ProcessEnv,
  program: string,
  words: readonly string[],
  cwd?: string,
): Promise<string> {
  // The user's own settings for listings would filter ours.
  const own = Object.entries(environment).filter(([name]) => !/^(SQUEUE|SACCT|SCANCEL)_/.test(name));
  // Keeps job numbers from being shortened.
  const env = { ...Object.fromEntries(own), LC_ALL: 'C', SLURM_BITSTR_LEN: '0' };
  const execute = async (file: string, args: readonly string[]): Promise<string> => {
    const options = { env, cwd, maxBuffer: 2 ** 28, timeout: patienceMs, killSignal: 'SIGKILL' } as const;
    const running = promisify(execFile)(file, args, options);
    running.child.stdin?.on('error', () => {}).end();
    return (await running).stdout;
  };
  try {
    return await execute(program, words).catch((error) => {
      // On many clusters only a login shell finds Slurm.
      if (error.code === 'ENOENT') return execute('bash', ['-lc', 'exec "$0" "$@"', program, ...words]);
      throw error;
    });
  } catch (thrown) {
    const error = thrown as { code?: unknown; killed?: boolean; stderr?: string; message: string };
    if (error.code === 'ENOENT' || error.code === notFoundCode) throw notFound(program);
    const late = `it did not end within ${patienceMs / 1000} s.`;
    throw refused(program, error.killed ? late : printable(error.stderr ?? '') || printable(error.message));
  }
}

/** Returns a program's text without control characters that move a terminal's cursor. */
export const printable = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/[\p{Cf}\p{Co}\p{Cn}\p{Cs}]/gu, '')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(-500);

const refused = (program: string, said: string): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.refused',
    message: `${program}: ${said.replace(new RegExp(`^${program}: (error: )?`), '')}`,
    remedy: 'copyscope slurm show prints what is sent, and copyscope slurm set changes it.',
  });

const notFound = (program: string): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.not-found',
    message: `There is no ${program} on this computer.`,
    remedy: 'Use a login node of the cluster: copyscope connect HOST opens its window here.',
  });

const settingsSchema = z.object({
  format: z.literal('copyscope/slurm-settings'),
  version: z.literal(1),
  settings: slurmSettingsSchema,
});

const fileIn = (dataFolder: string): string => join(dataFolder, 'slurm-settings.json');

/** Rejects with `slurm.settings` if the file is damaged. */
export async function readSettings(dataFolder: string): Promise<SlurmSettings> {
  const path = fileIn(dataFolder);
  const text = await readTextIfThere(path, 1024 * 1024);
  return text === null ? noSettings : parseSettings(text, path);
}

/** Throws `slurm.settings`. */
export const parseSettings = (text: string, path: string): SlurmSettings =>
  readShape(settingsSchema, text, { code: 'slurm.settings', what: path }).settings;

export const writeSettings = (dataFolder: string, settings: SlurmSettings): Promise<void> => {
  const file = { format: 'copyscope/slurm-settings', version: 1, settings };
  return writeWhole(fileIn(dataFolder), `${JSON.stringify(file, null, 2)}\n`, privately);
};

/** Returns true if sbatch is on PATH, and jobs can run this program, which needs plain Node and not Electron. */
export const hasSlurm = ({ PATH = '' }: NodeJS.ProcessEnv): boolean =>
  process.versions['electron'] === undefined &&
  PATH.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, 'sbatch')));
