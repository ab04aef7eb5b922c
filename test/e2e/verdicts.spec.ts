/** A verdict's remedy is one click: the experiment changes, the prediction follows, and undo takes it back. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

async function simulate(window: Window, name: string): Promise<void> {
  await window.open(name);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await expect(window.verdict.first()).toBeVisible();
}

test('an example of which there is no run is predicted as it is opened, with its verdict and remedy', async ({
  window,
  page,
}) => {
  await window.open('Same stream');
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect(window.verdict).toContainText('Same stream');
  await expect(window.verdict).toContainText(/Predicted gain.*to .* \(90 %\)/);
  // With the profile that is picked.
  const makespan = await window.status.textContent();
  await window.pickEngine(/^Simulated: NVIDIA GeForce RTX 4090/);
  await expect(window.status).toContainText('RTX 4090');
  await expect(window.status).not.toHaveText(makespan ?? '');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Move "upload"/ }).click();
  await expect(window.verdict).toContainText('Overlapped');
  await page.keyboard.press('Control+z');
  await expect(page.getByRole('heading', { level: 1, name: 'Same stream', exact: true })).toBeVisible();
  await expect(window.verdict).toContainText('Same stream');
  // No prediction is a run: the library lists none, and an example with a recorded run shows that.
  await expect(window.runs.filter({ hasText: 'Simulated' })).toHaveCount(0);
  await window.open('Pinned source, same stream');
  await expect(window.timeline.getByText('Recorded', { exact: true })).toBeVisible();
});

test('a remedy is applied to a copy of an example, and can be undone', async ({ window, page }) => {
  await simulate(window, 'Same stream');
  await expect(window.verdict).toContainText('Same stream');
  await expect(window.verdict).toContainText('Predicted gain');
  await expect(window.verdict).toContainText(/Predicted makespan\s*2\.4\d ms → 1\.2\d ms/);
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Move "upload"/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Same stream' })).toBeVisible();
  await expect(window.verdict).toContainText('Overlapped');
  await expect(window.status).toContainText(/1\.2\d ms/);
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Not saved')).toBeHidden();
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('announcement')).toHaveText('Undone: Remedy: Same stream');
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Same stream' })).toBeVisible();
  await expect(window.verdict).toContainText('Same stream');
  await window.verdict.getByRole('button', { name: /^Apply: Move "upload"/ }).click();
  await expect(window.verdict).toContainText('Overlapped');
});

test('undo takes a copy back with the remedy that it was made for, and redo brings both again', async ({
  window,
  page,
}) => {
  const copy = page.getByRole('heading', { level: 1, name: 'Copy of Same stream' });
  const original = page.getByRole('heading', { level: 1, name: 'Same stream', exact: true });
  const own = window.library.getByRole('region', { name: 'Experiments' }).getByRole('listitem');
  const apply = window.verdict.getByRole('button', { name: /^Apply in a copy: Move "upload"/ });
  await simulate(window, 'Same stream');
  await apply.click();
  await expect(copy).toBeVisible();
  await expect(own).toHaveCount(1);
  await page.keyboard.press('Control+z');
  const notice = page.getByRole('alert').filter({ hasText: 'Copy taken back' });
  // It stays as long as the pointer is on it.
  await notice.hover();
  await expect(original).toBeVisible();
  await expect(window.verdict).toContainText('Same stream');
  await expect(own).toHaveCount(0);
  await expect(notice).toContainText('“Copy of Same stream” held nothing else');
  await notice.getByRole('button', { name: 'Redo' }).click();
  await expect(copy).toBeVisible();
  await expect(window.verdict).toContainText('Overlapped');
  await expect(own).toHaveCount(1);
  await page.keyboard.press('Control+z');
  await expect(original).toBeVisible();
  await page.keyboard.press('Control+Shift+z');
  await expect(copy).toBeVisible();
  await page.keyboard.press('Control+z');
  // In the moment in which a new copy is still being made.
  await expect(original).toBeVisible();
  await apply.press('Enter');
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('announcement')).toHaveText('Undone: Remedy: Same stream');
  await expect(original).toBeVisible();
  await expect(own).toHaveCount(0);
  await expect(page.locator(':focus')).toHaveCount(1);
});

test('redo of a copy that the host refuses to bring back can be asked for again', async ({ window, page, server }) => {
  const copy = page.getByRole('heading', { level: 1, name: 'Copy of Same stream' });
  await simulate(window, 'Same stream');
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Move "upload"/ }).click();
  await expect(copy).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('announcement')).toHaveText('Undone: Remedy: Same stream');
  const folder = join(server.dataFolder, 'experiments');
  renameSync(folder, `${folder} elsewhere`);
  writeFileSync(folder, 'no folder');
  await page.keyboard.press('Control+Shift+z');
  await expect(page.getByRole('alert').filter({ hasText: 'The copy could not be brought back' })).toBeVisible();
  rmSync(folder);
  renameSync(`${folder} elsewhere`, folder);
  await page.keyboard.press('Control+Shift+z');
  await expect(copy).toBeVisible();
  await expect(window.verdict).toContainText('Overlapped');
});

test('a copy of which a run was made stays when its remedy is undone', async ({ window, page }) => {
  await simulate(window, 'Same stream');
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Move "upload"/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Same stream' })).toBeVisible();
  await window.run();
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('announcement')).toHaveText('Undone: Remedy: Same stream');
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Same stream' })).toBeVisible();
  await expect(window.verdict).toContainText('Same stream');
});

test('the remedy of a recorded run goes into a copy of its experiment', async ({ window, page }) => {
  const recorded = window.runs.filter({ hasText: 'Recorded' }).filter({ hasText: 'Pageable source, second stream' });
  await recorded.first().getByRole('button').first().click();
  await expect(window.verdict).toContainText('Predicted gain');
  await expect(window.verdict).toContainText('h200, with the rates of this run');
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Pin "source"/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Pageable source, second stream' })).toBeVisible();
  await expect(window.verdict).toContainText('Overlapped');
});

test('a kernel that waits for the multiprocessors has a verdict of its own', async ({ window }) => {
  await simulate(window, 'Multiprocessors full');
  await expect(window.verdict).toContainText('Multiprocessors full');
  await expect(window.verdict).toContainText('of the kernel');
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Let "on all" fill 75 %/ }).click();
  await expect(window.verdict).toHaveCount(0);
});

test('a wait that the data needs is kept, and copy and kernel are cut into parts', async ({ window }) => {
  await simulate(window, 'Event wait that the data needs');
  await expect(window.verdict).toContainText('into 4 parts');
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Cut/ }).click();
  await expect(window.verdict.filter({ hasText: 'Overlapped' })).toHaveCount(1);
});

test('a copy in a graph is captured in a branch of its own, and undo and redo show what they change', async ({
  window,
  page,
}) => {
  const bytes = 8 * 2 ** 20;
  const launch = { op: 'graphLaunch', graph: 'step', stream: 'main' };
  const captured = [
    { op: 'copy', label: 'upload', src: 'source', dst: 'target', stream: 'main' },
    { op: 'kernel', label: 'compute', stream: 'main', kernel: { kind: 'spin', durationNs: 200_000 } },
  ];
  const document = {
    format: 'copyscope/experiment',
    version: 1,
    name: 'Launched three times',
    buffers: [
      { id: 'source', memory: 'pinned', bytes },
      { id: 'target', memory: 'device', bytes },
    ],
    streams: [{ id: 'main' }],
    threads: [
      {
        id: 'host',
        operations: [
          { op: 'graphCapture', graph: 'step', stream: 'main', operations: captured },
          ...[launch, launch, launch, { op: 'synchronizeDevice' }],
        ],
      },
    ],
  };
  await window.openFile('launched.json', Buffer.from(JSON.stringify(document)));
  await expect(window.verdict).toContainText('Same stream');
  const apply = window.verdict.getByRole('button', { name: /^Apply: Capture "upload" in a branch of its own/ });
  const selected = window.inspector.getByRole('heading', { level: 2 }).first();
  await apply.click();
  await expect(window.verdict).toContainText('Overlapped');
  await expect(selected).toHaveText('upload');
  const sheet = page.getByTestId('score-sheet');
  for (const name of ['record fork', 'wait for fork', 'record join', 'wait for join'])
    await expect(sheet.getByRole('button', { name })).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(selected).toHaveText(/^Makespan/);
  await expect(apply).toBeVisible();
  await page.keyboard.press('Control+Shift+z');
  await expect(window.verdict).toContainText('Overlapped');
  await expect(selected).toHaveText('upload');
});

test('a run whose copies are between devices is not said to have none', async ({ window }) => {
  await window.open('cudaMemcpy between two devices');
  await expect(window.inspector).toContainText('Only copies');
  // Nothing of it could have overlapped, and nothing is said of that.
  await expect(window.inspector).not.toContainText('H2D with kernel');
});

test('where no cause alone is to blame, the card says what was seen and what was tried', async ({ window, page }) => {
  const bytes = 20 * 2 ** 20;
  const document = {
    format: 'copyscope/experiment',
    version: 1,
    name: 'There and back',
    buffers: [
      { id: 'source', memory: 'pinned', bytes },
      { id: 'target', memory: 'device', bytes },
    ],
    streams: [{ id: 'copies' }],
    threads: [
      {
        id: 'main',
        operations: [
          { op: 'copy', label: 'upload', src: 'source', dst: 'target', stream: 'copies' },
          {
            ...{ op: 'kernel', label: 'work', stream: 'copies', kernel: { kind: 'stream', passes: 10 } },
            ...{ reads: ['target'], writes: ['target'] },
          },
          { op: 'copy', label: 'download', src: 'target', dst: 'source', stream: 'copies' },
        ],
      },
    ],
  };
  await window.openFile('there-and-back.json', Buffer.from(JSON.stringify(document)));
  await expect(page.getByRole('heading', { level: 1, name: 'There and back' })).toBeVisible();
  const card = window.inspector.getByRole('article', { name: 'Verdict on upload' });
  await expect(card).toContainText('No single cause');
  await expect(card).toContainText('are both in stream "copies"');
  await expect(card.getByRole('listitem')).toContainText(
    /^Move "upload" to a non-blocking stream of its own.* The two still don't overlap: Event wait, needed by the data; predicted makespan/,
  );
});

test('what was missed comes before what overlapped, the longest first, and a copy in a queue with others goes into another', async ({
  window,
}) => {
  await simulate(window, 'Copy queues shared');
  const names = ['five', 'one', 'two', 'three', 'four'].map((name) => `Verdict on download ${name}`);
  const labels = () => window.verdict.evaluateAll((cards) => cards.map((card) => card.getAttribute('aria-label')));
  await expect.poll(labels).toEqual(names);
  await expect(window.verdict.first()).toContainText('Behind another stream in a copy queue');
  await window.verdict
    .first()
    .getByRole('button', { name: /^Apply in a copy: Move "download five" to stream/ })
    .click();
  // Before the copy is open, all five are still there.
  await expect(window.verdict).toHaveCount(1);
  await expect(window.verdict).toContainText('Overlapped');
  await expect(window.status).toContainText(/2\.0\d ms/);
});

test('an older run’s operations are not taken for those that have their numbers since an edit', async ({
  window,
  page,
}) => {
  const bytes = 20 * 2 ** 20;
  const document = {
    format: 'copyscope/experiment',
    version: 1,
    name: 'Up once',
    buffers: [
      { id: 'source', memory: 'pinned', bytes },
      { id: 'target', memory: 'device', bytes },
    ],
    streams: [{ id: 'copies' }],
    threads: [
      {
        id: 'main',
        operations: [
          { op: 'synchronizeDevice' },
          { op: 'copy', label: 'upload', src: 'source', dst: 'target', stream: 'copies' },
          { op: 'kernel', label: 'work', stream: 'copies', kernel: { kind: 'spin', durationNs: 200_000 } },
        ],
      },
    ],
  };
  await window.openFile('up-once.json', Buffer.from(JSON.stringify(document)));
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('Control+d');
  await expect(sheet.locator('[data-op="2"]')).toContainText('upload');
  await window.run();
  await sheet.locator('[data-op="2"]').click();
  await expect(window.inspector.getByRole('region', { name: /^In the run/ })).toBeVisible();

  await window.timeline.getByRole('combobox', { name: 'Run shown' }).click();
  await page.getByRole('option').last().click();
  // The verdict leads to what ran, as the operation is another one.
  await window.verdict.getByRole('button', { name: 'upload', exact: true }).click();
  await expect(window.inspector).toContainText('H2D engine');
  await expect(sheet.locator('[data-selected]')).toHaveCount(0);
  await sheet.locator('[data-op="2"]').click();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toHaveText('upload');
  await expect(window.inspector.getByRole('region', { name: /^In the run/ })).toHaveCount(0);
  await expect(window.verdict).toHaveCount(0);
  const plot = page.getByTestId('timeline-plot');
  await page.keyboard.press('w');
  await expect(plot).not.toHaveAttribute('data-start-ns', /^-/);
  // Nothing of it is selected, so that everything is fitted: from a little before the start.
  await page.keyboard.press('f');
  await expect(plot).toHaveAttribute('data-start-ns', /^-/);
  await window.show('Table');
  await window.timeline.getByRole('row', { name: /H2D engine/ }).click();
  await expect(sheet.locator('[data-selected]')).toHaveCount(0);
});

test('missed overlaps are marked in the lanes, and V and the legend go through them', async ({ window, page }) => {
  await simulate(window, 'Copy queues shared');
  const marked = window.timeline.getByRole('button', { name: 'No overlap, 2' });
  await expect(marked).toBeVisible();
  const told = page.getByTestId('timeline-announcement');
  await page.keyboard.press('v');
  await expect(told).toContainText('No overlap: ');
  await expect(window.verdict).toHaveCount(1);
  const first = await told.textContent();
  await marked.click();
  await expect(told).not.toHaveText(first ?? '');
  await expect(told).toContainText('No overlap: ');
  await page.keyboard.press('Shift+V');
  await expect(told).toHaveText(first ?? '');
  await page.keyboard.press('v');
  await window.verdict.getByRole('button', { name: /^Apply in a copy/ }).click();
  await expect(window.timeline.getByRole('button', { name: 'No overlap, 1' })).toBeVisible();
});

test('a hazard is repaired with one click', async ({ window, page }) => {
  await window.open('Pinned source changed in flight');
  const card = window.inspector.getByRole('article', { name: 'Hazard: Source changed in flight' });
  await card.getByRole('button', { name: /^Apply in a copy: Synchronise stream/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^Copy of/ })).toBeVisible();
  await expect(window.status).toContainText('Hazards none');
});

test('a profile that nobody measured says so where it is chosen, and in the run', async ({ window, page }) => {
  await window.open('Same stream');
  await window.engine.click();
  const option = page.getByRole('option', { name: /RTX 4090 \(published figures, not measured\)/ });
  await expect(option).toContainText('built from published figures, not measured');
  await option.click();
  await window.run();
  await expect(window.status).toContainText('simulated on NVIDIA GeForce RTX 4090 (published figures, not measured)');
});
