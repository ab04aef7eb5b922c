/** Races are named before a run. */
import { expect, test } from '../e2e/support/test.ts';

test('a race is listed with both operations, which can be selected, and its repaired twin has none', async ({
  window,
}) => {
  await window.open('Pinned source changed in flight');
  await expect(window.status).toContainText('Hazards 1');
  const hazards = window.inspector.getByRole('region', { name: 'Hazards' });
  const card = hazards.getByRole('article', { name: 'Hazard: Source changed in flight' });
  await expect(card).toContainText('Synchronise stream "default" before "write zeros over the source".');
  await card.getByRole('button', { name: /^copy the ones/ }).click();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toHaveText('copy the ones');
  await expect(card).toBeVisible();
  await window.page.keyboard.press('Escape');
  await window.status.getByRole('button', { name: 'Hazards: 1, to the next one' }).click();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toHaveText('copy the ones');
  // Shows the rule with its source, as in a verdict.
  await card.getByRole('button', { name: 'Rule: A pinned source must stay as it is' }).click();
  await expect(card).toContainText('A pageable source has been staged when the call returns');
  await window.open('Pinned source changed in time');
  await expect(window.status).toContainText('Hazards none');
  await expect(window.inspector.getByRole('region', { name: 'Hazards' })).toHaveCount(0);
});
