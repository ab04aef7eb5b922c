/** The address that `copyscope serve` opens by itself: a file leads the browser there, and the browser is admitted. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openBrowser } from '../../host/server/openBrowser.ts';
import { expect, test } from './support/test.ts';
import { Window } from './support/window.ts';

test('the page that leads to the window lets the browser in', async ({ page, server }) => {
  // Does the browser's part with an empty program.
  await openBrowser(await server.address(), server.dataFolder, () => {}, [process.execPath, '-e', '']);
  const folder = join(server.dataFolder, 'opening');
  const [name = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.html'),
  );
  await page.goto(pathToFileURL(join(folder, name)).href);
  await new Window(page).ready();
  // The token is gone from the address, which may be copied or shared.
  expect(new URL(page.url()).search).toBe('');
  // The browser stays admitted.
  await page.reload();
  await new Window(page).ready();
});
