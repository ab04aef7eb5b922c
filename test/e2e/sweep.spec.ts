/** Sweeps: set up in the window, run as a set, cancelled, failed at some points, kept, and opened point by point. */
import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

const simulated = /^Simulated: NVIDIA H200/;

/** Sets up 7 chunk sizes by 5 numbers of streams, in a tensor that is smaller than the largest chunk. */
async function setUp(window: Window, page: Page, tensor = '16 MiB'): Promise<void> {
  await window.library.getByRole('button', { name: 'New sweep' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'New sweep' })).toBeVisible();
  await page.getByLabel('Tensor size').fill(tensor);
  const chunks = page.getByRole('group', { name: 'First axis' });
  await expect(chunks.getByRole('combobox', { name: 'Varied field' })).toHaveValue(/^Chunk size/);
  await chunks.getByLabel('From').fill('512 KiB');
  await chunks.getByLabel('To', { exact: true }).fill('32 MiB');
  await chunks.getByLabel('Number of values').fill('7');
  await expect(chunks).toContainText('7 values: 512 KiB, 1 MiB, 2 MiB, 4 MiB, 8 MiB, 16 MiB, 32 MiB');
  await page.getByRole('group', { name: 'Second axis' }).getByLabel('Values', { exact: true }).fill('1, 2, 3, 4, 5');
  await window.pickEngine(simulated);
}

/** Runs more points than can finish before the test continues. */
async function runMany(window: Window, page: Page): Promise<void> {
  await setUp(window, page);
  const streams = page.getByRole('group', { name: 'Second axis' });
  await streams.getByText('Range', { exact: true }).click();
  await streams.getByLabel('From').fill('1');
  await streams.getByLabel('To', { exact: true }).fill('128');
  await streams.getByLabel('Number of values').fill('128');
  await streams.getByLabel('Steps').selectOption('equal steps');
  await page.getByRole('button', { name: 'Run 896 points' }).click();
  await expect(progress(page)).toContainText(/^([2-9]|\d\d+) of 896/);
}

const reached = async (page: Page): Promise<number> => Number(/^(\d+) of/.exec(await progress(page).innerText())?.[1]);

const points = (page: Page): Locator => page.getByRole('region', { name: 'Points' }).locator('tbody tr');
const progress = (page: Page): Locator => page.getByRole('region', { name: 'Progress of the sweep' });

test('a sweep is cancelled, goes on where it stopped, and is there when the window is opened anew', async ({
  window,
  page,
  server,
}) => {
  await runMany(window, page);
  await page.getByRole('button', { name: 'Cancel the sweep' }).click();
  await expect(progress(page)).toContainText('stopped; what was done is kept');
  const before = await reached(page);
  expect(before).toBeGreaterThan(1);
  expect(before).toBeLessThan(896);
  await expect(points(page).filter({ hasText: 'not reached' })).toHaveCount(896 - before);
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByTestId('paper')).toContainText(`${before} of 896 points were reached`);
  await page.emulateMedia({ media: 'screen' });

  // Finished points can be opened, and the rest runs from where it stopped.
  await page
    .getByRole('button', { name: /^Open the run of/ })
    .first()
    .click();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  await page.goBack();
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect.poll(() => reached(page)).toBeGreaterThan(before);
  await page.getByRole('button', { name: 'Cancel the sweep' }).click();
  await expect(progress(page)).toContainText('stopped; what was done is kept');
  const kept = await reached(page);

  // The files keep the sweep: a reloaded window shows the same.
  await page.reload();
  await window.ready();
  await expect(progress(page)).toContainText(`${kept} of 896 points`);
  const lines = Object.entries(server.files()).filter(([path]) => path.endsWith('points.jsonl'));
  expect(lines).toHaveLength(1);
});

test('a sweep is found in the library, opened from a file, deleted and brought back with its runs, by Undo and by a bundle', async ({
  window,
  page,
  server,
}) => {
  const document = {
    format: 'copyscope/sweep',
    version: 1,
    name: 'Streams of a file',
    base: { template: 'chunked-pipeline' },
    axes: [{ parameter: 'streams', values: [1, 2] }],
  };
  const openDocument = (content: object) => window.openFile('streams.sweep.json', Buffer.from(JSON.stringify(content)));
  await openDocument({ ...document, axes: [] });
  await expect(page.getByRole('alert').filter({ hasText: 'could not be opened' })).toContainText('axes');
  await openDocument(document);
  await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Streams of a file');
  await window.pickEngine(simulated);
  await page.getByRole('button', { name: 'Run 2 points' }).click();
  await expect(progress(page)).toContainText('complete');

  const sweeps = window.library.getByRole('region', { name: 'Sweeps' });
  await sweeps.getByRole('button', { name: 'More about Streams of a file' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Export as a bundle' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('streams-of-a-file.copyscope');
  const bundle = readFileSync(await download.path());
  await sweeps.getByRole('button', { name: 'More about Streams of a file' }).click();
  const kept = (): string[] =>
    Object.keys(server.files()).filter((path) => path.includes('/sweeps/') && !/\/(incoming|trash)\//.test(path));
  const before = kept();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const notice = page.getByRole('alert').filter({ hasText: 'Moved to the trash' });
  // The notice stays while the pointer is on it.
  await notice.hover();
  await expect(sweeps.getByRole('listitem')).toHaveCount(0);
  await expect.poll(kept).toEqual([]);
  // The deleted sweep is not shown any more.
  await expect(page.getByRole('region', { name: 'Sweep', exact: true })).toHaveCount(0);

  await expect(notice).toContainText('Streams of a file, with its 2 runs');
  await notice.getByRole('button', { name: 'Undo' }).click();
  await sweeps.getByRole('button', { name: /^Streams of a file/ }).click();
  await expect(progress(page)).toContainText('complete');
  expect(kept()).toEqual(before);
  await page.getByRole('button', { name: 'Open the run of Streams 2' }).click();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();

  // Deletes it also by the button of its open page.
  await page.goBack();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('Streams of a file');
  expect(kept()).toEqual([]);

  await window.openFile('streams.copyscope', bundle);
  await expect(page.getByRole('alert').filter({ hasText: 'The bundle is in your library' })).toContainText('1 sweep');
  await sweeps.getByRole('button', { name: /^Streams of a file/ }).click();
  await expect(progress(page)).toContainText('complete');
  await page.getByRole('button', { name: 'Open the run of Streams 1' }).click();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  expect(kept()).toEqual(before);
});

test('a sweep’s figures are saved with where they come from, and its document runs again', async ({ window, page }) => {
  await setUp(window, page);
  await page.getByRole('group', { name: 'Second axis' }).getByLabel('Values', { exact: true }).fill('1, 2');
  await page.getByRole('button', { name: 'Run 14 points' }).click();
  await expect(progress(page)).toContainText('complete', { timeout: 120_000 });
  await page.getByLabel('Metric').selectOption('H2D bandwidth');
  await page.getByText('Lines', { exact: true }).click();
  const chart = page.getByRole('figure', { name: 'H2D bandwidth by chunk size and streams, simulated' });
  await expect(chart.getByTestId('chart').locator('svg')).toContainText('limit of the PCIe link');
  const save = async (as: RegExp): Promise<{ name: string; content: Buffer }> => {
    await chart.getByRole('button', { name: /^Save/ }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: as }).click(),
    ]);
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
  };
  const csv = await save(/^Figures \(CSV\)/);
  expect(csv.name).toBe('h2d-bandwidth-by-chunk-size-and-streams-simulated.csv');
  const lines = csv.content.toString().trim().split('\r\n');
  expect(lines[0]).toBe(
    'Series,Chunk size (bytes),H2D bandwidth (bytes/s),Least,Most,Iterations,Failed because,Origin,Device,Date',
  );
  // 14 points, and 7 of the limit.
  expect(lines).toHaveLength(1 + 14 + 7);
  expect(lines[1]).toMatch(/^Streams 1,524288,\d+(\.\d+)?,.*,1,,simulated,NVIDIA H200,20\d\d-/);
  const svg = await save(/SVG/);
  expect(svg.content.toString()).toContain('H2D bandwidth by chunk size and streams, simulated');
  expect(svg.content.toString()).toMatch(/Simulated on NVIDIA H200, 20\d\d-/);
  const png = await save(/PNG/);
  expect(png.content.subarray(1, 4).toString()).toBe('PNG');
  expect(png.content.readUInt32BE(16)).toBe(2400);
  const [report] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Report', exact: true }).click(),
  ]);
  expect(report.suggestedFilename()).toMatch(/\.html$/);

  await page.getByRole('button', { name: 'Change and run again…' }).click();
  await expect(page.getByRole('group', { name: 'First axis' })).toContainText('7 values: 512 KiB');
  await expect(page.getByLabel('Tensor size')).toHaveValue('16 MiB');
});
