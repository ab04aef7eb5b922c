/** The server of an open window is killed. */
import { edit, sheet } from '../e2e/support/edits.ts';
import { Server } from '../e2e/support/server.ts';
import { expect, withPort } from '../e2e/support/test.ts';
import { Window } from '../e2e/support/window.ts';

const example = 'Pinned source, second stream';

withPort(
  'the window keeps what is edited while its server is killed, and saves it with the next one',
  async ({ page, context, server: first }) => {
    await page.goto(await first.address());
    const window = new Window(page);
    await window.ready();
    await window.open(example);
    await sheet(page).locator('[data-op="0"]').click();
    await edit(page, 2);
    await first.kill();
    await expect(page.getByText('Not connected', { exact: true })).toBeVisible();
    const late = await edit(page, 3);

    // The next server takes the same port, and its address admits this browser again, with the waiting window.
    const second = new Server({ dataFolder: first.dataFolder });
    const address = await second.address();
    const banner = page.getByRole('alert').filter({ hasText: 'This window has no session.' });
    await expect(banner).toContainText('Open the address that it printed last.');
    const opened = await context.newPage();
    await opened.goto(address);
    await new Window(opened).ready();
    await expect(window.status).toContainText('Connected');
    await expect(sheet(page)).toHaveAttribute('data-operations', String(late));
    await page.keyboard.press('Control+s');
    await expect(page.getByText('Not saved', { exact: true })).toHaveCount(0);
    await window.library.getByRole('button', { name: example, exact: true }).click();
    const saved = Object.entries(second.files()).find(([path]) => path.includes('/experiments/'));
    const text = Buffer.from(saved?.[1] ?? '', 'base64').toString('utf8');
    expect(JSON.parse(text).threads[0].operations).toHaveLength(late);
    await second.stop();
  },
);
