import { expect, test } from './support/test.ts';

const example = 'Pinned source, second stream';
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
