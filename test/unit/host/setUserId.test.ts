/** Programs that run with another user's rights: reported before anything is started. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refuseSetUserId } from '../../../host/record/recordProgram.ts';
import { newFolder } from '../../support/newFolder.ts';

const folder = newFolder();
for (const [name, mode] of [
  ['user', 0o4755],
  ['group', 0o2755],
  ['plain', 0o755],
] as const) {
  writeFileSync(join(folder, name), '');
  chmodSync(join(folder, name), mode);
}

describe.skipIf(process.platform === 'win32')('a program (skipped on Windows, which has no such bit)', () => {
  it.each([
    ['user', true],
    ['group', true],
    ['plain', false],
    ['nothing', false],
  ])('%s: %s, by its path and on the PATH', async (name, is) => {
    const refused = (file: string, path: string, from: string): Promise<boolean> =>
      refuseSetUserId(file, { PATH: path }, from).then(
        () => false,
        ({ code }) => code === 'usage.program',
      );
    expect(await refused(join(folder, name), '', '/')).toBe(is);
    expect(await refused(`./${name}`, '', folder)).toBe(is);
    expect(await refused(name, `/nonexistent:${folder}`, '/')).toBe(is);
  });
});
