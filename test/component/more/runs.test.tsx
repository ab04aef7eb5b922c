/** Runs from the window: keys that a field doesn't catch, refusals, notes, a lost host. */
import { expect, it } from 'vitest';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { openPage, restorePage } from '../../../renderer/store/pages.ts';
import { state } from '../../../renderer/store/store.ts';
import { example, fileBytes } from '../support/memoryHost.ts';
import {
  boxOf,
  drag,
  engine,
  heading,
  openExample,
  openWorkbench,
  page,
  pickEngine,
  press,
  settled,
  type,
  type Workbench,
} from '../support/workbench.tsx';

const sameStream = 'verdicts/same-stream';
const pinned = 'overlap/pinned-side-stream';
const shownPage = () => state().page;

it('explains a selected activity, and joins it with its host call', async () => {
  const { inspector, timeline, verdict } = await openExample(pinned);
  await timeline.getByText('Table', { exact: true }).click();
  await timeline
    .getByRole('row', { name: /H2D engine/ })
    .first()
    .click();
  await expect.element(inspector).toHaveTextContent(/GB\/s/);
  await expect.element(verdict.getByRole('heading')).toHaveTextContent('Overlapped');
  const row = state().selection;
  await inspector.getByRole('button', { name: /cudaMemcpyAsync/ }).click();
  await expect.element(inspector).toHaveTextContent('Host thread');
  expect(state().selection).not.toEqual(row);
});

it('takes over a field by the keys that run and save, and the field keeps the focus', async () => {
  const { block, field, host } = await openExample(sameStream);
  await block(0).click();
  await field('Size').fill('4 MiB');
  // The edited copy is run.
  await press('Control+Enter');
  await expect.element(heading('Copy of Same stream')).toBeVisible();
  await expect.poll(() => host.runs.size).toBe(1);
  await expect.element(page.getByRole('button', { name: 'Run', exact: true })).toBeVisible();
  await field('Size').fill('2 MiB');
  await press('Control+Enter');
  await expect.poll(() => host.runs.size).toBe(2);
  await expect.element(block(0)).toHaveTextContent('2.00 of 64.0 MiB');
  await expect.element(field('Size')).toHaveFocus();
  await field('Size').fill('1 MiB');
  await press('Control+s');
  await expect.poll(() => JSON.stringify([...host.experiments.values()])).toContain(String(2 ** 20));
  await expect.element(field('Size')).toHaveFocus();
});

it('does not run what a field refuses, and saves what else was changed', async () => {
  const { block, field, host } = await openExample(sameStream);
  await block(0).click();
  await field('Size').fill('4 MiB');
  await press('Enter');
  await expect.element(page.getByText('Not saved')).toBeVisible();
  await field('Size').fill('four');
  await press('Control+Enter');
  await expect.element(field('Size')).toHaveAttribute('aria-invalid', 'true');
  await expect.element(field('Size')).toHaveFocus();
  await press('Control+s');
  await expect.element(page.getByText('Not saved')).not.toBeInTheDocument();
  await expect.element(field('Size')).toHaveValue('four');
  expect(host.runs.size).toBe(0);
  expect(JSON.stringify([...host.experiments.values()])).toContain(String(4 * 2 ** 20));
});

it('lists an engine that is not there with the reason', async () => {
  await openExample(pinned);
  await engine().click();
  const option = page.getByRole('option', { name: /^This GPU/ });
  await expect.element(option).toBeDisabled();
  await expect.element(option).toHaveTextContent('There is no NVIDIA driver.');
});

it('mends a copy whose target has no room with one click', async () => {
  const { block, field, inspector, sheet } = await openWorkbench();
  await press('Alt+n');
  await expect.element(page.css('[data-cursor]')).toHaveFocus();
  await press('a');
  await expect.element(page.getByRole('textbox', { name: 'Add an operation or a template' })).toHaveFocus();
  await type('copy 20 MiB pinned in side');
  await press('Enter');
  await expect.element(sheet).toHaveAttribute('data-operations', '1');
  await page.getByText('Build', { exact: true }).click();
  await page
    .getByRole('region', { name: 'Buffers', exact: true })
    .getByRole('button', { name: /source/ })
    .first()
    .click();
  await field('Size').fill('64 MB');
  await press('Enter');
  await expect.element(block(0)).toHaveTextContent('only 20.0 MiB of 64 MB');
  await block(0).click();
  await inspector.getByRole('button', { name: 'Make “target” as large' }).click();
  await expect.element(block(0)).toHaveTextContent('H2D 64 MB');
  await expect.element(block(0)).not.toHaveTextContent('only');
});

it('says how far a long prediction is, and cancels it', async () => {
  const kernel = { op: 'kernel', stream: 'side', kernel: { kind: 'spin', durationNs: 1000 } };
  const many = {
    ...{ format: 'copyscope/experiment', version: 1, name: 'Many rounds', streams: [{ id: 'side' }] },
    threads: [
      {
        id: 'main',
        operations: [
          { op: 'work', durationNs: 1000 },
          { op: 'repeat', count: 1_000_000, operations: [kernel] },
        ],
      },
    ],
  };
  const opening = { experiments: { many }, page: { kind: 'experiment', id: 'many' } } as const;
  const { timeline, sheet, plot } = await openWorkbench(opening);
  await timeline.getByRole('button', { name: 'Cancel' }).click();
  await expect.element(timeline.getByRole('heading', { name: 'Not run yet' })).toBeVisible();
  await expect.element(timeline.getByRole('progressbar')).not.toBeInTheDocument();
  expect(Object.values(state().loadedRuns)).toEqual([]);
  // The next edit is predicted, here without the rounds.
  await sheet.getByRole('button', { name: /1000000/ }).click();
  await press('Delete');
  await expect.element(plot).toBeVisible();
});

it('lists an experiment that is not valid with its problem, and does not open it', async () => {
  const { host, library } = await openWorkbench();
  host.problems.set('broken', { code: 'experiment.invalid', field: 'buffers[0].bytes', message: '-1 is not a size.' });
  host.events?.experimentsChanged();
  const item = library.getByRole('button', { name: 'Can’t be opened broken' });
  await item.click();
  await expect.element(page.getByText(/buffers\[0\]\.bytes/)).toBeVisible();
});

it('refuses a file of an unknown kind with every kind that opens', async () => {
  const { host } = await openWorkbench();
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)], 'holiday.jpg'));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  const alert = page.getByRole('alert').filter({ hasText: 'holiday.jpg could not be opened' });
  for (const ending of ['.json', '.arrow', '.copyscope', '.sqlite', '.cprec'])
    await expect.element(alert).toHaveTextContent(ending);
  expect(host.runs.size + host.experiments.size).toBe(0);
});

/** Opens the window with a run that the host keeps. */
async function openRun(): Promise<Workbench> {
  const window = await openWorkbench({ recorded: [pinned], page: { kind: 'run', id: `recorded/${pinned}` } });
  await expect.element(window.plot).toBeVisible();
  return window;
}

const notes = () => page.getByRole('complementary', { name: 'Notes' });
const items = () => notes().getByRole('listitem');
const keptTexts = ({ host }: Workbench) => [...host.notes.values()].flatMap((all) => all.notes.map(({ text }) => text));

it('marks and writes notes by keyboard, and undoes and redoes them', async () => {
  const window = await openRun();
  await press('.', 'm');
  await expect.element(window.timeline.getByRole('button', { name: 'Notes, 1' })).toBeVisible();
  await press('ArrowDown', 'n');
  await expect.element(notes().getByRole('textbox')).toHaveFocus();
  await type('The copy begins here');
  await press('Enter');
  await expect.poll(() => items().elements().length).toBe(2);
  await expect.poll(() => keptTexts(window)).toContain('The copy begins here');
  await press('Control+z');
  await expect.poll(() => keptTexts(window)).not.toContain('The copy begins here');
  await press('Control+Shift+z');
  await expect.poll(() => keptTexts(window)).toContain('The copy begins here');
});

it('goes to a note by keys, and deletes it with a way back', async () => {
  const window = await openRun();
  await press('.', 'm', 'ArrowDown');
  const selected = state().selection;
  await press('Shift+>');
  await expect.poll(() => state().selection).not.toEqual(selected);
  await window.timeline.getByRole('button', { name: 'Notes, 1' }).click();
  (
    items()
      .getByRole('button', { name: /^Delete/ })
      .element() as HTMLElement
  ).focus();
  await press('Enter');
  await expect.element(items()).not.toBeInTheDocument();
  await press('Control+z');
  await expect.element(items()).toBeVisible();
});

it('keeps a note while it is typed, and writes it if another page opens', async () => {
  const window = await openRun();
  await press('.', 'n');
  await type('Half a');
  await expect.poll(() => keptTexts(window)).toContain('Half a');
  await expect.element(notes().getByRole('textbox')).toHaveFocus();
  await press('Escape');
  await expect.poll(() => keptTexts(window)).not.toContain('Half a');
  await press('ArrowDown', 'n');
  await expect.element(notes().getByRole('textbox')).toHaveFocus();
  await type('Another half');
  openPage({ kind: 'lessons' });
  await expect.poll(() => keptTexts(window)).toContain('Another half');
});

it('keeps the text of a field if the window closes, or another page opens by a key', async () => {
  const { block, field, host } = await openWorkbench();
  await press('Alt+n');
  await expect.element(page.css('[data-cursor]')).toHaveFocus();
  await press('a');
  await type('copy 64 MB pinned in side');
  await press('Enter');
  await block(0).click();
  await field('Label').fill('first');
  globalThis.dispatchEvent(new Event('pagehide'));
  expect(JSON.stringify(localStorage)).toContain('first');
  await field('Label').fill('second');
  await press('Alt+m');
  await expect.poll(() => JSON.stringify([...host.drafts.values()])).toContain('second');
});

it('puts a note on a stretch by mouse, and goes to it', async () => {
  const { plot, timeline, inspector } = await openRun();
  await settled(plot);
  const box = boxOf(plot);
  await drag([box.x + 100, box.y + 20], [box.x + 220, box.y + 20]);
  await timeline.getByRole('button', { name: 'Notes', exact: true }).click();
  await notes().getByRole('button', { name: 'Add a note (N)' }).click();
  await notes().getByRole('textbox').fill('Nothing overlaps here');
  await notes().getByRole('heading').click();
  await expect.element(timeline.getByRole('button', { name: /^Note at .*Nothing overlaps here$/ })).toBeVisible();
  await plot.click({ position: { x: 5, y: 20 } });
  await items()
    .getByRole('button', { name: /^\S+ µs to/ })
    .click();
  await expect.poll(() => state().selection?.kind).toBe('area');
  await expect.element(inspector).toHaveTextContent('Stretch of time');
});

it('refuses damaged notes and shows the run all the same', async () => {
  const id = `recorded/${pinned}`;
  const { plot, timeline, host } = await openWorkbench({ recorded: [pinned] });
  host.refusals.set('readNotes', { code: 'notes.invalid', message: 'It is not valid JSON.' });
  location.hash = `#/run/${id}`;
  await expect.poll(shownPage).toEqual({ kind: 'run', id });
  await expect.element(plot).toBeVisible();
  await timeline.getByRole('button', { name: /^Notes/ }).click();
  await expect.element(notes().getByRole('alert')).toHaveTextContent('not valid JSON');
  host.refusals.clear();
  await press('.', 'm');
  await expect.poll(() => items().elements().length).toBe(1);
  await expect.element(notes().getByRole('alert')).not.toBeInTheDocument();
});

it('shows the lanes that a lost run has, and says that they are partial and why', async () => {
  const { host, timeline } = await openRun();
  const run = decodeRun(await fileBytes(`assets/runs/${pinned}.arrow`));
  const error = { code: 'engine.lost', message: 'The engine process was ended by signal SIGKILL.' };
  const { id } = host.addRun({ ...run, info: { ...run.info, status: 'failed', error } });
  openPage({ kind: 'run', id });
  await expect.element(timeline.getByRole('heading', { name: 'Partial' })).toBeVisible();
  await expect.element(page.getByText('This run is partial')).toBeVisible();
  await expect.element(page.getByText(/ended by signal SIGKILL/).first()).toBeVisible();
});

it('opens an experiment with its unsaved changes, which undo takes back', async () => {
  const saved = example(pinned);
  const [thread] = saved.threads;
  if (thread === undefined) throw new Error('the example has no thread');
  const { host, library, sheet } = await openWorkbench({ experiments: { mine: saved } });
  const changed = { ...saved, threads: [{ ...thread, operations: thread.operations.slice(1) }] };
  host.drafts.set('mine', { changedAt: '2026-11-20T09:00:00.000Z', experiment: JSON.stringify(changed) });
  host.events?.experimentsChanged();
  const listed = library.getByRole('button', { name: new RegExp(`^${saved.name}`) });
  await expect.element(listed).toHaveTextContent('Unsaved changes');
  await listed.click();
  await expect.element(page.getByText('Not saved')).toBeVisible();
  await expect.element(sheet).toHaveAttribute('data-operations', '6');
  await press('Control+z');
  await expect.element(sheet).toHaveAttribute('data-operations', '7');
});

it('remembers the theme, the engine and the page', async () => {
  await openExample(sameStream);
  await page.getByRole('button', { name: /^Theme/ }).click();
  await page.getByRole('menuitem', { name: 'Dark' }).click();
  await pickEngine(/^Simulated: NVIDIA GeForce RTX 4090/);
  expect(localStorage.getItem('copyscope:theme')).toBe('dark');
  expect(localStorage.getItem('copyscope:engine')).toContain('rtx-4090');
  expect(localStorage.getItem('copyscope:page')).toContain(sameStream);
  await openWorkbench({ keepStorage: true });
  restorePage();
  expect(shownPage()).toEqual({ kind: 'example', id: sameStream });
  await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe('dark');
  await expect.element(engine()).toHaveValue(expect.stringMatching(/^Simulated: NVIDIA GeForce RTX 4090/));
});
