/** Two runs on one time scale, with their differences. */
import { expect, it } from 'vitest';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { RunSummary } from '../../core/service/service.ts';
import { edit } from '../../renderer/store/editing/edit.ts';
import { openPage } from '../../renderer/store/pages.ts';
import { put, state } from '../../renderer/store/store.ts';
import { copied, four, openTrace, openWorkbench, page, pickEngine, press } from './support/workbench.tsx';

const [, pageable = '', , pinned = ''] = four;
const runs = () => page.getByRole('list', { name: 'Runs compared' }).getByRole('article');
const table = () => page.getByRole('region', { name: 'Table of differences' });
const copyRow = () => table().getByRole('row').filter({ hasText: 'H2D 20.0 MiB' });
const ends = () =>
  page
    .getByTestId('timeline-plot')
    .elements()
    .map((plot) => (plot as HTMLElement).dataset['endNs']);

it('runs all four cases and compares them on one scale', async () => {
  await openWorkbench({ recorded: four, examples: four, page: { kind: 'compare' } });
  await pickEngine(/^Simulated: NVIDIA H200/);
  await page.getByRole('button', { name: 'Run all four' }).click();
  await expect.poll(() => runs().elements().length).toBe(4);
  const overlapped = runs().filter({ hasText: '100 % of kernel overlapped' });
  await expect.element(overlapped).toHaveTextContent('Pinned source, second stream');
  await expect.element(overlapped).toHaveTextContent('Simulated');
  await expect.poll(() => ends().filter((end) => end !== undefined).length).toBe(4);
  const [before] = ends();
  await expect.poll(() => new Set(ends()).size).toBe(1);
  await press('w');
  await expect.poll(() => ends()[0]).not.toBe(before);
  await expect.poll(() => new Set(ends()).size).toBe(1);
});

it('says of a recorded run which machine it ran on, and does not offer to delete it', async () => {
  const { inspector, library, status } = await openWorkbench({
    recorded: [pinned],
    page: { kind: 'run', id: `recorded/${pinned}` },
  });
  await expect.element(status).toHaveTextContent(/recorded on NVIDIA/);
  await expect.element(inspector).toHaveTextContent('Driver');
  const listed = library.getByRole('region', { name: 'Recorded runs' }).getByRole('listitem');
  await expect.element(listed).toBeVisible();
  await expect.element(listed.getByRole('button', { name: /^More about/ })).not.toBeInTheDocument();
});

it('compares a recorded run with its prediction, by lane and aligned by an operation', async () => {
  await openWorkbench({ recorded: [pinned], examples: [pinned], page: { kind: 'run', id: `recorded/${pinned}` } });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByRole('button', { name: 'Add the prediction' }).click();
  await expect.poll(() => runs().elements().length).toBe(2);
  await expect.element(runs().nth(0)).toHaveTextContent('Recorded');
  await expect.element(runs().nth(1)).toHaveTextContent('with what recording costs');
  await expect.element(copyRow()).toHaveTextContent(/within the spread|larger than the spread/);
  await page.getByRole('region', { name: 'Differences' }).getByText('Lanes', { exact: true }).click();
  await expect
    .poll(
      () =>
        table()
          .getByRole('rowheader', { name: /^H2D engine/ })
          .elements().length,
    )
    .toBe(3);
  await page.getByRole('combobox', { name: 'Align by' }).click();
  await page.getByRole('option', { name: '0 H2D 20.0 MiB' }).click();
  await page.getByRole('combobox', { name: 'Aligned where it' }).click();
  await page.getByRole('option', { name: 'ends' }).click();
  const shifts = () =>
    runs()
      .elements()
      .map((run) => Number((run as HTMLElement).dataset['shiftNs']));
  await expect.poll(() => shifts().filter((shift) => shift > 0).length).toBe(1);
  await expect.element(page.getByTestId('aligned-at')).toBeVisible();
});

it('chooses runs from a list, and disables a third that cannot join', async () => {
  await openWorkbench({ recorded: four, examples: four, page: { kind: 'compare', runs: [] } });
  await page.getByRole('button', { name: 'Choose runs' }).click();
  const chooser = page.getByRole('dialog');
  const search = chooser.getByRole('textbox', { name: 'Search runs' });
  for (const text of ['pageable second recorded', 'pinned second recorded']) {
    await search.fill(text);
    await chooser.getByRole('checkbox').first().click();
  }
  await press('Escape');
  await expect.poll(() => runs().elements().length).toBe(2);
  expect(state().page).toEqual({ kind: 'compare', runs: [`recorded/${pageable}`, `recorded/${pinned}`] });
});

it('compares the open run with the one before it, and says first what changed in the program', async () => {
  const { run } = await openWorkbench({ examples: [pageable], page: { kind: 'example', id: pageable } });
  await pickEngine(/^Simulated: NVIDIA H200/);
  const first = await run();
  await edit('Pin', (experiment) => {
    const pinned = experiment.buffers.map((one) => (one.memory === 'pageable' ? { ...one, memory: 'pinned' } : one));
    return { experiment: { ...experiment, buffers: pinned } as Experiment, selected: [] };
  });
  const second = await run();
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  expect(state().page).toEqual({ kind: 'compare', runs: [first, second] });
  await expect.element(runs().nth(1)).toHaveTextContent('Pinned instead of pageable');
  const differences = page.getByRole('region', { name: 'Differences', exact: true });
  await expect.element(differences).toHaveTextContent(/^Changed from A to B: pinned instead of pageable.*Makespan/);
  await page.getByRole('button', { name: 'Swap A and B' }).click();
  await expect.element(differences).toHaveTextContent(/^Changed from A to B: pageable instead of pinned/);
  await page.getByRole('button', { name: 'Clear' }).click();
  await expect.element(page.getByText('Nothing to compare yet')).toBeVisible();
});

/** Opens the comparison of two recorded runs. */
const openTwo = () =>
  openWorkbench({
    recorded: [pageable, pinned],
    page: { kind: 'compare', runs: [`recorded/${pageable}`, `recorded/${pinned}`] },
  });

it('copies the table of differences, with signs', async () => {
  await openTwo();
  const text = copied();
  await expect.element(copyRow()).toHaveTextContent(/−\d+/);
  await expect.element(copyRow()).toHaveTextContent('larger than the spread');
  await table().getByRole('button', { name: 'Copy as TSV' }).click();
  await expect.poll(text).toMatch(/^Operation\tNumber\tKind\tWhat\tA median/);
  expect(text()).toMatch(/^H2D 20\.0 MiB\t0\tcopy\tduration\t/m);
});

it('aligns the runs by the operation of a row, and shows all lanes if they are asked for', async () => {
  await openTwo();
  await copyRow().getByRole('button').click();
  await expect.element(copyRow()).toHaveAttribute('aria-current', 'true');
  await expect.element(page.getByRole('combobox', { name: 'Aligned where it' })).toHaveValue('starts');
  const lanes = runs().first().getByRole('list', { name: 'Lanes', exact: true });
  await expect.element(lanes).not.toHaveTextContent('side');
  await page.getByText('All lanes', { exact: true }).click();
  await expect.element(lanes).toHaveTextContent('side');
});

it('shows first where the steps of two traces differ, and keeps the settled prediction with the plan', async () => {
  const { host } = await openTrace('vision.pageable', 'vision.pinned');
  const settled = page.getByRole('region', { name: 'Settled predictions' });
  await expect.element(settled).toHaveTextContent('No prediction with this profile has been settled yet.');
  const [before = '', after = ''] = ['vision.pageable', 'vision.pinned'].map(
    (name) => [...host.runs].find(([, { summary }]) => summary.name === name)?.[0],
  );
  openPage({ kind: 'compare', runs: [before, after] });
  const steps = page.getByRole('table', { name: 'Where the step time goes' });
  await expect.element(steps.getByRole('row').nth(1)).toHaveTextContent(/^copies of pageable memory.*−3\.\d+ ms/);
  await expect.element(page.getByRole('region', { name: 'Differences' })).toHaveTextContent(/Measured: \d/);
  await expect.element(page.getByText(/^Made between A and B: pin\./)).toBeVisible();
  expect(host.settled).toMatchObject([{ profile: 'h200', changes: ['pin'], holds: true }]);
  openPage({ kind: 'run', id: before });
  await expect.element(settled).toHaveTextContent('1 of 1 interval contained the measured gain.');
  await expect.element(settled.getByRole('row').nth(1)).toHaveTextContent(/^Pin memory once.*held$/);
});

it('compares a trace with another rather than with a run, by their step, and offers no prediction of it', async () => {
  await openTrace('weights.pageable', 'weights.pinned');
  const [trace] = Object.values(state().runs);
  const createdAt = '2026-11-01T08:00:00.000Z';
  put('runs', 'other', { ...(trace as RunSummary), id: 'other', name: 'Other', origin: 'simulated', createdAt });
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect.poll(() => runs().elements().length).toBe(2);
  expect(state().page).not.toMatchObject({ runs: expect.arrayContaining(['other']) });
  await expect.element(page.getByRole('button', { name: 'Add the prediction' })).not.toBeInTheDocument();
  await page.getByRole('region', { name: 'Differences' }).getByText('Operations', { exact: true }).click();
  await expect.element(table().getByRole('row').nth(1)).toHaveTextContent('pageable and pinned');
  await expect.element(page.getByRole('combobox', { name: 'Align by' })).toHaveValue('start of step 1');
});
