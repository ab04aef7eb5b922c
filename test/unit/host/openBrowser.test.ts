import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, it } from 'vitest';
import { openBrowser } from '../../../host/server/openBrowser.ts';
import { newFolder } from '../../support/newFolder.ts';
import { eventually } from '../support/eventually.ts';

const address = 'http://127.0.0.1:4711/?token=secret-of-the-first-visitor';
let folder: string;
const neverFails = (): void => {
  throw new Error('a browser could be started');
};

beforeEach(() => {
  folder = newFolder();
});

it('tells the browser of a file that its user alone can read, and not of the token', async () => {
  const said = join(folder, 'said');
  const write = `fs.writeFileSync(${JSON.stringify(`${said}.tmp`)}, process.argv.slice(1).join(' ')); fs.renameSync(${JSON.stringify(`${said}.tmp`)}, ${JSON.stringify(said)})`;
  const remove = await openBrowser(address, folder, neverFails, [process.execPath, '-e', write]);
  const told = await eventually(() => readFileSync(said, 'utf8'));
  expect(told).toMatch(/^file:\/\/\S+\.html$/);
  const page = fileURLToPath(told);
  expect(readFileSync(page, 'utf8')).toContain(address);
  if (process.platform !== 'win32') expect(statSync(page).mode & 0o077).toBe(0);
  await remove();
  expect(existsSync(page)).toBe(false);
});

it('says where no browser could be started', async () => {
  await new Promise<void>((failed) => void openBrowser(address, folder, failed, [join(folder, 'no-such-program')]));
});
