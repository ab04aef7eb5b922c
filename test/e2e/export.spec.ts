/** Exports of runs for other viewers: from the library's menu and the palette, by keyboard, and cancelled half-way. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, Page } from '@playwright/test';
import { expect, test } from './support/test.ts';

const trace = readFileSync(join(import.meta.dirname, '../fixtures/pytorch-traces/trace_streamed1_pinned1.json'));
const name = 'trace_streamed1_pinned1';

async function downloaded(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

const content = async (download: Download): Promise<Buffer> => readFileSync(await download.path());

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
  });

  test('goes out for Perfetto from the palette', async ({ page }) => {
    const perfetto = await downloaded(page, () => palette(page, 'shown run for Perfetto'));
    expect(perfetto.suggestedFilename()).toBe(`${name}.perfetto-trace`);
    // Field 1 of the trace, a packet.
    expect((await content(perfetto))[0]).toBe(0x0a);
  });
});

test('a prediction goes out as what it is', async ({ window, page, server }) => {
  server.addExperiment(
    'own',
    readFileSync(join(import.meta.dirname, '../../assets/examples/pipelines/strategy-b.json'), 'utf8').replace(
      /"name": "[^"]*"/,
      '"name": "Of my own"',
    ),
  );
  await page.reload();
  await window.ready();
  await window.open('Of my own');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await expect(window.timeline.getByRole('toolbar', { name: 'Timeline tools' })).toContainText('Simulated');
  const download = await downloaded(page, () => palette(page, 'shown run as a PyTorch profiler trace'));
  expect(JSON.parse((await content(download)).toString()).copyscope.engine).toBe('sim');
});
