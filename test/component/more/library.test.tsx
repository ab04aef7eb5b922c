/** The library: search, names, deletion with undo, several selected items, and added files. */
import { expect, it } from 'vitest';
import { state } from '../../../renderer/store/store.ts';
import { drawJob } from '../../support/jobTrace.ts';
import { example, fileBytes } from '../support/memoryHost.ts';
import { heading, openWorkbench, page, press, type Workbench } from '../support/workbench.tsx';

const pinned = 'overlap/pinned-side-stream';
const named = (name: string) => ({ ...example(pinned), name });
const three = { alpha: named('alpha'), beta: named('beta'), gamma: named('gamma') };

const experiments = ({ library }: Workbench) => library.getByRole('region', { name: 'Experiments' });
const runs = ({ library }: Workbench) => library.getByRole('region', { name: /^Runs/ }).getByRole('listitem');
const count = (locator: { elements(): unknown[] }) => locator.elements().length;
const line = (window: Workbench, name: string) => experiments(window).getByRole('button', { name, exact: true });
const focus = (window: Workbench, name: string): void => (line(window, name).element() as HTMLElement).focus();

/** Opens a library of three experiments and two runs of the first. */
async function openThree(): Promise<Workbench> {
  const window = await openWorkbench({ experiments: three, page: { kind: 'experiment', id: 'alpha' } });
  await expect.element(window.sheet).toBeVisible();
  await window.run();
  await window.run();
  await expect.poll(() => count(runs(window))).toBe(2);
  return window;
}

it('leaves what matches a search', async () => {
  const window = await openWorkbench({ experiments: three, examples: [pinned] });
  const { library } = window;
  const search = library.getByRole('textbox', { name: 'Search the library' });
  await search.fill('beta');
  await expect.poll(() => count(experiments(window).getByRole('listitem'))).toBe(1);
  await expect.element(library.getByRole('region', { name: 'Examples' })).not.toBeInTheDocument();
  await search.fill('no such thing');
  await library.getByRole('button', { name: 'Show everything' }).click();
  await expect.poll(() => count(experiments(window).getByRole('listitem'))).toBe(3);
});

it('filters by origin and outcome, and clears the filter', async () => {
  const window = await openThree();
  await window.library.getByRole('button', { name: 'Filter and sort' }).click();
  const filter = page.getByRole('dialog', { name: 'Filter and sort' });
  await filter.getByText('Simulated', { exact: true }).click();
  await expect.poll(() => count(runs(window))).toBe(2);
  await expect.element(experiments(window)).not.toBeInTheDocument();
  await filter.getByText('Failed', { exact: true }).click();
  await expect.poll(() => count(runs(window))).toBe(0);
  await filter.getByRole('button', { name: 'Clear' }).click();
  await expect.poll(() => count(experiments(window).getByRole('listitem'))).toBe(3);
  await press('Escape');
  await expect.element(filter).not.toBeInTheDocument();
});

it('renames a run by F2, and an empty name gives it that of its experiment again', async () => {
  const window = await openThree();
  const first = runs(window).first();
  (first.getByRole('button').first().element() as HTMLElement).focus();
  await press('F2');
  const dialog = page.getByRole('dialog', { name: 'Rename' });
  await dialog.getByLabelText('Name').fill('Before the fix');
  await press('Enter');
  await expect.element(first).toHaveTextContent('Before the fix');
  await first.getByRole('button').first().click();
  await expect.element(heading('Before the fix')).toBeVisible();
  expect(document.title).toContain('Before the fix');
  await first.getByRole('button', { name: /^More about/ }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await dialog.getByLabelText('Name').fill('');
  await dialog.getByRole('button', { name: 'Rename' }).click();
  await expect.element(first).toHaveTextContent('alpha');
});

it('renames an experiment by F2, and refuses an empty name', async () => {
  const window = await openWorkbench({ experiments: three });
  await expect.element(line(window, 'alpha')).toBeVisible();
  focus(window, 'alpha');
  await press('F2');
  const dialog = page.getByRole('dialog', { name: 'Rename' });
  await dialog.getByLabelText('Name').fill(' ');
  await expect.element(dialog.getByRole('button', { name: 'Rename' })).toBeDisabled();
  await dialog.getByLabelText('Name').fill('omega');
  await press('Enter');
  await expect.element(line(window, 'omega')).toBeVisible();
  expect(window.host.experiments.get('alpha')?.name).toBe('omega');
});

it('gives the focus back to the line that a dialog or a menu came from', async () => {
  const window = await openWorkbench({ experiments: three });
  const dialog = page.getByRole('dialog', { name: 'Rename' });
  await expect.element(line(window, 'beta')).toBeVisible();
  focus(window, 'beta');
  await press('F2');
  await expect.element(dialog.getByLabelText('Name')).toHaveFocus();
  await press('Escape');
  await expect.element(line(window, 'beta')).toHaveFocus();
  await press('ArrowRight', 'Enter');
  await expect.element(page.getByRole('menuitem', { name: 'Rename…' })).toHaveFocus();
  await press('Enter');
  await expect.element(dialog.getByLabelText('Name')).toHaveFocus();
  await press('Escape');
  await expect.element(line(window, 'beta')).toHaveFocus();
});

it('deletes an experiment, and Undo brings it back', async () => {
  const window = await openWorkbench({ experiments: three });
  const { host } = window;
  await expect.element(line(window, 'beta')).toBeVisible();
  focus(window, 'beta');
  await press('Delete');
  await expect.poll(() => count(experiments(window).getByRole('listitem'))).toBe(2);
  expect([...host.experiments.keys()]).toEqual(['alpha', 'gamma']);
  const notice = page.getByRole('alert').filter({ hasText: 'Moved to the trash' });
  await expect.element(notice).toHaveTextContent('beta');
  await notice.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => count(experiments(window).getByRole('listitem'))).toBe(3);
  expect(host.experiments.has('beta')).toBe(true);
});

it('selects several by mouse, with Shift and Ctrl, and deletes them together', async () => {
  const window = await openThree();
  const { host, library } = window;
  await runs(window)
    .nth(0)
    .getByRole('button')
    .first()
    .click({ modifiers: ['Control'] });
  await runs(window)
    .nth(1)
    .getByRole('button')
    .first()
    .click({ modifiers: ['Shift'] });
  await experiments(window).getByRole('checkbox', { name: 'Select gamma' }).click();
  const bar = library.getByRole('region', { name: 'Selection' });
  await expect.element(bar).toHaveTextContent('3 selected');
  await expect.element(bar.getByRole('button', { name: 'Compare' })).toBeDisabled();
  await bar.getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => host.runs.size).toBe(0);
  expect([...host.experiments.keys()]).toEqual(['alpha', 'beta']);
  await page
    .getByRole('alert')
    .filter({ hasText: '1 experiment and 2 runs' })
    .getByRole('button', { name: 'Undo' })
    .click();
  await expect.poll(() => count(runs(window))).toBe(2);
  await expect.element(bar).not.toBeInTheDocument();
});

it('compares the runs that are selected', async () => {
  const window = await openThree();
  for (const index of [0, 1])
    await runs(window)
      .nth(index)
      .getByRole('button')
      .first()
      .click({ modifiers: ['Control'] });
  await window.library.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Compare' }).click();
  await expect.poll(() => state().page.kind).toBe('compare');
  expect(state().page).toMatchObject({ runs: expect.arrayContaining([...window.host.runs.keys()]) });
});

it('stands one’s own work above what ships, and folds examples by family', async () => {
  const { library } = await openWorkbench({
    experiments: { mine: named('Mine') },
    examples: [pinned, 'races/early-read'],
    recorded: [pinned],
  });
  const titles = library.getByRole('heading', { level: 2 });
  await expect
    .poll(() => titles.elements().map(({ textContent }) => textContent?.replace(/\d+$/, '')))
    .toEqual(['Experiments', 'Sweeps', 'Runs', 'Examples', 'Recorded runs']);
  const family = library.getByRole('button', { name: 'Races' });
  const member = library.getByRole('button', { name: 'Result read too early', exact: true });
  await expect.element(member).toBeVisible();
  await family.click();
  await expect.element(member).not.toBeInTheDocument();
  await expect.element(family).toHaveAttribute('aria-expanded', 'false');
  // A search also finds members of a folded family.
  await library.getByRole('textbox', { name: 'Search the library' }).fill('too early');
  await expect.element(member).toBeVisible();
});

/** Drops files on the window, like a file manager. */
async function drop(...files: readonly File[]): Promise<void> {
  const dataTransfer = new DataTransfer();
  for (const file of files) dataTransfer.items.add(file);
  const tell = (type: string) =>
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  tell('dragenter');
  tell('dragover');
  await expect.element(page.getByText('Drop to open')).toBeVisible();
  tell('drop');
  await expect.element(page.getByText('Drop to open')).not.toBeInTheDocument();
}

it('opens files that are dropped, whatever they are', async () => {
  const window = await openWorkbench();
  const trace = await fileBytes('test/fixtures/pytorch-traces/trace_streamed0_pinned0.json');
  await drop(
    new File([JSON.stringify(named('Dropped'))], 'mine.copyscope.json'),
    new File([trace], 'worker0.pt.trace.json'),
  );
  await expect.element(heading('worker0')).toBeVisible();
  await expect.element(line(window, 'Dropped')).toBeVisible();
  // The device time of a trace includes the idle time.
  await expect
    .element(window.inspector.getByRole('region', { name: 'Device time' }))
    .toHaveTextContent(/Idle.*[\d.]+ %/);
  await page.getByRole('button', { name: 'Copyscope', exact: true }).click();
  const recent = page.getByRole('region', { name: 'Recent' });
  await expect.element(recent.getByRole('button').first()).toHaveTextContent('worker0');
  await recent.getByRole('button', { name: 'Dropped' }).click();
  await expect.element(heading('Dropped')).toBeVisible();
});

it('opens dropped traces of the ranks of a job as one run, with the plan of the rank that the others wait for', async () => {
  const { host, timeline } = await openWorkbench();
  const job = drawJob({ clocksNs: [0, 137_250_000], computeNs: (rank) => (rank === 1 ? 9e6 : 5e6) });
  await drop(...job.map(({ text }, rank) => new File([text], `train_rank${rank}.json`)));
  await expect.element(heading('train')).toBeVisible();
  expect(host.runs.size).toBe(1);
  await expect.element(timeline.getByText('[rank1]gpu0 20', { exact: true })).toBeVisible();
  const plan = page.getByRole('region', { name: 'Plan', exact: true });
  await expect.element(plan.getByText(/^The others wait most for rank 1/)).toBeVisible();
  await expect.poll(() => plan.getByRole('table', { name: 'Ranks' }).getByRole('row').elements().length).toBe(3);
});

it('reads a large file with progress, and stops at once when it is cancelled', async () => {
  const { host } = await openWorkbench();
  let goOn = (): void => {};
  const rest = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const dataTransfer = new DataTransfer();
  const parts = Array.from({ length: 6 }, () => new Uint8Array(4 * 1024 * 1024).fill(0x20));
  dataTransfer.items.add(new File(['{"traceEvents":[', ...parts], 'endless.json'));
  host.holds.set('importPart', rest);
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  const bar = page.getByRole('progressbar', { name: 'Reading endless.json' });
  await expect.element(bar).toBeInTheDocument();
  await page
    .getByRole('region', { name: 'Files being read or written' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  goOn();
  await expect.element(bar).not.toBeInTheDocument();
  await expect.poll(() => host.asked).toContain('cancelImport');
  expect(host.asked).not.toContain('endImport');
});
