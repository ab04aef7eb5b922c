/** What people expect of any window: room for what it says, panels that stay as they were put, and a way round by keyboard. */
import type { Page } from '@playwright/test';
import { templates } from '../../core/experiment/templates/templates.ts';
import { expect, test } from './support/test.ts';

const example = 'Pinned source, second stream';
/** Uploads, kernels and downloads that overlap: the status line has the most to say of it. */
const bothDirections = templates.find(({ id }) => id === 'strategy-a')?.build();

test('the status line has room for both directions in a window of 1280 pixels', async ({ window, page, server }) => {
  server.addExperiment('both', { ...bothDirections, name: 'Both directions' });
  await page.reload();
  await window.ready();
  await window.open('Both directions');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  for (const text of ['H2D with kernel', 'D2H with kernel', 'H2D link'])
    await expect(window.status).toContainText(text);
  await expect(window.status).toContainText('D2H link');
  const cut = await window.status.evaluate((line) => {
    const right = line.getBoundingClientRect().right;
    const parts = [...line.querySelectorAll(':scope > span')];
    return {
      scrolls: line.scrollWidth - line.clientWidth,
      outside: parts.filter((part) => part.getBoundingClientRect().right > right + 0.5).map((part) => part.textContent),
    };
  });
  expect(cut).toEqual({ scrolls: 0, outside: [] });
});

/** Width of the panel that holds the library. */
const libraryWidth = async (page: Page): Promise<number> =>
  Math.round((await page.getByRole('region', { name: 'Library', exact: true }).boundingBox())?.width ?? 0);

test('panels are resized by mouse and by keyboard, and stay as they were put', async ({ window, page }) => {
  await window.open(example);
  const separator = page.getByRole('separator', { name: 'Resize the library' });
  const box = await separator.boundingBox();
  if (box === null) throw new Error('there is no separator');
  const before = await libraryWidth(page);
  await page.mouse.move(box.x, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 80, box.y + 200, { steps: 8 });
  await page.mouse.up();
  await expect.poll(() => libraryWidth(page)).toBeGreaterThan(before + 60);
  const dragged = await libraryWidth(page);
  await separator.focus();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => libraryWidth(page)).toBeLessThan(dragged);
  const pressed = await libraryWidth(page);
  await page.reload();
  await window.ready();
  await expect.poll(() => libraryWidth(page)).toBe(pressed);
});

/** Width of the panel that holds the inspector. */
const inspectorWidth = async (page: Page): Promise<number> =>
  Math.round((await page.getByRole('region', { name: 'Inspector', exact: true }).boundingBox())?.width ?? 0);

test('a window that was too narrow for its panels gives them their widths back', async ({ window, page }) => {
  await window.open(example);
  await page.getByRole('separator', { name: 'Resize the library' }).focus();
  for (let press = 0; press < 2; press += 1) await page.keyboard.press('ArrowRight');
  const [library, inspector] = [await libraryWidth(page), await inspectorWidth(page)];
  await page.setViewportSize({ width: 780, height: 800 });
  await expect.poll(() => inspectorWidth(page)).toBeLessThan(inspector);
  // A window that begins narrow knows them as well.
  await page.reload();
  await window.ready();
  for (const width of [1280, 1920, 1000, 1280]) await page.setViewportSize({ width, height: 800 });
  await expect.poll(() => libraryWidth(page)).toBe(library);
  await expect.poll(() => inspectorWidth(page)).toBe(inspector);
  // And pixels stay pixels in a window of another width.
  await page.setViewportSize({ width: 1920, height: 800 });
  await page.reload();
  await window.ready();
  await expect.poll(() => libraryWidth(page)).toBe(library);
  await expect.poll(() => inspectorWidth(page)).toBe(inspector);
});

test('the JSON of an experiment has room to be read, and the score its own height again', async ({ window, page }) => {
  await window.open(example);
  const edge = async (): Promise<number> =>
    Math.round((await page.getByRole('separator', { name: 'Resize the score' }).boundingBox())?.y ?? 0);
  const before = await edge();
  await page.getByText('JSON', { exact: true }).click();
  await expect.poll(edge).toBeGreaterThan(before + 100);
  await page.getByText('Score', { exact: true }).click();
  await expect.poll(edge).toBe(before);
});

test('F6 goes through the parts of the window, and comes back to where one was', async ({ window, page }) => {
  await window.open(example);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await window.library.getByRole('button', { name: 'Pinned source, same stream', exact: true }).focus();
  const where = (): Promise<string> =>
    page.evaluate(() => {
      const focused = document.activeElement;
      const part = focused?.closest(
        'section[aria-label="Library"], [data-testid="score"], section[aria-label="Timeline"], section[aria-label="Inspector"], section[aria-label="Status"]',
      );
      return (
        part?.getAttribute('aria-label') ??
        part?.getAttribute('data-testid') ??
        focused?.closest('header')?.tagName ??
        ''
      );
    });
  const visited = [await where()];
  for (let step = 0; step < 7; step += 1) {
    await page.keyboard.press('F6');
    visited.push(await where());
  }
  // The score's tools are a part of their own.
  expect(visited).toEqual(['Library', 'score', 'score', 'Timeline', 'Inspector', 'Status', 'HEADER', 'Library']);
  await expect(page.locator(':focus')).toHaveText('Pinned source, same stream');
  await page.keyboard.press('Shift+F6');
  expect(await where()).toBe('HEADER');
});

test('nothing moves for those who want no motion', async ({ window, page }) => {
  await page.emulateMedia({ reducedMotion: 'reduce' });
  await window.open(example);
  const moving = await page.evaluate(
    () =>
      [...document.querySelectorAll('*')].filter((element) => {
        const { transitionDuration, animationDuration } = getComputedStyle(element);
        return [transitionDuration, animationDuration].some((times) =>
          times.split(',').some((time) => Number.parseFloat(time) * (time.trim().endsWith('ms') ? 1 : 1000) > 1),
        );
      }).length,
  );
  expect(moving).toBe(0);
});

test('every button and field has a name', async ({ window, page }) => {
  await window.open(example);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  for (const role of ['button', 'textbox', 'combobox', 'separator', 'checkbox', 'radio'] as const) {
    await expect(page.getByRole(role, { name: /^\s*$/ })).toHaveCount(0);
  }
});

test('theme, engine and page are as they were when the window is opened again', async ({ window, page }) => {
  await window.chooseTheme('Dark');
  await window.open(example);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await page.reload();
  await window.ready();
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page.getByRole('heading', { level: 1, name: example })).toBeVisible();
  await expect(window.engine).toHaveValue(/^Simulated: NVIDIA H200/);
});
