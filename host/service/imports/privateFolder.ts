/** A file as it is called in a folder of nobody else's, which goes away afterwards. */
import { copyFile, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { inTemporaryFolder, type TemporaryFolder } from '../temporaryFolder.ts';

/**
 * `use` is told where the file of `path` lies as `name`; what is written beside it is removed. The file itself stays as it
 * is, and is only copied where the system makes no links.
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
