/** Races are named before anything is run, and a run adds what it found. */
import { expect, test } from './support/test.ts';

test('host threads that wait for each other are hazards, each with what it waits for', async ({ window }) => {
  const turn = (awaited: string, given: string) => [
    { op: 'waitSignal', signal: awaited },
    { op: 'signal', signal: given },
  ];
  const circle = {
    format: 'copyscope/experiment',
    version: 1,
    name: 'Circle',
    signals: [{ id: 'filled' }, { id: 'emptied' }],
    threads: [
      { id: 'loader', operations: turn('emptied', 'filled') },
      { id: 'main', operations: turn('filled', 'emptied') },
    ],
  };
  await window.openFile('circle.json', Buffer.from(JSON.stringify(circle)));
  await expect(window.status).toContainText('Hazards 2');
  const cards = window.inspector.getByRole('article', { name: 'Hazard: Waits for ever' });
  await expect(cards).toHaveCount(2);
  await expect(cards.first()).toContainText('Host thread "main" signals "emptied" only after "wait for filled"');
  await expect(cards.first()).toContainText('Let another thread signal "emptied"');
  await cards
    .last()
    .getByRole('button', { name: /^wait for filled/ })
    .click();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toHaveText('wait for filled');
});

test('marks stay while the changed experiment is looked through', async ({ window, page }) => {
  await window.open('Pinned source changed in flight');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-hazard]').first().click();
  await page.keyboard.press('Control+d');
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Copy of');
  await expect(window.status).toContainText(/Hazards\s+[1-9]/);
  await expect(sheet.locator('[data-hazard]').first()).toBeVisible();
  const operations = Number(await sheet.getAttribute('data-operations'));
  const fewest = await page.evaluate(async () => {
    const marks = () => document.querySelectorAll('[data-hazard]').length;
    const before = marks();
    let least = before;
    document
      .querySelector('[data-cursor]')
      ?.dispatchEvent(new KeyboardEvent('keydown', { key: 'd', ctrlKey: true, bubbles: true, cancelable: true }));
    for (let frame = 0; frame < 40; frame += 1) {
      await new Promise(requestAnimationFrame);
      least = Math.min(least, marks());
    }
    return { before, least };
  });
  expect(fewest.before).toBeGreaterThan(0);
  expect(fewest.least).toBe(fewest.before);
  await expect(sheet).toHaveAttribute('data-operations', String(operations + 1));
});
