/** A file as it is called in a folder of nobody else's, which goes away afterwards. */
import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/**
 * `use` is told where the file of `path` lies as `name`; what is written beside it is removed. The file itself stays as it
 * is, and is only copied where the system makes no links.
 */
export async function inPrivateFolder<Result>(
  path: string,
  name: string,
  use: (place: string, folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'copyscope-'));
  try {
    const place = join(folder, name);
    await symlink(resolve(path), place).catch(() => copyFile(path, place));
    return await use(place, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
