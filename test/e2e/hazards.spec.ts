/** Races are named before anything is run, and a run adds what it found. */
import { expect, test } from './support/test.ts';

test('a race is listed with both operations, which can be selected', async ({ window }) => {
  await window.open('Pinned source changed in flight');
  await expect(window.status).toContainText('Hazards 1');
  const hazards = window.inspector.getByRole('region', { name: 'Hazards' });
  const card = hazards.getByRole('article', { name: 'Hazard: Source changed in flight' });
  await expect(card).toContainText('Synchronise stream "default" before "write zeros over the source".');
  await card.getByRole('button', { name: /^copy the ones/ }).click();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toHaveText('copy the ones');
  await expect(card).toBeVisible();
});

test('its repaired twin has none', async ({ window }) => {
  await window.open('Pinned source changed in time');
  await expect(window.status).toContainText('Hazards none');
  await expect(window.inspector.getByRole('region', { name: 'Hazards' })).toHaveCount(0);
});
