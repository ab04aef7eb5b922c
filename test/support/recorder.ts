/** The recorder's library with a stand-in for CUPTI, and the program that plays CUDA over it: built where they can be. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const works = (tool: string): boolean => spawnSync(tool, ['--version']).status === 0;
const missing = ['c++', 'cmake'].filter((tool) => !works(tool));
const headers = ['/usr/local/cuda/include/cupti.h', `${process.env['CUDA_HOME'] ?? ''}/include/cupti.h`].some(
  existsSync,
);

/** Why they can't be built here; null where they can. */
export const noRecorder =
  process.platform !== 'linux'
    ? `not run on ${process.platform}`
    : missing.length > 0
      ? `there is no ${missing.join(' and no ')}`
      : headers
        ? null
        : "there are no headers of CUPTI: they come with CUDA's toolkit";

/** The folder that they are in. Throws what the tools said where it fails. */
export function buildRecorder(name: string, ...options: string[]): string {
  const folder = join(root, 'native', `build-${name}`);
  const run = (...args: string[]): void => {
    const { status, stdout, stderr } = spawnSync('cmake', args, { cwd: root, encoding: 'utf8', timeout: 600_000 });
    if (status !== 0) throw new Error(`cmake ${args.join(' ')}\n${stdout}${stderr}`);
  };
  run('-S', 'native', '-B', folder, '-DCMAKE_BUILD_TYPE=RelWithDebInfo', ...options);
  run('--build', folder, '--target', 'copyscope_record', 'copyscope_record_player', 'copyscope_standin_allocator');
  return folder;
}

/** Of a host or a command that records with it. */
export const standInEnvironment = (built: string): Readonly<Record<string, string>> => ({
  LD_LIBRARY_PATH: join(built, 'standin'),
  COPYSCOPE_RECORD_LIBRARY: join(built, 'libcopyscope_record.so'),
  COPYSCOPE_RECORD_DRIVER: '1',
});

export const player = (built: string): string => join(built, 'copyscope_record_player');
