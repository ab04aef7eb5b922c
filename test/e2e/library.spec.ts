/** The library: search, names, deletion with undo, and files in and out. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Server } from './support/server.ts';
import { expect, test } from './support/test.ts';
import { Window } from './support/window.ts';

const root = join(import.meta.dirname, '../..');
const exampleFile = join(root, 'assets/examples/overlap/pinned-side-stream.json');

test('files named on the command line are opened by the first window', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-named-'));
  const run = join(folder, 'mine.arrow');
  execFileSync(process.execPath, [join(root, 'dist/host/cli.js'), 'run', exampleFile, '--engine', 'sim', '--out', run]);
  const server = new Server({ args: [run, join(folder, 'not-there.arrow')] });
  await page.goto(await server.address());
  const window = new Window(page);
  await window.ready();
  await expect(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
  await expect(window.runs.filter({ has: page.locator('[data-current]') }).or(window.runs.first())).not.toHaveCount(0);
  expect(page.url()).toContain('#/run/imported/mine');
  await server.stop();
  rmSync(folder, { recursive: true });
});
