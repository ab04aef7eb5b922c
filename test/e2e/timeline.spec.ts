/** What a person does in the timeline beyond looking: searching, and summing up a stretch of time. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

test.beforeEach(async ({ window }) => {
  await window.open('Pinned source, second stream');
  await window.run();
  // Until then the recorded run's lanes are shown.
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  // What a worker sums up comes after the lanes, and brings one more.
  await expect.poll(() => window.lanes()).toContain('side queue');
});

/** Where a part ends, in pixels of the page. */
async function rightEdge(part: Locator): Promise<number> {
  const box = await part.boundingBox();
  return box === null ? Number.NaN : box.x + box.width;
}

test('the tools fit beside the pickers of run and iteration, in a narrow window too', async ({ window, page }) => {
  await window.timeline.getByRole('combobox', { name: 'Run shown' }).click();
  await page.getByRole('option').filter({ hasText: 'recorded on' }).first().click();
  await expect(window.timeline.getByRole('combobox', { name: 'Iteration shown' })).toBeVisible();
  for (const width of [1280, 1100]) {
    await page.setViewportSize({ width, height: 800 });
    const tools = window.timeline.getByRole('radiogroup', { name: 'Show as' });
    await expect.poll(async () => (await rightEdge(tools)) <= (await rightEdge(window.timeline))).toBe(true);
  }
});

test('the tools of a trace fit beside its picker of runs', async ({ window }) => {
  const file = 'vision.pageable.json.gz';
  await window.openFile(file, readFileSync(join(import.meta.dirname, '../fixtures/pytorch-pairs', file)));
  // Until then the timeline is that of the run before.
  await expect(window.timeline.getByText('Recorded', { exact: true })).toBeVisible();
  const tools = window.timeline.getByRole('radiogroup', { name: 'Show as' });
  await expect.poll(async () => (await rightEdge(tools)) <= (await rightEdge(window.timeline))).toBe(true);
});

test('search goes from match to match by keyboard, and says how many there are', async ({ window, page }) => {
  await page.keyboard.press('/');
  const box = window.timeline.getByRole('textbox', { name: 'Search the timeline' });
  await expect(box).toBeFocused();
  await box.fill('kernel');
  await expect(window.timeline.getByRole('status', { name: /^[1-9]\d* matches$/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(window.timeline.getByTestId('timeline-announcement')).toContainText(/kernel/i);
  await expect(window.timeline.getByRole('status', { name: /^match 1 of [1-9]\d*$/ })).toBeVisible();
  await page.keyboard.press('Shift+Enter');
  await expect(window.timeline.getByRole('status', { name: /^match ([1-9]\d*) of \1$/ })).toBeVisible();
  await box.fill('no such activity');
  await expect(window.timeline.getByRole('status', { name: '0 matches' })).toHaveText('none');
  await page.keyboard.press('Escape');
  await expect(box).not.toBeFocused();
  await expect(box).toHaveValue('');
});

test('a stretch that is dragged over is summed up by name', async ({ window, page }) => {
  const box = await window.timeline.getByTestId('timeline-plot').boundingBox();
  if (box === null) throw new Error('the plot has no place');
  await page.mouse.move(box.x + 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 });
  await page.mouse.up();
  const table = window.inspector.getByRole('region', { name: 'What ran in the stretch' });
  await expect(table.getByRole('columnheader')).toHaveText([
    ...[
      'Name',
      'Count',
      'Total',
      'Self',
      'Share',
      'Least',
      'Median',
      'Greatest',
      'Mean',
      'Moved',
      'Rate',
      'Overlapped',
    ],
  ]);
  await expect(table.getByRole('row').filter({ hasText: '20.0 MiB' }).first()).toContainText('GB/s');
  await expect(window.inspector.getByRole('button', { name: 'Copy as Markdown' })).toBeVisible();
});

test('the whole run is summed up by name, and so is the time that one activity takes', async ({ window, page }) => {
  const table = window.inspector.getByRole('region', { name: 'What ran in the stretch' });
  const where = window.inspector.getByRole('region', { name: 'Where' });
  await window.timeline.getByTestId('timeline-plot').click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('Control+a');
  await expect(table.getByRole('row').filter({ hasText: 'cudaLaunchKernel' })).toHaveCount(1);
  await expect(where).toContainText(/From\s*0 ns/);
  await window.inspector.getByText('On a device', { exact: true }).click();
  await expect(table.getByRole('row').filter({ hasText: 'cudaLaunchKernel' })).toHaveCount(0);
  await expect(table.getByRole('row').filter({ hasText: '20.0 MiB' }).first()).toBeVisible();
  await window.inspector.getByText('On the host', { exact: true }).click();
  await expect(table.getByRole('row').filter({ hasText: 'cudaLaunchKernel' })).toHaveCount(1);
  await expect(table.getByRole('row').filter({ hasText: '20.0 MiB' })).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(table).toBeHidden();
  await window.inspector.getByRole('button', { name: 'Sum up the whole run (Ctrl+A)' }).click();
  await expect(table).toBeVisible();
  // In the score it selects every operation, as before.
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  await page.keyboard.press('Control+a');
  await expect(table).toBeHidden();
  await page.keyboard.press('/');
  await page.keyboard.insertText('20.0 MiB');
  await page.keyboard.press('Escape');
  await page.keyboard.press('v');
  await page.keyboard.press('Escape');
  await page.keyboard.press('.');
  await page.keyboard.press('r');
  await expect(table).toBeVisible();
  await expect(where).not.toContainText(/Activities\s*0/);
});

test.describe('lanes', () => {
  const header = (window: Window, name: string) =>
    window.timeline.getByRole('button', { name: new RegExp(`^${name}\\s*,`) });
  const openMenu = async (window: Window, name: string): Promise<Locator> => {
    await header(window, name).click({ button: 'right' });
    return window.page.getByRole('menu', { name: `Lane ${name}` });
  };

  test('are pinned, hidden, collapsed and put back by mouse, and stay so after a reload', async ({ window, page }) => {
    const natural = await window.lanes();
    await (await openMenu(window, 'Compute')).getByRole('menuitem', { name: 'Pin to the top' }).click();
    await expect.poll(async () => (await window.lanes())[0]).toBe('Compute');
    await expect(window.timeline.getByRole('list', { name: 'Pinned lanes' })).toContainText('Compute');
    await (await openMenu(window, 'main')).getByRole('menuitem', { name: 'Hide' }).click();
    await expect.poll(() => window.lanes()).not.toContain('main');
    await (await openMenu(window, 'side')).getByRole('menuitem', { name: 'Collapse streams' }).click();
    await expect.poll(() => window.lanes()).toContain('Streams');
    const arranged = await window.lanes();

    await page.reload();
    await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
    await expect.poll(() => window.lanes()).toEqual(arranged);

    await window.timeline.getByRole('button', { name: 'Lanes, 1 hidden' }).click();
    await page.getByRole('menuitem', { name: /^Show main/ }).click();
    await expect.poll(() => window.lanes()).toContain('main');
    await page.getByRole('menuitem', { name: 'Reset lanes' }).click();
    await expect.poll(() => window.lanes()).toEqual(natural);
  });

  test('are dragged to another place', async ({ window, page }) => {
    const natural = await window.lanes();
    const from = await header(window, 'main').boundingBox();
    const to = await header(window, 'side').boundingBox();
    if (from === null || to === null) throw new Error('the lanes have no place');
    await page.mouse.move(from.x + 40, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + 40, from.y + from.height, { steps: 3 });
    await page.mouse.move(to.x + 40, to.y + to.height - 3, { steps: 5 });
    await page.mouse.up();
    const [main, side, ...rest] = natural;
    await expect.poll(() => window.lanes()).toEqual([side, main, ...rest]);
  });

  test('are arranged by keyboard alone', async ({ window, page }) => {
    const natural = await window.lanes();
    await header(window, 'main').focus();
    await page.keyboard.press('Alt+ArrowDown');
    await expect.poll(() => window.lanes()).toEqual([natural[1], natural[0], ...natural.slice(2)]);
    await expect(header(window, 'main')).toBeFocused();
    await page.keyboard.press('p');
    await expect.poll(() => window.lanes()).toEqual(natural);
    await expect(header(window, 'main')).toHaveAccessibleName(/pinned/);
    await page.keyboard.press('ArrowDown');
    await expect(header(window, 'side')).toBeFocused();
    await page.keyboard.press('c');
    await expect.poll(async () => (await header(window, 'side').boundingBox())?.height).toBeLessThan(20);
    await page.keyboard.press('h');
    await expect.poll(() => window.lanes()).not.toContain('side');
    await page.keyboard.press('Shift+F10');
    const menu = page.getByRole('menu', { name: /^Lane / });
    await expect(menu.getByRole('menuitem').first()).toBeFocused();
    const reset = menu.getByRole('menuitem', { name: 'Reset lanes' });
    for (let press = 0; press < 12 && !(await reset.evaluate((item) => item === document.activeElement)); press += 1) {
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    await expect.poll(() => window.lanes()).toEqual(natural);
  });

  test('keep the focus when they move: a key right after goes on from there', async ({ window, page }) => {
    await header(window, 'main').focus();
    const from = await page.evaluate(async () => {
      const press = async (key: string) => {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        // React draws what a key did in a microtask.
        for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
        return document.activeElement?.getAttribute('title') ?? '';
      };
      const focused = [await press('p'), await press('ArrowDown')];
      // Nothing that comes later takes it back.
      await new Promise((resolve) => setTimeout(resolve));
      return [...focused, document.activeElement?.getAttribute('title') ?? ''];
    });
    expect(from).toEqual([
      expect.stringMatching(/^main/),
      expect.stringMatching(/^side/),
      expect.stringMatching(/^side/),
    ]);
    await page.keyboard.press('Shift+F10');
    await expect(page.getByRole('menu', { name: 'Lane side' }).getByRole('menuitem').first()).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(header(window, 'side')).toBeFocused();
  });

  test('that are hidden still tell the truth: arrows, search and the table', async ({ window, page }) => {
    const rows = (await window.activities()).length;
    await (await openMenu(window, 'main')).getByRole('menuitem', { name: 'Hide' }).click();
    await expect.poll(() => window.lanes()).not.toContain('main');
    // What it is joined with can't be drawn, and is named.
    await page.keyboard.press('/');
    await page.keyboard.type('cudaMemcpyAsync');
    await page.keyboard.press('Enter');
    const notice = window.timeline.getByRole('status').filter({ hasText: 'in a hidden lane' });
    await expect(notice).toBeVisible();
    expect((await window.activities()).length).toBe(rows);
    await notice.getByRole('button', { name: 'Show the lane' }).click();
    await expect.poll(() => window.lanes()).toContain('main');
    await expect(notice).toBeHidden();
  });
});

test('each of two devices has a link of its own', async ({ window, page }) => {
  const example = join(import.meta.dirname, '../../assets/examples/lessons/two-gpus-two-threads.json');
  await window.openFile('two.json', readFileSync(example));
  await expect(page.getByRole('heading', { level: 1, name: 'Two GPUs, a host thread each' })).toBeVisible();
  await expect.poll(() => window.lanes()).toEqual(expect.arrayContaining(['H2D link gpu0', 'H2D link gpu1']));
});

test('queue depth is a lane that tells how much is pending', async ({ window, page }) => {
  const lane = window.timeline.getByRole('button', { name: /^side queue\s*, depth, most [1-9]/ });
  await lane.scrollIntoViewIfNeeded();
  const [box, plot] = [await lane.boundingBox(), await window.timeline.getByTestId('timeline-plot').boundingBox()];
  if (box === null || plot === null) throw new Error('the lane has no place');
  await page.mouse.move(plot.x + plot.width / 2, box.y + box.height / 2);
  await expect(window.timeline.locator('dl')).toContainText(/Depth\d+ pending/);
});

test.describe('notes', () => {
  const list = (window: Window) => window.page.getByRole('complementary', { name: 'Notes' });
  const items = (window: Window) => list(window).getByRole('listitem');

  test('are marked, written, undone, gone to and deleted by keyboard, and survive a reload', async ({
    window,
    page,
    server,
  }) => {
    const announcement = window.timeline.getByTestId('timeline-announcement');
    const saved = () =>
      Object.keys(server.files())
        .filter((path) => /\/notes\/[^/]+\.json$/.test(path))
        .map((path) => readFileSync(path, 'utf8'))
        .join('');
    await page.keyboard.press('.');
    await expect(announcement).not.toBeEmpty();
    const first = await announcement.textContent();
    await page.keyboard.press('m');
    await expect(window.timeline.getByRole('button', { name: 'Notes, 1' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await expect(announcement).not.toHaveText(first ?? '');
    await page.keyboard.press('n');
    await expect(list(window).getByRole('textbox')).toBeFocused();
    await page.keyboard.type('The copy begins here');
    await page.keyboard.press('Enter');
    await expect(items(window)).toHaveCount(2);
    await expect(items(window).nth(1)).toContainText('The copy begins here');

    await page.keyboard.press('Control+z');
    await expect(items(window).nth(1)).not.toContainText('The copy begins here');
    await expect.poll(saved).not.toContain('The copy begins here');
    await page.keyboard.press('Control+Shift+z');
    await expect(items(window).nth(1)).toContainText('The copy begins here');

    await page.keyboard.press('Shift+>');
    await expect(announcement).toHaveText(first ?? '');

    await expect.poll(saved).toContain('The copy begins here');
    await page.reload();
    await expect(items(window)).toHaveCount(2);
    await expect(items(window).nth(1)).toContainText('The copy begins here');
    await items(window)
      .nth(1)
      .getByRole('button', { name: /^Delete/ })
      .focus();
    await page.keyboard.press('Enter');
    await expect(items(window)).toHaveCount(1);
    await page.keyboard.press('Control+z');
    await expect(items(window)).toHaveCount(2);
  });

  test('are put on a stretch, edited and gone to by mouse', async ({ window, page }) => {
    const plot = window.timeline.getByTestId('timeline-plot');
    const box = await plot.boundingBox();
    if (box === null) throw new Error('the plot has no place');
    await page.mouse.move(box.x + 100, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + 220, box.y + 20, { steps: 4 });
    await page.mouse.up();
    await window.timeline.getByRole('button', { name: 'Notes', exact: true }).click();
    await list(window).getByRole('button', { name: 'Add a note (N)' }).click();
    await list(window).getByRole('textbox').fill('Nothing overlaps here');
    await list(window).getByRole('heading').click();
    await expect(items(window)).toContainText('Nothing overlaps here');
    const flag = window.timeline.getByRole('button', { name: /^Note at .*Nothing overlaps here$/ });
    await expect(flag).toBeVisible();
    await items(window).getByRole('button', { name: /^Edit/ }).click();
    await list(window).getByRole('textbox').fill('Now it does');
    await page.keyboard.press('Enter');
    await expect(flag).toHaveCount(0);
    await page.mouse.click(box.x + 5, box.y + box.height - 4);
    await items(window)
      .getByRole('button', { name: /^\S+ µs to/ })
      .click();
    await expect(window.inspector).toContainText('Stretch of time');
  });

  test('that are damaged are refused, and the run is shown all the same', async ({ window, page, server }) => {
    await page.keyboard.press('.');
    await page.keyboard.press('n');
    await page.keyboard.press('Enter');
    // Until it is whole it has another name.
    const kept = () => Object.keys(server.files()).filter((path) => /\/notes\/[^/]+\.json$/.test(path));
    await expect.poll(kept).toHaveLength(1);
    const [path = ''] = kept();
    writeFileSync(path, '{"format": "copyscope/notes", "notes": [');
    await page.reload();
    await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
    await expect(list(window).getByRole('alert')).toContainText('not valid JSON');
    await page.keyboard.press('.');
    await page.keyboard.press('m');
    await expect(items(window)).toHaveCount(1);
    await expect(list(window).getByRole('alert')).toHaveCount(0);
    // The window shows the new note before the host has put the damaged file aside.
    await expect.poll(() => Object.keys(server.files())).toContain(`${path}.damaged`);
  });
});

test('an event leads from its record to the wait that it releases, along ] and [', async ({ window, page }) => {
  await page.keyboard.press('/');
  await page.keyboard.type('event-record');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  const announcement = window.timeline.getByTestId('timeline-announcement');
  await expect(announcement).toContainText('Event recorded');
  await page.keyboard.press(']');
  await expect(announcement).toContainText('cudaEventSynchronize');
  await expect(window.inspector).toContainText('Joined with');
  await page.keyboard.press('[');
  await expect(announcement).toContainText('Event recorded');
});

test('both operations of a hazard say so in the lanes', async ({ window, page }) => {
  await window.open('Pinned source changed in flight');
  await window.run();
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect(window.timeline.getByRole('list', { name: 'Legend' })).toContainText('Hazard');
  const plot = await window.timeline.getByTestId('timeline-plot').boundingBox();
  if (plot === null) throw new Error('the plot has no place');
  // The host's write stands near the beginning of the first lane.
  await page.mouse.move(plot.x + 45, plot.y + 30);
  await expect(window.timeline.locator('dl')).toContainText('Hazard');
});

test('the legend says what each mark in the lanes is', async ({ window }) => {
  const legend = window.timeline.getByRole('list', { name: 'Legend' });
  await expect(legend).toContainText('Event recorded');
  await expect(legend).not.toContainText('Event wait passed');
  await window.open('Event wait that the data needs');
  await window.run();
  await expect(legend).toContainText('Event recorded');
  await expect(legend).toContainText('Event wait passed');
});

/** What is visible, in nanoseconds. */
async function shown(window: Window): Promise<{ startNs: number; endNs: number }> {
  const plot = window.timeline.getByTestId('timeline-plot');
  const { startNs, endNs } = await plot.evaluate((element) => ({ ...(element as HTMLElement).dataset }));
  return { startNs: Number(startNs), endNs: Number(endNs) };
}

test('the minimap’s window is dragged, resized, and moved by keys', async ({ window, page }) => {
  const whole = await shown(window);
  const span = whole.endNs - whole.startNs;
  const map = window.timeline.getByRole('region', { name: 'Whole run' });
  const stretch = map.getByRole('slider', { name: 'Visible stretch', exact: true });
  const end = map.getByRole('slider', { name: 'End of the visible stretch' });
  const [grip, track] = [await end.boundingBox(), await stretch.boundingBox()];
  if (grip === null || track === null) throw new Error('the minimap has no place');
  const middle = grip.y + grip.height / 2;
  await page.mouse.move(grip.x + grip.width / 2, middle);
  await page.mouse.down();
  await page.mouse.move(track.x + track.width / 4, middle, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await shown(window)).endNs).toBeLessThan(whole.startNs + 0.3 * span);
  expect((await shown(window)).startNs).toBeCloseTo(whole.startNs, 3);

  const quarter = await shown(window);
  await page.mouse.move(track.x + track.width / 8, middle);
  await page.mouse.down();
  await page.mouse.move(track.x + track.width / 2, middle, { steps: 5 });
  await page.mouse.up();
  await expect.poll(async () => (await shown(window)).startNs).toBeGreaterThan(quarter.startNs + 0.3 * span);
  const moved = await shown(window);
  expect(moved.endNs - moved.startNs).toBeCloseTo(quarter.endNs - quarter.startNs, 0);

  await stretch.focus();
  await page.keyboard.press('Home');
  await expect.poll(async () => (await shown(window)).startNs).toBeCloseTo(whole.startNs, 3);
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await shown(window)).startNs).toBeGreaterThan(whole.startNs + 1);
  await expect(stretch).toHaveAttribute('aria-valuetext', /s to /);
  const before = await shown(window);
  await end.focus();
  await page.keyboard.press('ArrowRight');
  await expect.poll(async () => (await shown(window)).endNs).toBeGreaterThan(before.endNs);
  expect((await shown(window)).startNs).toBeCloseTo(before.startNs, 3);
});

test('an operation that is selected in the score is fitted', async ({ window, page }) => {
  const span = async () => (await shown(window)).endNs - (await shown(window)).startNs;
  const whole = await span();
  await page.getByTestId('score-sheet').locator('[data-op="2"]').click();
  await page.keyboard.press('f');
  await expect.poll(span).toBeLessThan(whole / 4);
});

test('the table sorts, filters by text, hides columns, and selects in the lanes', async ({ window, page }) => {
  await window.openFile(
    'vision.pageable.json.gz',
    readFileSync(join(import.meta.dirname, '../fixtures/pytorch-pairs/vision.pageable.json.gz')),
  );
  await window.show('Table');
  const table = window.timeline.getByRole('table');
  const rows = table.getByRole('row');
  await expect(window.timeline.getByText('3969 activities')).toBeVisible();
  await window.timeline.getByLabel('Filter the table by text').fill('h2d');
  await expect(window.timeline.getByText('12 of 3969 activities')).toBeVisible();
  await expect(rows).toHaveCount(13);
  await table.getByRole('button', { name: 'Duration' }).click();
  await expect(table.getByRole('columnheader', { name: 'Duration' })).toHaveAttribute('aria-sort', 'descending');
  await expect(rows.nth(1)).toContainText('28.1 MiB');
  await table.getByRole('button', { name: 'Duration' }).click();
  await expect(rows.nth(1)).toContainText('768 B');
  await window.timeline.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Kind' }).uncheck();
  await page.keyboard.press('Escape');
  await expect(table.getByRole('columnheader', { name: 'Kind' })).toHaveCount(0);
  await rows.nth(1).focus();
  await page.keyboard.press('ArrowDown');
  await expect(rows.nth(2)).toHaveAttribute('aria-selected', 'true');
  await expect(window.inspector).toContainText('768 B');
});
