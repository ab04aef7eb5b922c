/** Folders of the program's own files and of the user's data. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import envPaths from 'env-paths';

/** Returns the nearest folder above this file with package.json and assets: the clone, or the packed app. */
export function programFolder(from: string = import.meta.dirname): string {
  const isProgram = (folder: string): boolean =>
    existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'assets'));
  let folder = from;
  while (!isProgram(folder)) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`no folder with package.json and assets above ${from}`);
    folder = parent;
  }
  return folder;
}

export function programVersion(folder: string): string {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version?: unknown };
  return typeof version === 'string' ? version : 'unknown';
}

/** Returns COPYSCOPE_DATA, or the system's usual place such as ~/.local/share/copyscope. */
export function dataFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const chosen = environment['COPYSCOPE_DATA'];
  return chosen === undefined || chosen === '' ? envPaths('copyscope', { suffix: '' }).data : resolve(chosen);
}

/** Returns the folder of the user's device profiles, which copyscope calibrate writes. */
export const ownProfilesFolder = (data: string): string => join(data, 'profiles');
