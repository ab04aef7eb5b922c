/** A user's program, recorded from the window: with the stand-in for CUPTI, if it can be built. */
import type { Locator } from '@playwright/test';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../support/recorder.ts';
import { recordForm } from './support/recordForm.ts';
import { expect, testWith } from './support/test.ts';

const figure = (card: Locator, label: string): Locator =>
  card
    .locator('dl > div')
    .filter({ has: card.page().getByText(label, { exact: true }) })
    .locator('dd');

const test = testWith(() => standInEnvironment(buildRecorder()));

test.describe('with a stand-in for CUPTI', () => {
  test.skip(noRecorder !== null, noRecorder ?? '');
  const built = (): string => player(buildRecorder());

  test('by keyboard: counted while it runs, seen by a window that comes back, and stopped', async ({ window }) => {
    const { page } = window;
    await page.keyboard.press('Alt+r');
    const fields = recordForm(page);
    await fields.command.focus();
    await page.keyboard.insertText(`${built()} 1 200 wait`);
    await page.keyboard.press('Tab');
    await page.keyboard.insertText('/');
    await page.keyboard.press('Enter');
    await expect(fields.card).toContainText('Recording copyscope_record_player');
    await expect(figure(fields.card, 'Copies')).toHaveText('200');
    await expect(fields.card).toContainText('One process of it is recorded.');
    await expect(figure(fields.card, 'Written')).not.toHaveText('0 B');
    await expect(fields.card.getByRole('region', { name: 'Program output' })).toContainText(/^\d+ \d+$/m);
    await page.reload();
    await expect(fields.card).toContainText('Recording copyscope_record_player');
    await expect(fields.command).toBeDisabled();
    await fields.card.getByRole('button', { name: 'Stop' }).focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: 'copyscope_record_player' })).toBeVisible();
    await page.goBack();
    await expect(fields.card).toContainText('It ended with exit code 130 (signal 2), stopped from here.');
  });
});
