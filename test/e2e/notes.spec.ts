/** A note that is being written when the window crashes is kept. */
import type { Locator, Page } from '@playwright/test';
import type { DataFolder } from './support/dataFolder.ts';
import { expect, test } from './support/test.ts';
import { Window } from './support/window.ts';

/** A run that is on the disk, open in this window. */
async function openRun(window: Window, page: Page): Promise<void> {
  await window.open('Pinned source, second stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await window.runs.first().getByRole('button').first().click();
  await expect(page).toHaveURL(/#\/run\//);
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
}

const panel = (window: Window): Locator => window.page.getByRole('complementary', { name: 'Notes' });
const notes = (window: Window): Locator => panel(window).getByRole('listitem');
const words = (window: Window): Locator => panel(window).getByRole('textbox');

/** Selects the first activity and begins a note on it. */
async function beginNote(window: Window, steps: number): Promise<void> {
  await window.timeline.getByTestId('timeline-plot').click({ position: { x: 5, y: 5 } });
  for (let step = 0; step < steps; step += 1) await window.page.keyboard.press('.');
  await window.page.keyboard.press('n');
  await expect(words(window)).toBeFocused();
}

async function openNotes(window: Window): Promise<void> {
  const button = window.timeline.getByRole('button', { name: /^Notes/ });
  // A window opens with the panel as it was left last.
  if ((await button.getAttribute('aria-expanded')) === 'false') await button.click();
  await expect(panel(window)).toBeVisible();
}

const keptNotes = (server: DataFolder): string =>
  Object.entries(server.files())
    .filter(([path]) => path.includes('/notes/'))
    .map(([, content]) => Buffer.from(content, 'base64').toString('utf8'))
    .join('\n');

test('words that are being written survive a crash of the window; Esc leaves the note as it was', async ({
  page,
  server,
  context,
}) => {
  await page.goto(await server.address());
  const window = new Window(page);
  await window.ready();
  await openRun(window, page);
  await beginNote(window, 1);
  await page.keyboard.type('as it was');
  await page.keyboard.press('Enter');
  await notes(window).getByRole('button', { name: /^Edit/ }).click();
  await words(window).fill('something else');
  await expect.poll(() => keptNotes(server)).toContain('something else');
  await words(window).press('Escape');
  await expect(notes(window)).toContainText('as it was');
  await notes(window).getByRole('button', { name: /^Edit/ }).click();
  await words(window).fill('half a sen');
  await expect.poll(() => keptNotes(server)).toContain('half a sen');
  const { hash } = new URL(page.url());
  const session = await context.newCDPSession(page);
  const crashed = page.waitForEvent('crash');
  void session.send('Page.crash').catch(() => {});
  await crashed;

  const again = new Window(await context.newPage());
  await again.page.goto((await server.address()) + hash);
  await again.ready();
  await openNotes(again);
  await expect(notes(again)).toHaveText([/half a sen/]);
});
