/** The desktop app itself, if an Electron program and a display are found. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, type ElectronApplication, _electron as electron, expect } from '@playwright/test';
import { findElectron, hasDisplay } from '../../scripts/lib/electron-binary.mjs';
import { Window } from './support/window.ts';

const root = join(import.meta.dirname, '../..');
const program = findElectron();

const test = base.extend<{ app: ElectronApplication; window: Window }>({
  app: async ({ browserName: _browserName }, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'copyscope-electron-'));
    const app = await electron.launch({
      ...(program === null ? {} : { executablePath: program }),
      // Chromium doesn't start as root with its own sandbox.
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), `--user-data-dir=${join(folder, 'profile')}`, root],
      env: { ...process.env, COPYSCOPE_DATA: join(folder, 'data') } as Record<string, string>,
    });
    await use(app);
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  },
  window: async ({ app }, use) => {
    const window = new Window(await app.firstWindow());
    await window.ready();
    await use(window);
  },
});

test.skip(program === null, 'no Electron program is installed (npm start downloads it where it can)');
test.skip(!hasDisplay(), 'no display');

test('opens the window on its own scheme, isolated from Node', async ({ window }) => {
  expect(window.page.url()).toMatch(/^copyscope:\/\/app\//);
  const reached = await window.page.evaluate(() => ({
    require: typeof (globalThis as { require?: unknown }).require,
    process: typeof (globalThis as { process?: unknown }).process,
    bridge: Object.keys((globalThis as unknown as { copyscope: object }).copyscope),
  }));
  expect(reached).toEqual({
    require: 'undefined',
    process: 'undefined',
    bridge: ['requestPort', 'setTheme', 'onTheme', 'onCommand'],
  });
});

test('navigates nowhere, opens no window and reaches no network', async ({ app, window }) => {
  const { page } = window;
  await page.evaluate(() => {
    location.href = 'https://example.com/';
    globalThis.open('https://example.com/');
  });
  const fetched = await page.evaluate(() =>
    fetch('http://127.0.0.1:9/').then(
      () => 'reached',
      () => 'refused',
    ),
  );
  expect(fetched).toBe('refused');
  expect(page.url()).toMatch(/^copyscope:\/\/app\//);
  expect(app.windows()).toHaveLength(1);
});
