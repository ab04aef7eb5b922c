/** The library: finding, renaming, deleting with a way back, and files that come and go. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import type { DataFolder } from './support/dataFolder.ts';
import { drop } from './support/drop.ts';
import { Server } from './support/server.ts';
import { expect, test } from './support/test.ts';
import { Window } from './support/window.ts';

const root = join(import.meta.dirname, '../..');
const exampleFile = join(root, 'assets/examples/overlap/pinned-side-stream.json');
const traceFile = join(root, 'test/fixtures/pytorch-traces/trace_streamed0_pinned0.json');
const example = JSON.parse(readFileSync(exampleFile, 'utf8'));
const named = (name: string): string => JSON.stringify({ ...example, name });

const experiments = (window: Window) => window.library.getByRole('region', { name: 'Experiments' });
const trash = (server: DataFolder): string => join(server.dataFolder, 'home/Trash/files');
const binned = (server: DataFolder): string[] => (existsSync(trash(server)) ? readdirSync(trash(server)).sort() : []);

test.describe('with three experiments and three runs', () => {
  test.beforeEach(async ({ server, window, page }) => {
    for (const id of ['alpha', 'beta', 'gamma']) server.addExperiment(id, named(id));
    await page.reload();
    await window.ready();
    await window.open('Pinned source, second stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    for (let run = 1; run <= 3; run += 1) {
      await window.runButton.click();
      await expect(window.runs.filter({ hasText: 'Simulated' }).filter({ hasText: 'µs' })).toHaveCount(run);
      await expect(window.runButton).toBeVisible();
    }
  });

  test('search, filter and sort leave what matches', async ({ window, page }) => {
    const search = window.library.getByRole('textbox', { name: 'Search the library' });
    await search.fill('beta');
    await expect(experiments(window).getByRole('listitem')).toHaveCount(1);
    await expect(window.library.getByRole('region', { name: 'Examples' })).toHaveCount(0);
    await search.fill('no such thing');
    await expect(window.library.getByText('Nothing in the library matches.')).toBeVisible();
    await window.library.getByRole('button', { name: 'Show everything' }).click();
    await expect(experiments(window).getByRole('listitem')).toHaveCount(3);

    await window.library.getByRole('button', { name: 'Filter and sort' }).click();
    const filter = page.getByRole('dialog', { name: 'Filter and sort' });
    await filter.getByText('Simulated', { exact: true }).click();
    await expect(window.runs).toHaveCount(3);
    await expect(experiments(window)).toHaveCount(0);
    await filter.getByText('Recorded', { exact: true }).click();
    await filter.getByText('Failed', { exact: true }).click();
    await expect(window.runs).toHaveCount(0);
    await filter.getByRole('button', { name: 'Clear' }).click();
    await expect(experiments(window).getByRole('listitem')).toHaveCount(3);
    await page.keyboard.press('Escape');
    await expect(filter).toBeHidden();
  });

  test('F2 renames a run and an experiment; an empty name of a run is its experiment’s again', async ({
    window,
    page,
  }) => {
    const first = window.runs.first().getByRole('button').first();
    await first.focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await dialog.getByLabel('Name').fill('Before the fix');
    await page.keyboard.press('Enter');
    await expect(window.runs.first()).toContainText('Before the fix');
    const notice = page.getByRole('alert').filter({ hasText: 'Renamed' });
    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect(window.runs.first()).toContainText('Pinned source, second stream');
    await first.focus();
    await page.keyboard.press('F2');
    await dialog.getByLabel('Name').fill('Before the fix');
    await page.keyboard.press('Enter');
    // A page that goes may take with it what it has just sent.
    await expect(window.runs.first()).toContainText('Before the fix');
    await page.reload();
    await window.ready();
    await expect(window.runs.first()).toContainText('Before the fix');
    // It is called so wherever it is shown.
    await window.runs.first().getByRole('button').first().click();
    await expect(page.getByRole('heading', { level: 1, name: 'Before the fix' })).toBeVisible();
    await expect(page).toHaveTitle('Before the fix · Copyscope');
    await page.getByRole('banner').getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByRole('button', { name: 'Choose runs' }).click();
    await page
      .getByRole('dialog')
      .getByRole('checkbox', { name: /Before the fix/ })
      .check();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('article', { name: 'Before the fix' })).toBeVisible();
    await window.runs
      .first()
      .getByRole('button', { name: /^More about/ })
      .click();
    await page.getByRole('menuitem', { name: 'Rename…' }).click();
    await dialog.getByLabel('Name').fill('');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await expect(window.runs.first()).toContainText('Pinned source, second stream');

    await experiments(window).getByRole('button', { name: 'alpha', exact: true }).focus();
    await page.keyboard.press('F2');
    await dialog.getByLabel('Name').fill(' ');
    await expect(dialog.getByRole('button', { name: 'Rename' })).toBeDisabled();
    await dialog.getByLabel('Name').fill('omega');
    await page.keyboard.press('Enter');
    await expect(experiments(window).getByRole('button', { name: 'omega', exact: true })).toBeVisible();
  });

  test('dialogs give the focus back to their line, and what is deleted gives it to the next', async ({
    window,
    page,
  }) => {
    test.skip(process.platform !== 'linux', 'this bin is freedesktop.org’s');
    const line = (name: string): Locator => experiments(window).getByRole('button', { name, exact: true });
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    // The latest is first, and which of three files is that is the file system's to say.
    const [first = '', second = '', third = ''] = await experiments(window).getByRole('listitem').allInnerTexts();
    await line(second).focus();
    await page.keyboard.press('F2');
    await expect(dialog.getByLabel('Name')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(line(second)).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('menuitem', { name: 'Rename…' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(dialog.getByLabel('Name')).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(line(second)).toBeFocused();
    await page.keyboard.press('Delete');
    await expect(line(second)).toBeHidden();
    await expect(line(third)).toBeFocused();
    // Its page goes with it, and the panels.
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name: third })).toBeVisible();
    await expect(line(third)).toBeFocused();
    await page.keyboard.press('Delete');
    await expect(line(third)).toBeHidden();
    await expect(line(first)).toBeFocused();
  });

  test('what is deleted goes to the bin, and Undo brings it back', async ({ window, page, server }) => {
    test.skip(process.platform !== 'linux', 'this bin is freedesktop.org’s');
    await experiments(window).getByRole('button', { name: 'beta', exact: true }).focus();
    await page.keyboard.press('Delete');
    await expect(experiments(window).getByRole('listitem')).toHaveCount(2);
    expect(binned(server)).toEqual(['beta.json']);
    const notice = page.getByRole('alert').filter({ hasText: 'Moved to the bin' });
    await expect(notice).toContainText('beta');
    await notice.getByRole('button', { name: 'Undo' }).click();
    await expect(experiments(window).getByRole('listitem')).toHaveCount(3);
    await expect.poll(() => binned(server)).toEqual([]);
  });

  test('a notification leaves the buttons of a dialog free in a narrow window', async ({ window, page }) => {
    test.skip(process.platform !== 'linux', 'this bin is freedesktop.org’s');
    await page.setViewportSize({ width: 760, height: 500 });
    await experiments(window).getByRole('button', { name: 'alpha', exact: true }).focus();
    await page.keyboard.press('Delete');
    await experiments(window).getByRole('button', { name: 'beta', exact: true }).focus();
    await page.keyboard.press('Delete');
    await expect(page.getByRole('alert').filter({ hasText: 'Moved to the bin' })).toHaveCount(2);
    await experiments(window).getByRole('button', { name: 'gamma', exact: true }).focus();
    await page.keyboard.press('F2');
    const dialog = page.getByRole('dialog', { name: 'Rename' });
    await dialog.getByLabel('Name').fill('delta');
    await dialog.getByRole('button', { name: 'Rename' }).click();
    await expect(experiments(window).getByRole('button', { name: 'delta', exact: true })).toBeVisible();
  });

  test('several are selected by mouse, with Shift and Ctrl, and deleted together', async ({ window, page, server }) => {
    test.skip(process.platform !== 'linux', 'this bin is freedesktop.org’s');
    const own = window.runs.filter({ hasText: 'Simulated' });
    await own
      .nth(0)
      .getByRole('button')
      .first()
      .click({ modifiers: ['Control'] });
    await own
      .nth(2)
      .getByRole('button')
      .first()
      .click({ modifiers: ['Shift'] });
    await experiments(window).getByRole('checkbox', { name: 'Select gamma' }).check();
    const bar = window.library.getByRole('region', { name: 'Selection' });
    await expect(bar).toContainText('4 selected');
    await expect(bar.getByRole('button', { name: 'Compare' })).toBeDisabled();
    await bar.getByRole('button', { name: 'Delete' }).click();
    await expect(own).toHaveCount(0);
    await expect(experiments(window).getByRole('listitem')).toHaveCount(2);
    expect(binned(server)).toHaveLength(4);
    await page
      .getByRole('alert')
      .filter({ hasText: '1 experiment and 3 runs' })
      .getByRole('button', { name: 'Undo' })
      .click();
    await expect(own).toHaveCount(3);
    await expect(bar).toBeHidden();
  });

  test('runs that are selected are compared', async ({ window, page }) => {
    const own = window.runs.filter({ hasText: 'Simulated' });
    for (const index of [0, 1])
      await own
        .nth(index)
        .getByRole('button')
        .first()
        .click({ modifiers: ['Control'] });
    await window.library.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Compare' }).click();
    await expect(page).toHaveTitle('Comparison · Copyscope');
    await expect(page).toHaveURL(/compare\/[^,]+,[^,]+$/);
  });
});

test('a part of the library that was closed stays closed', async ({ window, page }) => {
  const examples = window.library.getByRole('region', { name: 'Examples' });
  await examples.getByRole('button', { name: 'Examples', exact: true }).click();
  await expect(examples.getByRole('listitem')).toHaveCount(0);
  await page.reload();
  await window.ready();
  await expect(examples.getByRole('listitem')).toHaveCount(0);
  await examples.getByRole('button', { name: 'Examples', exact: true }).click();
  await expect(examples.getByRole('listitem')).not.toHaveCount(0);
});

test('the library stays scrolled to what is opened from it, and to what comes after', async ({ window, page }) => {
  const last = window.runs.last().getByRole('button').first();
  await last.click();
  await expect(window.status).toContainText('recorded on');
  await expect(last).toBeInViewport();
  await page.getByRole('banner').getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(window.inspector).toBeHidden();
  await expect(last).toBeInViewport();
});

test('files that are dropped are opened, whatever they are', async ({ window, page }) => {
  await drop(page, [
    ['mine.copyscope.json', Buffer.from(named('Dropped'))],
    ['worker0.pt.trace.json', readFileSync(traceFile)],
  ]);
  await expect(page.getByRole('heading', { level: 1, name: 'worker0' })).toBeVisible();
  await expect(experiments(window).getByRole('button', { name: 'Dropped', exact: true })).toBeVisible();
  await drop(page, [['nothing.arrow', Buffer.from('nothing')]]);
  await expect(window.alerts.filter({ hasText: 'nothing.arrow could not be opened' })).toBeVisible();

  // What was open last is on the first page.
  await page.getByRole('button', { name: 'Copyscope', exact: true }).click();
  const recent = page.getByRole('region', { name: 'Recent' });
  await expect(recent.getByRole('button').first()).toContainText('worker0');
  await recent.getByRole('button', { name: 'Dropped' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Dropped' })).toBeVisible();

  // A profiler's trace tells how long the device stood idle.
  await page.getByRole('button', { name: 'Copyscope', exact: true }).click();
  await recent.getByRole('button', { name: /worker0/ }).click();
  await expect(window.inspector.getByRole('region', { name: 'Device time' })).toContainText(/Idle.*[\d.]+ %/);
});

test('a file of more than a message’s length is read with progress, and cancelled', async ({
  window,
  page,
  server,
}) => {
  // A trace that begins well, and then goes on for 300 MB. Its disk gives half of it, and the rest when it is told to.
  const disk = await page.evaluateHandle(() => {
    const { arrayBuffer } = Blob.prototype;
    let goOn = (): void => {};
    const rest = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    let asked = 0;
    Blob.prototype.arrayBuffer = async function () {
      asked += 1;
      if (asked >= 40) await rest;
      return arrayBuffer.call(this);
    };
    const text = (part: string): Uint8Array => new TextEncoder().encode(part);
    const event =
      '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":1,"args":{"device":0,"stream":7}},\n';
    const chunk = text(event.repeat(10_000));
    const parts = [text('{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"G"}],"traceEvents":[\n')];
    for (let bytes = 0; bytes < 300e6; bytes += chunk.length) parts.push(chunk);
    const data = new DataTransfer();
    data.items.add(new File(parts as BlobPart[], 'trace-without-end.json'));
    const drag = new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true });
    document.body.dispatchEvent(drag);
    return { goOn };
  });
  const bar = page.getByRole('progressbar', { name: 'Reading trace-without-end.json' });
  await expect(bar).toBeVisible();
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(1);
  await page
    .getByRole('region', { name: 'Files being read or written' })
    .getByRole('button', { name: 'Cancel' })
    .click();
  await disk.evaluate(({ goOn }) => goOn());
  await expect(bar).toBeHidden();
  await expect(window.runs.filter({ hasText: 'trace-without-end' })).toHaveCount(0);
  await expect.poll(() => Object.keys(server.files()).filter((path) => path.includes('imported'))).toEqual([]);
});

test('files named on the command line are opened by the first window', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'copyscope-named-'));
  const run = join(folder, 'mine.arrow');
  execFileSync(process.execPath, [join(root, 'dist/host/cli.js'), 'run', exampleFile, '--engine', 'sim', '--out', run]);
  const server = new Server({ args: [run, join(folder, 'not-there.arrow')] });
  await page.goto(await server.address());
  const window = new Window(page);
  await window.ready();
  await expect(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
  await expect(window.runs.filter({ has: page.locator('[data-current]') }).or(window.runs.first())).not.toHaveCount(0);
  expect(page.url()).toContain('#/run/imported/mine');
  await server.stop();
  rmSync(folder, { recursive: true });
});

test('one’s own work stands above what ships with the program, and examples fold by family and stay so', async ({
  server,
  window,
  page,
}) => {
  server.addExperiment('mine', named('Mine'));
  await page.reload();
  await window.ready();
  const titles = window.library.getByRole('heading', { level: 2 });
  await expect(titles).toHaveText([/Experiments/, /Sweeps/, /^Runs/, /Examples/, /Recorded runs/]);
  const family = window.library.getByRole('button', { name: 'Races' });
  const example = window.library.getByRole('button', { name: 'Result read too early', exact: true });
  await expect(example).toBeVisible();
  await family.click();
  await expect(example).toHaveCount(0);
  await page.reload();
  await window.ready();
  await expect(family).toHaveAttribute('aria-expanded', 'false');
  await expect(example).toHaveCount(0);
  // What is searched for is found in a folded family, too.
  await window.library.getByRole('textbox', { name: 'Search the library' }).fill('too early');
  await expect(example).toBeVisible();
});
