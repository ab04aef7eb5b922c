/** What is lost when the host, the window or the whole browser is killed in the middle of an edit: the last second at most. */
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { findChromium } from '../../scripts/lib/chromium.mjs';
import { Server } from './support/server.ts';
import { expect, test } from './support/test.ts';
import { Window } from './support/window.ts';

const example = 'Pinned source, second stream';
const copy = `Copy of ${example}`;
/** Work older than this must survive. */
const mostLostMs = 1000;

const sheet = (page: Page) => page.getByTestId('score-sheet');
const operations = (page: Page): Promise<number> =>
  sheet(page)
    .getAttribute('data-operations')
    .then((count) => Number(count));

/** Edits for a while, then says how many operations there were a second before the end, and at the end. */
async function editFor(page: Page, edits: number): Promise<{ early: number; late: number }> {
  const before = await operations(page);
  const states: { at: number; count: number }[] = [];
  for (let edit = 1; edit <= edits; edit += 1) {
    await page.keyboard.press('Control+d');
    await expect(sheet(page)).toHaveAttribute('data-operations', String(before + edit));
    states.push({ at: performance.now(), count: before + edit });
    await page.waitForTimeout(150);
  }
  const end = performance.now();
  const old = states.filter(({ at }) => end - at >= mostLostMs);
  return { early: Math.max(before, ...old.map(({ count }) => count)), late: before + edits };
}

async function openForEditing(window: Window): Promise<void> {
  await window.open(example);
  await sheet(window.page).locator('[data-op="0"]').click();
}

/** Opens what was edited, from the library, and looks what came back. */
async function expectBack(window: Window, { early, late }: { early: number; late: number }): Promise<void> {
  const listed = window.library.getByRole('button', { name: new RegExp(`^${copy}`) });
  await expect(listed).toContainText('Unsaved changes');
  await listed.click();
  await expect(window.page.getByRole('heading', { level: 1, name: copy })).toBeVisible();
  await expect(window.page.getByText('Not saved', { exact: true })).toBeVisible();
  const back = await operations(window.page);
  expect(back).toBeGreaterThanOrEqual(early);
  expect(back).toBeLessThanOrEqual(late);
  // As a step that can be undone: what was saved is still there too.
  await window.page.keyboard.press('Control+z');
  await expect(sheet(window.page)).toHaveAttribute('data-operations', '7');
}

test('the host is killed: another one, and a browser that has never been here, have the work', async ({
  browser,
  page,
}) => {
  const first = new Server();
  await page.goto(await first.address());
  const window = new Window(page);
  await window.ready();
  await openForEditing(window);
  const edited = await editFor(page, 12);
  await first.kill();
  expect(edited.early).toBeGreaterThan(7);

  const second = new Server({ dataFolder: first.dataFolder });
  const elsewhere = await browser.newContext();
  const again = new Window(await elsewhere.newPage());
  await again.page.goto(await second.address());
  await again.ready();
  await expectBack(again, edited);
  await elsewhere.close();
  await second.stop();
});

test('the host is killed: the window keeps what is edited meanwhile, and saves it with the next host', async ({
  page,
  context,
}) => {
  const first = new Server();
  await page.goto(await first.address());
  const window = new Window(page);
  await window.ready();
  await openForEditing(window);
  await editFor(page, 2);
  await first.kill();
  await expect(page.getByText('Not connected', { exact: true })).toBeVisible();
  await editFor(page, 3);

  // The next one takes the same port, and its address lets this browser in again, the window that waits included.
  const second = new Server({ dataFolder: first.dataFolder });
  const opened = await context.newPage();
  await opened.goto(await second.address());
  await new Window(opened).ready();
  await expect(window.status).toContainText('Connected', { timeout: 20_000 });
  await expect(sheet(page)).toHaveAttribute('data-operations', '12');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Not saved', { exact: true })).toHaveCount(0);
  await window.library.getByRole('button', { name: example, exact: true }).click();
  const saved = Object.entries(second.files()).find(([path]) => path.includes('/experiments/'));
  const text = Buffer.from(saved?.[1] ?? '', 'base64').toString('utf8');
  expect(JSON.parse(text).threads[0].operations).toHaveLength(12);
  await second.stop();
});

test('the window crashes: loaded anew, it has the work', async ({ page, server }) => {
  await page.goto(await server.address());
  const window = new Window(page);
  await window.ready();
  await openForEditing(window);
  const edited = await editFor(page, 8);
  const address = page.url();
  const context = page.context();
  await crash(context, page);
  const again = new Window(await context.newPage());
  await again.page.goto(new URL('/', address).href);
  await again.ready();
  await expectBack(again, edited);
});

/** Chromium ends the page's process at once. */
async function crash(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  void session.send('Page.crash').catch(() => {});
  await crashed;
}

test('the whole browser is killed: started anew, it has the work', async ({ server }) => {
  test.skip(process.platform === 'win32', 'finding the browser needs its process id');
  const executablePath = await findChromium();
  const options = { ...(executablePath === null ? {} : { executablePath }), args: ['--disable-gpu'] };
  const browserServer = await chromium.launchServer(options);
  const browser = await chromium.connect(browserServer.wsEndpoint());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(await server.address());
  const window = new Window(page);
  await window.ready();
  await openForEditing(window);
  const edited = await editFor(page, 12);
  const cookies = await page.context().cookies();
  const address = new URL('/', page.url()).href;
  const ended = new Promise((resolve) => browserServer.process().once('exit', resolve));
  browserServer.process().kill('SIGKILL');
  await ended;

  const next = await chromium.launch(options);
  const context = await next.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies(cookies);
  const again = new Window(await context.newPage());
  await again.page.goto(address);
  await again.ready();
  await expectBack(again, edited);
  await next.close();
});
