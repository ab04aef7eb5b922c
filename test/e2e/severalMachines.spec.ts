/** One experiment on several machines: chosen, watched, cancelled, and compared in a table and in lanes. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { whyNot } from './support/engines.ts';
import { looksRight } from './support/looks.ts';
import { expect, test } from './support/machine.ts';

const example = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../assets/examples/overlap/pinned-side-stream.json'), 'utf8'),
);
const h200 = JSON.parse(readFileSync(join(import.meta.dirname, '../../assets/profiles/h200.json'), 'utf8'));
/** Long enough that it is seen to run, and is cancelled then. */
const longExperiment = {
  ...example,
  name: 'Works for minutes',
  environment: { ...example.environment, iterations: 1000, warmups: 0 },
  threads: [{ id: 'main', operations: [{ op: 'work', durationNs: 500_000_000 }] }],
};

const here = /^CPU engine/;
const there = /^gpu-box: CPU engine/;
const simulated = /^Simulated: NVIDIA H200/;

const parts = (page: Page) => {
  const runs = page.getByRole('list', { name: 'Runs compared' });
  return {
    dialog: page.getByRole('dialog', { name: 'Run on several machines' }),
    lanes: runs.getByRole('article'),
    pending: (name: string) => runs.getByRole('region', { name }),
    row: (name: RegExp) =>
      page
        .getByRole('region', { name: 'Table by machine' })
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name }) }),
  };
};

async function openByMouse(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Compare (this run|machines)$/ }).click();
  await page.getByRole('menuitem', { name: 'Run on several machines…' }).click();
}

test.beforeEach(() => {
  const reason = whyNot('cpu');
  test.skip(reason !== null, reason ?? '');
});

test('by mouse: this machine, another and a simulated one, side by side and in a table', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await openByMouse(page);
  const { dialog, lanes, row } = parts(page);
  // It is asked for what it has once it is chosen: it has no GPU, and says so in its own name.
  await dialog.getByRole('checkbox', { name: /^gpu-box/ }).click();
  await dialog.getByRole('checkbox', { name: there }).check();
  await expect(dialog).toContainText('There is no NVIDIA driver on gpu-box.');
  await dialog.getByRole('checkbox', { name: here }).check();
  await dialog.getByRole('checkbox', { name: simulated }).check();
  await looksRight(page, 'several-choose');
  await dialog.getByRole('button', { name: 'Run on 3' }).click();
  await expect(page).toHaveURL(/#\/compare\/.+,.+,/);
  await expect(lanes).toHaveCount(3);
  await expect(page.getByTestId('timeline-plot')).toHaveCount(3);
  await expect(lanes.filter({ hasText: 'of gpu-box' })).toHaveCount(1);
  await expect(lanes.and(page.getByRole('article', { name: /^gpu-box: Pinned source/ }))).toHaveCount(1);
  await expect(lanes.and(page.getByRole('article', { name: /^This machine: Pinned source/ }))).toHaveCount(1);
  // How fast it copies, and so in which unit, is a matter of the machine and of what else it does.
  const measured = /measured\s*[\d.]+ (µs|ms|s)\s*[\d.]+ [kMG]?B\/s/;
  await expect(row(/gpu-box/)).toContainText(measured);
  await expect(row(/This machine/)).toContainText(measured);
  await expect(row(/NVIDIA H200/)).toContainText(/simulated.* µs.*GB\/s.*1\.00×/);
  // Which of the two it is, is a matter of the clocks here: test/unit/sweep/machines.test.ts has runs that differ and runs that don't.
  await expect(page.getByText(/waited for (different reasons|another reason on another machine)/)).toBeVisible();
  await looksRight(page, 'several-table');
  // Each is a run like any other, also after the window was opened anew.
  await expect(window.runs.filter({ hasNotText: 'Recorded' })).toHaveCount(3);
  await page.reload();
  await expect(lanes).toHaveCount(3);
  await page.getByRole('region', { name: 'Differences' }).getByText('Machines', { exact: true }).click();
  await expect(row(/gpu-box/)).toContainText('measured');
});

test('by keyboard: what fails on one machine takes nothing from the others', async ({ window, page, machine }) => {
  await window.open('Pinned source, second stream');
  await window.pickEngine(/^gpu-box/);
  await window.pickEngine(there);
  machine.fail('ssh: connect to host gpu-box port 22: No route to host\n');
  machine.cut();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('textbox', { name: 'Search commands' })).toBeFocused();
  await page.keyboard.insertText('several machines');
  await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('Run on several machines');
  await page.keyboard.press('Enter');
  const { dialog, lanes, pending, row } = parts(page);
  // The engine that is picked is chosen already.
  await expect(dialog.getByRole('checkbox', { name: there })).toBeChecked();
  await dialog.getByRole('checkbox', { name: here }).focus();
  await page.keyboard.press('Space');
  await dialog.getByRole('checkbox', { name: simulated }).focus();
  await page.keyboard.press('Space');
  await expect(dialog.getByRole('button', { name: 'Run on 3' })).toBeEnabled();
  await page.keyboard.press('Enter');
  await expect(lanes).toHaveCount(2);
  await expect(pending('gpu-box: Pinned source, second stream')).toContainText('No route to host');
  await expect(row(/gpu-box/)).toContainText('failed');
  await expect(row(/This machine/)).toContainText('measured');
  // It is said in its place, and nowhere over the others.
  await expect(page.getByRole('alert')).toHaveCount(0);
  // The first that has lanes is what the others are compared with.
  await expect(row(/^A/)).not.toContainText('gpu-box');
  await looksRight(page, 'several-failed');
  await page.getByRole('region', { name: 'Differences' }).getByText('Operations', { exact: true }).click();
  await expect(page.getByRole('region', { name: 'Table of differences' })).toContainText('H2D 20.0 MiB');
});

test('profiles that were calibrated elsewhere are chosen by the names of their machines', async ({
  window,
  page,
  server,
}) => {
  for (const host of ['gpu-box', 'other-box'])
    server.addProfile(`h200-of-${host}`, { ...h200, name: `h200-of-${host}`, host });
  await page.reload();
  await window.ready();
  await window.open('Pinned source, second stream');
  await window.engine.click();
  const option = page.getByRole('option', { name: 'Simulated: NVIDIA H200 of gpu-box' });
  await expect(option).toContainText('which was calibrated on gpu-box');
  await option.click();
  await window.run();
  await expect(window.status).toContainText('NVIDIA H200 of gpu-box');
  await openByMouse(page);
  const { dialog, lanes, row } = parts(page);
  await expect(dialog.getByRole('checkbox', { name: 'Simulated: NVIDIA H200 of gpu-box' })).toBeChecked();
  await dialog.getByRole('checkbox', { name: 'Simulated: NVIDIA H200 of other-box' }).check();
  await dialog.getByRole('button', { name: 'Run on 2' }).click();
  await expect(lanes).toHaveCount(2);
  for (const host of ['gpu-box', 'other-box']) {
    await expect(
      lanes.and(page.getByRole('article', { name: `NVIDIA H200 of ${host}: Pinned source, second stream` })),
    ).toHaveCount(1);
    await expect(row(new RegExp(`NVIDIA H200 of ${host}`))).toContainText('simulated');
  }
  await expect(page.getByText('No copy or kernel waited for another reason on another machine.')).toBeVisible();
});

test('what runs on each machine is told, and cancelled', async ({ window, page, server }) => {
  server.addExperiment('long', longExperiment);
  await page.reload();
  await window.ready();
  await window.open('Works for minutes');
  await window.pickEngine(/^gpu-box/);
  await window.pickEngine(there);
  await openByMouse(page);
  const { dialog, lanes, pending } = parts(page);
  await dialog.getByRole('checkbox', { name: here }).check();
  await dialog.getByRole('checkbox', { name: simulated }).check();
  await dialog.getByRole('button', { name: 'Run on 3' }).click();
  const [one, other] = [pending('gpu-box: Works for minutes'), pending('This machine: Works for minutes')];
  await expect(one).toContainText(/(Timing|Recording) \d+\/\d+/);
  await expect(other).toContainText(/(Timing|Recording) \d+\/\d+/);
  await looksRight(page, 'several-running');
  await one.getByRole('button', { name: /^Cancel/ }).click();
  await expect(one).toContainText('Cancelled.');
  await expect(other).toContainText(/\d+\/\d+/);
  await page.getByRole('button', { name: /^Cancel (the run|all \d)$/ }).click();
  await expect(other).toContainText('Cancelled.');
  await expect(lanes).toHaveCount(0);
});
