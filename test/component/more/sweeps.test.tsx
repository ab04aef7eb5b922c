/** Sweeps: set up in the window, run as a set, cancelled, failed at some points, and opened point by point. */
import { expect, it } from 'vitest';
import { state } from '../../../renderer/store/store.ts';
import { heading, openExample, openWorkbench, page, press, type Workbench } from '../support/workbench.tsx';

const progress = () => page.getByRole('region', { name: 'Progress of the sweep' });
const points = () => page.getByRole('region', { name: 'Points' }).css('tbody tr');
const axis = (which: 'First' | 'Second') => page.getByRole('group', { name: `${which} axis` });
const chart = () => page.getByTestId('chart');

/** Sets up chunk sizes by numbers of streams, in a tensor smaller than the largest chunk: the last chunk fails. */
async function setUp(): Promise<Workbench> {
  const window = await openWorkbench({ page: { kind: 'sweep-setup' } });
  await page.getByLabelText('Tensor size').fill('16 MiB');
  await expect
    .element(axis('First').getByRole('combobox', { name: 'Varied field' }))
    .toHaveValue(expect.stringMatching(/^Chunk size/));
  await axis('First').getByLabelText('From').fill('8 MiB');
  await axis('First').getByLabelText('To', { exact: true }).fill('32 MiB');
  await axis('First').getByLabelText('Number of values').fill('3');
  await axis('Second').getByLabelText('Values', { exact: true }).fill('1, 2');
  return window;
}

const runPoints = (count: number) => page.getByRole('button', { name: `Run ${count} points` }).click();

/** Sets up the sweep and runs all of its points. */
async function runAll(): Promise<Workbench> {
  const window = await setUp();
  await runPoints(6);
  await expect.element(progress()).toHaveTextContent('complete');
  return window;
}

it('runs all points, and says of those that failed why', async () => {
  const { host } = await runAll();
  await expect.element(progress()).toHaveTextContent('6 of 6 points, 2 failed');
  await expect.poll(() => points().elements().length).toBe(6);
  await expect.element(points().nth(5)).toHaveTextContent('a chunk of 32.0 MiB is larger than the tensor of 16.0 MiB');
  const [sweep] = host.sweeps.values();
  expect(sweep?.summary).toMatchObject({ status: 'complete', done: 4, failed: 2 });
  await expect.element(chart()).toHaveAttribute('data-points', '6');
});

it('opens the run of a point from the table, and keeps it out of the list of runs', async () => {
  const { library, plot } = await runAll();
  await page.getByRole('button', { name: 'Open the run of Chunk size 8 MiB, streams 2' }).click();
  await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('chunk size 8 MiB, streams 2');
  await expect.element(plot).toBeVisible();
  const sweeps = library.getByRole('region', { name: 'Sweeps' }).getByRole('listitem');
  await expect.poll(() => sweeps.elements().length).toBe(1);
  await expect.element(library.getByRole('region', { name: /^Runs/ }).getByRole('listitem')).not.toBeInTheDocument();
});

it('opens the run of a point by keyboard from the chart', async () => {
  await runAll();
  await expect.element(chart()).toHaveAttribute('data-points', '6');
  (chart().element() as HTMLElement).focus();
  await press('ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter');
  await expect.poll(() => state().page.kind).toBe('run');
});

it('renames a sweep wherever it is shown, and Undo gives its first name back', async () => {
  const { library } = await runAll();
  const listed = library.getByRole('region', { name: 'Sweeps' }).getByRole('listitem');
  const before = page.getByRole('heading', { level: 1 }).element().textContent ?? '';
  (listed.getByRole('button').first().element() as HTMLElement).focus();
  await press('F2');
  await page.getByRole('dialog', { name: 'Rename' }).getByLabelText('Name').fill('On the old node');
  await press('Enter');
  await expect.element(heading('On the old node')).toBeVisible();
  await expect.element(listed).toHaveTextContent('On the old node');
  await page.getByRole('alert').filter({ hasText: 'Renamed' }).getByRole('button', { name: 'Undo' }).click();
  await expect.element(heading(before)).toBeVisible();
});

it('keeps what was done when a sweep is cancelled, and goes on where it stopped', async () => {
  const { host } = await setUp();
  let release = (): void => {};
  // The second point waits until it is released.
  host.beforePoint = (point) =>
    point === 0
      ? undefined
      : new Promise<void>((resolve) => {
          release = resolve;
        });
  await runPoints(6);
  await expect.element(progress()).toHaveTextContent('1 of 6');
  await page.getByRole('button', { name: 'Cancel the sweep' }).click();
  host.beforePoint = () => undefined;
  release();
  await expect.element(page.getByRole('button', { name: 'Go on' })).toBeVisible();
  expect([...host.sweeps.values()][0]?.outcomes).toHaveLength(1);
  await expect.poll(() => points().filter({ hasText: 'not reached' }).elements().length).toBe(5);
  await page.getByRole('button', { name: 'Go on' }).click();
  await expect.element(progress()).toHaveTextContent('6 of 6 points, 2 failed');
});

it('leads from a field of the inspector to a sweep over it, and says in place what is wrong', async () => {
  const { inspector } = await openExample('overlap/pinned-side-stream');
  await page.getByText('Build', { exact: true }).click();
  await page.getByRole('button', { name: 'Experiment settings' }).click();
  await inspector.getByTitle('Sweep over iterations…').click();
  await expect
    .element(axis('First').getByRole('combobox', { name: 'Varied field' }))
    .toHaveValue(expect.stringMatching(/^Iterations/));
  const values = axis('First').getByLabelText('Values', { exact: true });
  await values.fill('1, 2, many');
  await expect.element(axis('First').getByRole('alert')).toHaveTextContent('"many" is not a number');
  await expect.element(page.getByRole('button', { name: 'Run', exact: true })).toBeDisabled();
  await values.fill('1, 2, 2000');
  await runPoints(3);
  await expect.element(progress()).toHaveTextContent('3 of 3 points, 1 failed');
  await expect.element(points().nth(2)).toHaveTextContent('2000 is not a number of at most 1000');
});

it('draws pinned against pageable over size as one sweep and one chart', async () => {
  const id = 'overlap/pinned-side-stream';
  await openWorkbench({ examples: [id], page: { kind: 'sweep-setup' } });
  await page.getByLabelText('Program').selectOptions('Pinned source, second stream');
  await expect
    .element(axis('First').getByRole('combobox', { name: 'Varied field' }))
    .toHaveValue(expect.stringMatching(/^Size of source/));
  await expect.element(axis('First')).toHaveTextContent('Size of target');
  await page.getByRole('button', { name: 'Vary something else too' }).click();
  await expect.element(axis('Second')).toHaveTextContent('2 values: pageable, pinned');
  await runPoints(10);
  await expect.element(progress()).toHaveTextContent('complete');
  await page.getByLabelText('Metric').selectOptions('H2D rate of the program');
  const svg = chart().css('svg');
  await expect.element(svg).toHaveTextContent('Memory of source pageable, simulated');
  await expect.element(svg).toHaveTextContent('limit of the PCIe link');
});

it('deletes a sweep with its runs, and Undo brings both back', async () => {
  const { host, library } = await runAll();
  const sweeps = library.getByRole('region', { name: 'Sweeps' });
  await sweeps.getByRole('button', { name: /^More about/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await expect.element(sweeps.getByRole('listitem')).not.toBeInTheDocument();
  await expect.element(page.getByRole('region', { name: 'Sweep', exact: true })).not.toBeInTheDocument();
  expect(host.sweeps.size).toBe(0);
  const notice = page.getByRole('alert').filter({ hasText: 'Moved to the trash' });
  await expect.element(notice).toHaveTextContent('with its 4 runs');
  await notice.getByRole('button', { name: 'Undo' }).click();
  await sweeps.getByRole('listitem').getByRole('button').first().click();
  await expect.element(progress()).toHaveTextContent('complete');
});

it('begins a sweep anew with the values of one that was run', async () => {
  await runAll();
  await page.getByRole('button', { name: 'Change and run again…' }).click();
  await expect.element(axis('First')).toHaveTextContent('3 values: 8 MiB');
  await expect.element(page.getByLabelText('Tensor size')).toHaveValue('16 MiB');
});
