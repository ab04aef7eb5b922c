/** Slurm's own programs: their calls and answers, and this user's settings for them. Their messages are passed on unchanged. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import { noSettings, type SlurmSettings, slurmSettingsSchema } from '../../core/apps/slurm/settings.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { privately, writeWhole } from '../files/files.ts';
import { readShape, readTextIfThere } from '../files/stored.ts';

export interface SlurmPrograms {
  /** Resolves with stdout. Rejects with `slurm.refused`, `slurm.not-found` or `slurm.login-shell`. */
  run(program: string, words: readonly string[], folder?: string): Promise<string>;
}

const maxOutput = 256 * 2 ** 20;
/** If the controller doesn't answer, the programs wait and then give up by themselves. */
const patienceMs = 300_000;
/** Login scripts may load many modules from a slow disk. Longer ones wait for something that never comes. */
const loginPatienceMs = 60_000;

export function slurmPrograms(
  environment: NodeJS.ProcessEnv,
  loginMs: () => number = () => loginPatienceMs,
): SlurmPrograms {
  // The user's own settings for listings would filter ours.
  const own = Object.entries(environment).filter(([name]) => !/^(SQUEUE|SACCT|SCANCEL)_/.test(name));
  // Keeps job numbers from being shortened.
  const plain: NodeJS.ProcessEnv = { ...Object.fromEntries(own), LC_ALL: 'C', SLURM_BITSTR_LEN: '0' };
  let login: Promise<NodeJS.ProcessEnv> | null = null;
  const askLogin = (): Promise<NodeJS.ProcessEnv> =>
    loginEnvironment(plain, loginMs()).catch((error) => {
      // It may be repaired by the next time.
      login = null;
      throw error;
    });
  return {
    run: async (program, words, folder) => {
      const environments = [async () => plain, () => (login ??= askLogin())];
      for (const found of environments) {
        const ran = await execute(program, words, await found(), folder);
        if (ran !== null) return ran;
      }
      throw notFound(program);
    },
  };
}

/** Resolves with null if there is no such program. */
function execute(
  program: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string | undefined,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    execFile(program, words, { env, cwd, maxBuffer: maxOutput, timeout: patienceMs }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else if (error.code === 'ENOENT') resolve(null);
      else reject(refused(program, printable(stderr) || printable(error.message)));
    });
  });
}

/** Returns a login shell's environment. On many clusters only that finds Slurm. Rejects with `slurm.login-shell`. */
function loginEnvironment(plain: NodeJS.ProcessEnv, timeout: number): Promise<NodeJS.ProcessEnv> {
  const script = 'printf "\\n%s\\n%s\\n%s" copyscope-login "$PATH" "$SLURM_CONF"';
  // Also ends programs that ignore a request to end.
  const options = { env: plain, timeout, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    const { stdin } = execFile('bash', ['-lc', script], options, (error, stdout) => {
      if (error?.killed) return reject(loginHangs(timeout));
      const [, path = '', conf = ''] = stdout.slice(stdout.lastIndexOf('copyscope-login')).split('\n');
      resolve({ ...plain, ...(path === '' ? {} : { PATH: path }), ...(conf === '' ? {} : { SLURM_CONF: conf }) });
    });
    stdin?.on('error', () => {}).end();
  });
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

const loginHangs = (timeoutMs: number): CopyscopeError =>
  new CopyscopeError({
    code: 'slurm.login-shell',
    message: `bash -lc, which finds the programs of Slurm, did not end within ${timeoutMs / 1000} s.`,
    remedy: 'Try bash -lc true, and mend what hangs in /etc/profile or ~/.bash_profile; or put sbatch on PATH.',
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
