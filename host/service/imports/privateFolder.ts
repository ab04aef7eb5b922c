/** Gives a file a chosen name in a private folder, which is deleted afterwards. */
import { copyFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inTemporaryFolder, type TemporaryFolder } from '../temporaryFolder.ts';

/**
 * Calls `use` with a path at which the file of `path` is named `name`; other files written there are deleted. The file
 * itself stays unchanged, and is only copied if the system makes no links.
 */
export async function inPrivateFolder<Result>(
  path: string,
  name: string,
  use: (place: string, folder: TemporaryFolder) => Promise<Result>,
): Promise<Result> {
  return inTemporaryFolder(async (folder) => {
    const place = join(folder.path, name);
    await symlink(resolve(path), place).catch(() => copyFile(path, place));
    return use(place, folder);
  });
}
