import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeWhole } from '../../../host/files/files.ts';
import { newFolder } from '../../support/newFolder.ts';

it('a replaced file keeps its mode, and a link to it stays a link', async () => {
  const folder = newFolder();
  const [path, link] = [join(folder, 'real.json'), join(folder, 'link.json')];
  writeFileSync(path, 'old');
  chmodSync(path, 0o640);
  symlinkSync(path, link);
  await writeWhole(link, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o640);
  expect(readdirSync(folder).sort()).toEqual(['link.json', 'real.json']);
});
