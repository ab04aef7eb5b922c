/** Races are named before a run. */
import { expect, it } from 'vitest';
import { openExample, openWorkbench, press } from '../support/workbench.tsx';

const race = 'races/changed-source-pinned';

it('lists a race with both operations, which can be selected, and its rule', async () => {
  const { inspector, status } = await openExample(race);
  await expect.element(status).toHaveTextContent('Hazards 1');
  const selected = inspector.getByRole('heading', { level: 2 });
  const card = inspector.getByRole('article', { name: 'Hazard: Source changed in flight' });
  await card.getByRole('button', { name: /^copy the ones/ }).click();
  await expect.element(selected).toHaveTextContent('copy the ones');
  await press('Escape');
  await status.getByRole('button', { name: /^Hazards: 1/ }).click();
  await expect.element(selected).toHaveTextContent('copy the ones');
  const rule = card.getByRole('button', { name: /^Rule:/ });
  await rule.click();
  await expect.element(rule).toHaveAttribute('aria-expanded', 'true');
});

it('finds no hazard in the repaired twin of a race', async () => {
  const { inspector, status } = await openExample('races/changed-source-synchronized');
  await expect.element(status).toHaveTextContent('Hazards none');
  await expect.element(inspector.getByRole('region', { name: 'Hazards' })).not.toBeInTheDocument();
});

it('names host threads that wait for each other, each with what it waits for', async () => {
  const turn = (awaited: string, given: string) => [
    { op: 'waitSignal', signal: awaited },
    { op: 'signal', signal: given },
  ];
  const circle = {
    ...{ format: 'copyscope/experiment', version: 1, name: 'Circle', signals: [{ id: 'filled' }, { id: 'emptied' }] },
    threads: [
      { id: 'loader', operations: turn('emptied', 'filled') },
      { id: 'main', operations: turn('filled', 'emptied') },
    ],
  };
  const { inspector, status } = await openWorkbench({
    experiments: { circle },
    page: { kind: 'experiment', id: 'circle' },
  });
  await expect.element(status).toHaveTextContent('Hazards 2');
  const cards = inspector.getByRole('article', { name: 'Hazard: Waits for ever' });
  await expect.poll(() => cards.elements().length).toBe(2);
  await cards
    .last()
    .getByRole('button', { name: /^wait for filled/ })
    .click();
  await expect.element(inspector.getByRole('heading', { level: 2 })).toHaveTextContent('wait for filled');
});
