/** Everything a run needs, by keyboard alone. */
import { tabTo } from './support/keys.ts';
import { expect, test } from './support/test.ts';

test('a remedy is applied and undone by keys, and the focus stays in the inspector', async ({ window, page }) => {
  await window.open('Same stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await expect(window.verdict).toContainText('Predicted gain');
  await window.inspector.focus();
  await tabTo(page, /^Apply in a copy: Move "upload"/);
  await page.keyboard.press('Enter');
  await expect(window.verdict).toContainText('Overlapped');
  await expect(window.inspector).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('announcement')).toHaveText('Undone: Remedy: Same stream');
  await expect(page.getByRole('heading', { level: 1, name: 'Same stream', exact: true })).toBeVisible();
  await expect(window.inspector).toBeFocused();
  await tabTo(page, /^Apply in a copy: Move "upload"/);
});

test('the list of keys opens with ? and closes with Escape, which gives the focus back', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await window.runButton.focus();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard and mouse' });
  await expect(help).toBeVisible();
  await expect(help).toContainText('Run what is open');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await expect(window.runButton).toBeFocused();
});

test('what is opened from the first page has the focus: Tab goes on in it', async ({ window, page }) => {
  await window.open('Same stream');
  await page.getByRole('button', { name: 'Copyscope', exact: true }).click();
  await page.getByRole('region', { name: 'Recent' }).getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Same stream' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Experiment settings' })).toBeFocused();
});

test('the engine is picked with the arrow keys', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await window.engine.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('listbox', { name: 'Engine' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(window.engine).toHaveValue(/\S/);
  await expect(page.getByRole('listbox', { name: 'Engine' })).toBeHidden();
});
