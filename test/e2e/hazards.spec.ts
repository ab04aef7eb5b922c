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
