/** A verdict's remedy is one click: the experiment changes, the prediction follows, and undo takes it back. */
import { expect, it } from 'vitest';
import { state } from '../../renderer/store/store.ts';
import { heading, numberOf, openExample, openWorkbench, page, press } from './support/workbench.tsx';

const sameStream = 'verdicts/same-stream';
const copyOfSameStream = 'Copy of Same stream';
const apply = (what: RegExp) => page.getByRole('button', { name: what });
const moveUpload = /^Apply( in a copy)?: Move "upload"/;

/** Opens the window with one experiment of the user's. */
const openOwn = (document: object) =>
  openWorkbench({
    experiments: { own: { format: 'copyscope/experiment', version: 1, ...document } },
    page: { kind: 'experiment', id: 'own' },
  });

const bytes = 20 * 2 ** 20;
const pinnedPair = [
  { id: 'source', memory: 'pinned', bytes },
  { id: 'target', memory: 'device', bytes },
];
const upload = { op: 'copy', label: 'upload', src: 'source', dst: 'target', stream: 'copies' };

it('predicts an example that was never run, with the profile that is picked', async () => {
  const { host, verdict, timeline, plot } = await openExample(sameStream);
  await expect.element(timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect.element(verdict).toHaveTextContent(/Predicted gain.*to .* \(90 %\)/);
  const before = numberOf(plot, 'makespanNs');
  await page.getByRole('combobox', { name: 'Engine' }).click();
  await page.getByRole('option', { name: /^Simulated: NVIDIA GeForce RTX 4090/ }).click();
  await expect.poll(() => numberOf(plot, 'makespanNs')).not.toBe(before);
  expect(host.runs.size).toBe(0);
});

it('shows the recorded run of an example that has one', async () => {
  const { timeline } = await openExample('overlap/pinned-same-stream', { recorded: ['overlap/pinned-same-stream'] });
  await expect.element(timeline.getByText('Recorded', { exact: true })).toBeVisible();
});

it('applies a remedy to a copy of an example, and undoes it after the copy was saved', async () => {
  const { host, verdict } = await openExample(sameStream);
  await expect.element(verdict).toHaveTextContent('Predicted makespan');
  await apply(moveUpload).click();
  await expect.element(heading(copyOfSameStream)).toBeVisible();
  await expect.element(verdict).toHaveTextContent('Overlapped');
  await press('Control+s');
  await expect.poll(() => [...host.experiments.values()][0]?.streams.length).toBeGreaterThan(1);
  await expect.element(page.getByText('Not saved')).not.toBeInTheDocument();
  await press('Control+z');
  await expect.element(verdict).toHaveTextContent('Same stream');
  await expect.element(heading(copyOfSameStream)).toBeVisible();
  await apply(/^Apply: Move "upload"/).click();
  await expect.element(verdict).toHaveTextContent('Overlapped');
});

it('keeps a copy that was run when its remedy is undone', async () => {
  const { host, run, verdict } = await openExample(sameStream);
  await apply(moveUpload).click();
  await expect.element(heading(copyOfSameStream)).toBeVisible();
  await run();
  await press('Control+z');
  await expect.element(verdict).toHaveTextContent('Same stream');
  await expect.element(heading(copyOfSameStream)).toBeVisible();
  expect(host.experiments.size).toBe(1);
});

it('predicts the remedy of a recorded run with the rates of this run', async () => {
  const id = 'overlap/pageable-side-stream';
  const { verdict } = await openWorkbench({ recorded: [id], page: { kind: 'run', id: `recorded/${id}` } });
  await expect.element(verdict).toHaveTextContent('with the rates of this run');
  await apply(/^Apply in a copy: Pin "source"/).click();
  await expect.element(heading('Copy of Pageable source, second stream')).toBeVisible();
  await expect.element(verdict).toHaveTextContent('Overlapped');
});

it('captures a copy of a graph in a branch of its own, and selects it again at redo', async () => {
  const launch = { op: 'graphLaunch', graph: 'step', stream: 'copies' };
  const kernel = { op: 'kernel', label: 'compute', stream: 'copies', kernel: { kind: 'spin', durationNs: 200_000 } };
  const capture = { op: 'graphCapture', graph: 'step', stream: 'copies', operations: [upload, kernel] };
  const { inspector, sheet, verdict } = await openOwn({
    ...{ name: 'Launched three times', buffers: pinnedPair, streams: [{ id: 'copies' }] },
    threads: [{ id: 'host', operations: [capture, launch, launch, launch, { op: 'synchronizeDevice' }] }],
  });
  const selected = inspector.getByRole('heading', { level: 2 }).first();
  await apply(/^Apply: Capture "upload" in a branch of its own/).click();
  await expect.element(verdict).toHaveTextContent('Overlapped');
  await expect.element(selected).toHaveTextContent('upload');
  for (const name of ['record fork', 'wait for fork', 'record join', 'wait for join'])
    await expect.element(sheet.getByRole('button', { name })).toBeVisible();
  await press('Control+z');
  await expect.element(apply(/^Apply: Capture "upload"/)).toBeVisible();
  expect(state().selection).toBeNull();
  await press('Control+Shift+z');
  await expect.element(verdict).toHaveTextContent('Overlapped');
  await expect.element(selected).toHaveTextContent('upload');
});

it('names what was tried if no single cause is to blame', async () => {
  const kernel = { op: 'kernel', label: 'work', stream: 'copies', kernel: { kind: 'stream', passes: 10 } };
  const { inspector } = await openOwn({
    ...{ name: 'There and back', buffers: pinnedPair, streams: [{ id: 'copies' }] },
    threads: [
      {
        id: 'main',
        operations: [
          upload,
          { ...kernel, reads: ['target'], writes: ['target'] },
          { op: 'copy', label: 'download', src: 'target', dst: 'source', stream: 'copies' },
        ],
      },
    ],
  });
  const card = inspector.getByRole('article', { name: 'Verdict on upload' });
  await expect.element(card).toHaveTextContent('No single cause');
  await expect.element(card.getByRole('listitem')).toHaveTextContent(/^Move "upload" to a non-blocking stream/);
});

it('lists what was missed before what overlapped, the longest first', async () => {
  const { verdict } = await openExample('verdicts/copy-queues');
  const names = ['five', 'one', 'two', 'three', 'four'].map((name) => `Verdict on download ${name}`);
  await expect.poll(() => verdict.elements().map((card) => card.getAttribute('aria-label'))).toEqual(names);
  await verdict
    .first()
    .getByRole('button', { name: /^Apply in a copy: Move "download five" to stream/ })
    .click();
  await expect.poll(() => verdict.elements().length).toBe(1);
  await expect.element(verdict).toHaveTextContent('Overlapped');
});

it('does not take the operations of an older run for those that have their numbers since an edit', async () => {
  const kernel = { op: 'kernel', label: 'work', stream: 'copies', kernel: { kind: 'spin', durationNs: 200_000 } };
  const { block, inspector, run, sheet, timeline, verdict } = await openOwn({
    ...{ name: 'Up once', buffers: pinnedPair, streams: [{ id: 'copies' }] },
    threads: [{ id: 'main', operations: [{ op: 'synchronizeDevice' }, upload, kernel] }],
  });
  await expect.element(block(0)).toBeVisible();
  await run();
  await block(0).click();
  await press('Control+d');
  await expect.element(block(2)).toHaveTextContent('upload');
  await run();
  await block(2).click();
  await expect.element(inspector.getByRole('region', { name: /^In the run/ })).toBeVisible();
  await timeline.getByRole('combobox', { name: 'Run shown' }).click();
  await page.getByRole('option').last().click();
  // The verdict shows the row of the run, since the operation has been replaced.
  await verdict.getByRole('button', { name: 'upload', exact: true }).click();
  await expect.element(inspector).toHaveTextContent('H2D engine');
  expect(state().selection?.kind).toBe('row');
  await block(2).click();
  await expect.element(inspector.getByRole('heading', { level: 2 })).toHaveTextContent('upload');
  await expect.element(inspector.getByRole('region', { name: /^In the run/ })).not.toBeInTheDocument();
  await expect.element(verdict).not.toBeInTheDocument();
  await timeline.getByText('Table', { exact: true }).click();
  await timeline.getByRole('row', { name: /H2D engine/ }).click();
  await expect.element(sheet.css('[data-selected]')).not.toBeInTheDocument();
});

it('goes through missed overlaps with V and with the legend', async () => {
  const { timeline, verdict } = await openExample('verdicts/copy-queues');
  const marked = timeline.getByRole('button', { name: 'No overlap, 2' });
  await expect.element(marked).toBeVisible();
  const selected = () => {
    const { selection } = state();
    return selection?.kind === 'row' ? selection.row : -1;
  };
  await press('v');
  await expect.poll(selected).toBeGreaterThan(-1);
  await expect.poll(() => verdict.elements().length).toBe(1);
  const first = selected();
  await marked.click();
  await expect.poll(selected).not.toBe(first);
  await press('Shift+V');
  await expect.poll(selected).toBe(first);
});

it('repairs a hazard with one click', async () => {
  const { inspector, status } = await openExample('races/changed-source-pinned');
  const card = inspector.getByRole('article', { name: 'Hazard: Source changed in flight' });
  await card.getByRole('button', { name: /^Apply in a copy: Synchronise stream/ }).click();
  await expect.element(heading('Copy of Pinned source changed in flight')).toBeVisible();
  await expect.element(status).toHaveTextContent('Hazards none');
});

it('says of a profile that nobody measured it, where it is chosen and in the run', async () => {
  const { run, status } = await openExample(sameStream);
  await page.getByRole('combobox', { name: 'Engine' }).click();
  await page.getByRole('option', { name: /RTX 4090.*not measured/ }).click();
  await run();
  await expect.element(status).toHaveTextContent(/simulated on .*RTX 4090.*not measured/);
});
