/** What is drawn goes out: as a picture, as figures, to the clipboard, on paper, and as a report of its own. By keyboard. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, Page } from '@playwright/test';
import { partsOf } from '../unit/report/partsOf.ts';
import { expect, test } from './support/test.ts';

const name = 'trace_streamed1_pinned1';
const trace = readFileSync(join(import.meta.dirname, `../fixtures/pytorch-traces/${name}.json`));

async function downloaded(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

const content = async (download: Download): Promise<Buffer> => readFileSync(await download.path());

/** Opens a menu and takes an item of it, with keys alone. */
async function choose(page: Page, menu: string, item: string): Promise<void> {
  const button = page.getByRole('button', { name: menu });
  await button.focus();
  await button.press('Enter');
  const role = item.endsWith('pixels') ? 'menuitemradio' : 'menuitem';
  const entry = page.getByRole(role, { name: item, exact: true });
  await expect(entry).toBeVisible();
  await entry.focus();
  await page.keyboard.press('Enter');
}

/** Width and height of a PNG. */
const sizeOf = (png: Buffer): readonly [number, number] => [png.readUInt32BE(16), png.readUInt32BE(20)];

async function palette(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search commands').fill(words);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

test.describe('an imported trace', () => {
  test.beforeEach(async ({ window }) => {
    await window.openFile(`${name}.json`, trace);
    await expect(window.page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  });

  test('its lanes are saved as a drawing and as a picture of the chosen width', async ({ page }) => {
    const drawing = await downloaded(page, () => choose(page, 'Save the lanes', 'Drawing (SVG)'));
    expect(drawing.suggestedFilename()).toBe(`${name} lanes.svg`);
    const svg = (await content(drawing)).toString();
    expect(svg).toContain('width="1200"');
    expect(svg).toContain('H2D copy');
    await choose(page, 'Save the lanes', '1920 pixels');
    await page.keyboard.press('Escape');
    const picture = await downloaded(page, () => choose(page, 'Save the lanes', 'Picture (PNG)'));
    const png = await content(picture);
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    // Two pixels for each of the drawing's.
    expect(sizeOf(png)[0]).toBe(3840);
  });

  test('its rows are saved as figures that other tools read', async ({ page }) => {
    const csv = await downloaded(page, () => choose(page, 'Save the lanes', 'Figures (CSV)'));
    const lines = (await content(csv)).toString().trim().split('\r\n');
    expect(lines[0]).toBe(
      'iteration,start_ns,duration_ns,kind,lane,engine,name,op,correlation,bytes,src_memory,dst_memory',
    );
    expect(lines.length).toBeGreaterThan(10);
  });

  test('its lanes go to the clipboard', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await choose(page, 'Save the lanes', 'Copy the picture');
    const types = () => page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
    await expect.poll(types).toContain('image/png');
    await choose(page, 'Save the lanes', 'Copy the figures (CSV)');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('start_ns');
  });

  test('each chart is saved, and its figures', async ({ page, window }) => {
    await window.timeline.getByRole('radiogroup', { name: 'Show as' }).getByText('Charts').click();
    await expect(page.getByTestId('chart').first()).toBeVisible();
    const drawing = await downloaded(page, () => choose(page, 'Save Engine use', 'Drawing (SVG)'));
    expect((await content(drawing)).toString()).toContain('Engine use');
    const figures = await downloaded(page, () => choose(page, 'Save Engine use', 'Figures (CSV)'));
    expect((await content(figures)).toString()).toContain('Origin');
  });

  test('nothing is left of a report that is cancelled', async ({ page, window }) => {
    let [downloads, release] = [0, () => {}];
    page.on('download', () => {
      downloads += 1;
    });
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.context().route('**/report.html', async (route) => {
      await held;
      await route.abort().catch(() => {});
    });
    const more = window.library.getByRole('button', { name: `More about ${name}` });
    await more.focus();
    await more.press('Enter');
    await page.getByRole('menuitem', { name: 'Report (HTML)' }).press('Enter');
    const transfers = page.getByRole('region', { name: 'Files being read or written' });
    await expect(transfers).toContainText('Making the report');
    await transfers.getByRole('button', { name: 'Cancel' }).press('Enter');
    await expect(transfers).not.toContainText('Making the report');
    release();
    expect(downloads).toBe(0);
  });

  test('paper has the run, with its lanes', async ({ page }) => {
    await page.emulateMedia({ media: 'print' });
    const paper = page.getByTestId('paper');
    await expect(paper.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(paper.getByLabel(`Lanes of ${name}`).locator('svg')).toBeVisible();
    await expect(paper.getByRole('region', { name: 'Figures' })).toContainText('Device time');
    await expect(page.getByRole('region', { name: 'Timeline' })).toBeHidden();
    await page.emulateMedia({ media: 'screen' });
    await expect(paper).toHaveCount(0);
  });

  test('Ctrl+P opens the printer’s dialog once charts can be drawn', async ({ page }) => {
    await page.evaluate(() => {
      Object.assign(globalThis, { printed: 0 });
      window.print = () => Object.assign(globalThis, { printed: 1 });
    });
    await page.keyboard.press('Control+p');
    await expect.poll(() => page.evaluate(() => Reflect.get(globalThis, 'printed'))).toBe(1);
    await page.emulateMedia({ media: 'print' });
    await expect(page.getByTestId('paper').getByLabel('Engine use').locator('svg')).toBeVisible();
  });
});

test('a comparison has a report and a page on paper', async ({ window, page }) => {
  await palette(page, 'Compare runs');
  await expect(page.getByRole('list', { name: 'Runs compared' }).getByTestId('timeline-plot').first()).toBeVisible();
  const download = await downloaded(page, () => page.getByRole('button', { name: 'Report of A and B' }).press('Enter'));
  const { document, runs } = partsOf((await content(download)).toString());
  expect(runs).toHaveLength(2);
  expect(document.comparison?.makespan.differenceNs).not.toBeNull();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByTestId('paper').getByRole('region', { name: 'Differences' })).toBeVisible();
  await expect(window.timeline).toBeHidden();
});
