/** If the host or the window is killed during an edit, at most the last input is lost. */
import type { Page } from '@playwright/test';
import type { Draft } from '../../core/service/service.ts';
import { edit, operations, sheet } from './support/edits.ts';
import { Server } from './support/server.ts';
import { expect, testOfProcess as test } from './support/test.ts';
import { Window } from './support/window.ts';

const example = 'Pinned source, second stream';
const copy = `Copy of ${example}`;

/** Returns the unsaved changes that the host has kept; null if none. */
function keptDraft(server: Server): Draft | null {
  const [text] = Object.entries(server.files()).flatMap(([path, content]) =>
    /\/drafts\/[^/]+\.json$/.test(path) ? [Buffer.from(content, 'base64').toString('utf8')] : [],
  );
  return text === undefined ? null : (JSON.parse(text) as Draft);
}

/**
 * Makes `edits` edits, and another when the host has kept some, so that the test continues in the middle of saving.
 * Returns the numbers of kept and of all operations. drafts.test.ts checks how soon changes are kept.
 */
async function editUntilKept(page: Page, server: Server, edits: number): Promise<{ early: number; late: number }> {
  const kept = (): number => keptDraft(server)?.experiment.threads[0]?.operations.length ?? 0;
  const before = await operations(page);
  await edit(page, edits);
  await expect.poll(kept).toBeGreaterThan(before);
  const early = kept();
  return { early, late: await edit(page, 1) };
}

async function openForEditing(window: Window): Promise<void> {
  await window.open(example);
  await sheet(window.page).locator('[data-op="0"]').click();
}

/** Opens the edited experiment from the library. */
async function openEdited(window: Window): Promise<void> {
  const listed = window.library.getByRole('button', { name: new RegExp(`^${copy}`) });
  await expect(listed).toContainText('Unsaved changes');
  await listed.click();
  await expect(window.page.getByRole('heading', { level: 1, name: copy })).toBeVisible();
}

/** Opens the edited experiment, and checks that its unsaved changes are back. */
async function expectBack(window: Window, { early, late }: { early: number; late: number }): Promise<void> {
  await openEdited(window);
  await expect(window.page.getByText('Not saved', { exact: true })).toBeVisible();
  const back = await operations(window.page);
  expect(back).toBeGreaterThanOrEqual(early);
  expect(back).toBeLessThanOrEqual(late);
  // The changes are a step that can be undone: the saved version still exists.
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
  const edited = await editUntilKept(page, first, 12);
  await first.kill();

  const second = new Server({ dataFolder: first.dataFolder });
  const elsewhere = await browser.newContext();
  const again = new Window(await elsewhere.newPage());
  await again.page.goto(await second.address());
  await again.ready();
  await expectBack(again, edited);
  await elsewhere.close();
  await second.stop();
});
