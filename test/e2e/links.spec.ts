/** A copyscope:// link in the window: it asks, says what it would open, and opens only what was agreed to. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { looksRight } from './support/looks.ts';
import { Server } from './support/server.ts';
import { test as base, expect } from './support/test.ts';

const example = join(import.meta.dirname, '../../assets/examples/overlap/pinned-side-stream.json');

function experiments(dataFolder: string): string[] {
  const folder = join(dataFolder, 'experiments');
  return existsSync(folder) ? readdirSync(folder) : [];
}

/** What follows "copyscope://open?"; FILE stands for one in the data folder. */
const test = base.extend<{ query: string; server: Server }>({
  query: ['', { option: true }],
  server: async ({ query }, use) => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'copyscope-e2e-'));
    const file = join(dataFolder, 'incoming/linked.copyscope.json');
    mkdirSync(join(dataFolder, 'incoming'));
    copyFileSync(example, file);
    const link = `copyscope://open?${query.replace('FILE', encodeURIComponent(file))}`;
    const server = new Server({ dataFolder, args: [link] });
    await use(server);
    await server.stop();
  },
});

test.describe('a link to an example', () => {
  test.use({ query: 'example=overlap/pinned-side-stream' });

  test('is asked about, with the safe answer at hand, and opened', async ({ page, window }) => {
    await window.ready();
    const dialog = page.getByRole('dialog', { name: 'A link wants to open something' });
    await expect(dialog).toContainText('An example that comes with Copyscope');
    await expect(dialog).toContainText('Pinned source, second stream');
    await expect(dialog.getByRole('button', { name: 'Don’t open' })).toBeFocused();
    await looksRight(page, 'link');
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
  });
});

test.describe('a link to a file', () => {
  test.use({ query: 'file=FILE' });

  test('names it, and keeps nothing where it is declined', async ({ page, server, window }) => {
    const dialog = page.getByRole('dialog', { name: 'A link wants to open something' });
    await expect(dialog).toContainText('linked.copyscope.json');
    await expect(dialog.getByRole('button', { name: 'Don’t open' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog).toBeHidden();
    await page.reload();
    await window.ready();
    await expect(dialog).toBeHidden();
    expect(experiments(server.dataFolder)).toEqual([]);
  });

  test('is added to the library where it is wanted', async ({ page, server, window }) => {
    await window.ready();
    const dialog = page.getByRole('dialog', { name: 'A link wants to open something' });
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
    expect(experiments(server.dataFolder)).toHaveLength(1);
  });
});

test('the licences of what the window holds are one command away', async ({ page, window }) => {
  await window.ready();
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Search commands' }).fill('licences');
  await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('Licences');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Licences' });
  await expect(dialog.getByText(/^react - /)).toBeVisible();
  await dialog.getByText(/^node-addon-api - /).click();
  await expect(dialog.getByText('Node.js API collaborators')).toBeVisible();
});
