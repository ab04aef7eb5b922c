/** Notes on one run in two windows, and notes that are being written when the end comes: nothing that was written is lost. */
import type { BrowserContext, Locator, Page } from '@playwright/test';
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

/** While it is held, a window and the host hear nothing of each other. */
class Line {
  #held: (() => void)[] | null = null;

  async of(page: Page): Promise<void> {
    await page.routeWebSocket(/./, (socket) => {
      const host = socket.connectToServer();
      socket.onMessage((message) => this.#pass(() => host.send(message)));
      host.onMessage((message) => this.#pass(() => socket.send(message)));
    });
  }

  hold(): void {
    this.#held = [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const send of held) send();
  }

  #pass(send: () => void): void {
    if (this.#held === null) send();
    else this.#held.push(send);
  }
}

/** The same page in another window of the same browser. */
async function secondWindow(context: BrowserContext, page: Page, line = new Line()): Promise<Window> {
  const other = new Window(await context.newPage());
  await line.of(other.page);
  await other.page.goto(page.url());
  await other.ready();
  await expect(other.timeline.getByTestId('timeline-plot')).toBeVisible();
  return other;
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

test('each of two windows shows at once what the other writes, and undoes only its own', async ({
  window,
  page,
  context,
}) => {
  await openRun(window, page);
  await beginNote(window, 1);
  await page.keyboard.type('from the first');
  await page.keyboard.press('Enter');

  const other = await secondWindow(context, page);
  await openNotes(other);
  await expect(notes(other)).toHaveCount(1);
  await beginNote(other, 2);
  await other.page.keyboard.type('from the second');
  await other.page.keyboard.press('Enter');
  await expect(notes(window)).toHaveText([/from the first/, /from the second/]);

  // Undo in the first takes back its own words and its own note, and leaves the other’s.
  await window.timeline.getByTestId('timeline-plot').click({ position: { x: 5, y: 5 } });
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect(notes(window)).toHaveText([/from the second/]);
  await expect(notes(other)).toHaveText([/from the second/]);
  await page.keyboard.press('Control+Shift+z');
  await page.keyboard.press('Control+Shift+z');
  await expect(notes(other)).toHaveText([/from the first/, /from the second/]);
});

test('one note that both windows write is there twice, with what each has written', async ({
  window,
  page,
  context,
  server,
}) => {
  await openRun(window, page);
  await beginNote(window, 1);
  await page.keyboard.press('Enter');
  const line = new Line();
  const other = await secondWindow(context, page, line);
  await openNotes(other);
  await notes(other).getByRole('button', { name: /^Edit/ }).click();
  await notes(window).getByRole('button', { name: /^Edit/ }).click();
  line.hold();
  await words(other).fill('of the second');
  await words(window).fill('of the first');
  await expect.poll(() => keptNotes(server)).toContain('of the first');
  expect(keptNotes(server)).not.toContain('of the second');
  line.release();
  // The second goes on with its own words, beside those of the first.
  await expect(notes(other)).toHaveCount(2);
  await expect(words(other)).toHaveValue('of the second');
  await expect(words(other)).toBeFocused();
  await words(window).press('Enter');
  await words(other).press('Enter');
  for (const each of [window, other]) {
    await expect(notes(each)).toHaveCount(2);
    await expect(panel(each)).toContainText('of the first');
    await expect(panel(each)).toContainText('of the second');
  }
  await page.reload();
  await window.ready();
  await openNotes(window);
  await expect(notes(window)).toHaveCount(2);
});

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
