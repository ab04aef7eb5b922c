/** Pick an experiment, run it, read the lanes and the reason. */
import { whyNot } from './support/engines.ts';
import { expect, test } from './support/test.ts';

const simulated = /^Simulated: NVIDIA H200/;

const cases = [
  'Pageable source, same stream',
  'Pageable source, second stream',
  'Pinned source, same stream',
  'Pinned source, second stream',
];

test('the lanes show what ran where, and only the pinned copy in its own stream runs beside the kernel', async ({
  window,
}) => {
  const overlapNs: Record<string, number> = {};
  for (const name of cases) {
    await window.open(name);
    await window.pickEngine(simulated);
    await window.run();
    const lanes = await window.lanes();
    for (const lane of [/^main$/, /H2D/, /Compute/]) expect(lanes.some((text) => lane.test(text))).toBe(true);
    const activities = await window.activities();
    const copy = activities.find(({ kind, engine }) => /copy/i.test(kind) && engine === 'H2D engine');
    const kernel = activities.find(({ engine }) => engine === 'Compute');
    if (copy === undefined || kernel === undefined) throw new Error(`no copy or kernel: ${JSON.stringify(activities)}`);
    expect(copy.bytes).toBe('20.0 MiB');
    expect(copy.lane === kernel.lane).toBe(name.includes('same stream'));
    const start = Math.max(copy.startNs, kernel.startNs);
    const end = Math.min(copy.startNs + copy.durationNs, kernel.startNs + kernel.durationNs);
    overlapNs[name] = Math.max(0, end - start);
  }
  const [overlapped, ...others] = Object.entries(overlapNs).sort(([, a], [, b]) => b - a);
  expect(overlapped?.[0]).toBe('Pinned source, second stream');
  expect(overlapped?.[1]).toBeGreaterThan(10_000);
  // The table gives three digits, so neighbours may seem to touch.
  for (const [, overlap] of others) expect(overlap).toBeLessThan(5_000);
});

test('a selected activity is explained in the inspector, and joined with its host call', async ({ window }) => {
  await window.open('Pinned source, second stream');
  await window.pickEngine(simulated);
  await window.run();
  await window.show('Table');
  await window.timeline
    .getByRole('row', { name: /H2D engine/ })
    .first()
    .click();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toContainText(/20.*MiB/);
  await expect(window.inspector).toContainText('H2D engine');
  await expect(window.inspector).toContainText(/GB\/s/);
  await expect(window.verdict.getByRole('heading')).toHaveText('Overlapped');
  await window.inspector.getByRole('button', { name: /cudaMemcpyAsync/ }).click();
  await expect(window.inspector).toContainText('Host thread');
});

test('what stands in a field is taken over by the keys that run and save, and the field keeps the focus', async ({
  window,
  page,
}) => {
  await window.open('Same stream');
  await window.pickEngine(simulated);
  const sheet = page.getByTestId('score-sheet');
  const size = window.inspector.getByLabel('Size', { exact: true });
  const ended = page.getByTestId('announcement').getByText(/^Run of Copy of Same stream/);
  await sheet.locator('[data-op="0"]').click();
  await size.fill('4 MiB');
  // The copy that it goes into is what is run.
  await size.press('Control+Enter');
  await expect(window.runs.filter({ hasText: 'Copy of Same stream' })).toHaveCount(1);
  await expect(window.runButton).toBeVisible();
  await expect(window.inspector.getByRole('region', { name: 'In the run' })).toContainText('4.00 MiB');
  await expect(size).toBeVisible();

  await size.fill('2 MiB');
  await size.press('Control+Enter');
  await expect(sheet.locator('[data-op="0"]')).toContainText('2.00 of 64.0 MiB');
  await expect(window.runs.filter({ hasText: 'Copy of Same stream' })).toHaveCount(2);
  await expect(ended).toBeVisible();
  await expect(size).toBeFocused();
  await size.fill('1 MiB');
  await size.press('Control+s');
  await expect(sheet.locator('[data-op="0"]')).toContainText('1.00 of 64.0 MiB');
  await expect(page.getByText('Not saved')).toBeHidden();
  await expect(size).toBeFocused();
  await window.runs.first().getByRole('button').first().click();
  await expect(sheet.locator('[data-op="0"]')).toContainText('2.00 of 64.0 MiB');
});

test('what a field refuses is not run, and what else was changed is saved', async ({ window, page }) => {
  await window.open('Same stream');
  await window.pickEngine(simulated);
  const sheet = page.getByTestId('score-sheet');
  const size = window.inspector.getByLabel('Size', { exact: true });
  await sheet.locator('[data-op="0"]').click();
  await size.fill('4 MiB');
  await size.press('Enter');
  await expect(page.getByText('Not saved')).toBeVisible();
  await size.fill('four');
  await size.press('Control+Enter');
  await expect(size).toHaveAttribute('aria-invalid', 'true');
  await expect(size).toBeFocused();
  await size.press('Control+s');
  await expect(page.getByText('Not saved')).toBeHidden();
  await expect(size).toHaveValue('four');
  await expect(window.runs.filter({ hasText: 'Copy of Same stream' })).toHaveCount(0);
  await size.fill('2 MiB');
  await size.press('Control+Enter');
  await expect(window.runs.filter({ hasText: 'Copy of Same stream' })).toHaveCount(1);
});

test('an engine that is not there is listed with the reason', async ({ window, page }) => {
  const reason = whyNot('cuda');
  test.skip(reason === null, 'this machine has a GPU');
  await window.open('Pinned source, second stream');
  await window.engine.click();
  const option = page.getByRole('option', { name: /^This GPU/ });
  await expect(option).toBeDisabled();
  await expect(option).toContainText(reason?.replace(/^no cuda engine here: /, '') ?? '');
});
