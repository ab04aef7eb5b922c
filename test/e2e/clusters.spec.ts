/** A cluster in the window, behind stand-ins for ssh and for Slurm: set, submitted to, watched, cancelled, in both themes. */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Page } from '@playwright/test';
import { type StandIn, standInSsh } from '../system/machines/support/standInSsh.ts';
import { pathWithoutSlurm, type StandInSlurm, standInSlurm } from '../system/slurm/support/cluster.ts';
import { looksRight } from './support/looks.ts';
import { Server } from './support/server.ts';
import { test as base, expect } from './support/test.ts';

const cli = join(import.meta.dirname, '../../dist/host/cli.js');

/** A window with one other machine, whose programs are those in a folder of the test. */
const test = base.extend<{ path: string; slurm: StandInSlurm; machine: StandIn; server: Server }>({
  path: async ({ slurm }, use) => use([slurm.bin, process.env['PATH']].join(delimiter)),
  slurm: async ({ browserName: _browserName }, use) => {
    const slurm = standInSlurm();
    await use(slurm);
    slurm.remove();
  },
  machine: async ({ path }, use) => {
    const machine = standInSsh({ path });
    await use(machine);
    machine.remove();
  },
  server: async ({ machine }, use) => {
    const server = new Server({ environment: { COPYSCOPE_SSH: machine.environment['COPYSCOPE_SSH'] ?? '' } });
    execFileSync(process.execPath, [cli, 'host', 'add', 'login', '--yes'], {
      env: { ...machine.environment, COPYSCOPE_DATA: server.dataFolder },
      stdio: 'pipe',
    });
    await use(server);
    await server.stop();
  },
});

const clusterOf = (page: Page) => page.getByRole('region', { name: 'Cluster of login' });

/** Fills the form by keyboard, from its first field on. */
async function typeSettings(page: Page, lines: string): Promise<void> {
  await page.keyboard.press('Alt+m');
  await clusterOf(page).getByRole('button', { name: 'Slurm settings' }).press('Enter');
  await expect(page.getByRole('textbox', { name: 'Partition' })).toBeFocused();
  const typed = ['main', '', 'h200:2', '01:00:00', '2', lines];
  for (const text of typed) {
    if (text !== '') await page.keyboard.insertText(text);
    await page.keyboard.press('Tab');
  }
}

const openSetup = async (page: Page): Promise<void> => {
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('textbox', { name: 'Search commands' })).toBeFocused();
  await page.keyboard.insertText('New sweep');
  await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('New sweep');
  await page.keyboard.press('Enter');
};

/** Three points on the simulator, by the form. */
async function submit(page: Page): Promise<void> {
  await openSetup(page);
  const form = page.getByRole('region', { name: 'New sweep' });
  await form.getByRole('combobox', { name: 'As jobs of Slurm' }).selectOption('On login');
  await form.getByRole('combobox', { name: 'Engine of the nodes' }).selectOption('sim');
  await form.getByRole('textbox', { name: 'Points of each job' }).fill('12');
  await form.getByRole('textbox', { name: 'Iterations of each point' }).fill('1');
}

const progress = (page: Page) => page.getByRole('region', { name: 'Progress of the sweep' });
const submitButton = (page: Page) => page.getByRole('button', { name: /^Submit 35 points$/ });

test('a sweep is submitted as an array, its points arrive, and it is cancelled and goes on', async ({
  page,
  window: _,
  slurm,
  machine,
}) => {
  const gate = join(machine.home, 'go');
  await typeSettings(page, `while [ $SLURM_ARRAY_TASK_ID -ge 1 ] && [ ! -e '${gate}' ]; do sleep 0.05; done`);
  await clusterOf(page).getByRole('button', { name: 'Keep and ask Slurm' }).press('Enter');
  await expect(clusterOf(page)).toContainText('Slurm is there.');
  await submit(page);
  await looksRight(page, 'cluster-setup', submitButton(page));
  await submitButton(page).press('Enter');
  await expect(progress(page)).toContainText('12 of 35 points');
  // The first job ends some time after its points have come.
  await expect.poll(() => slurm.jobs().map(({ state }) => state)).toEqual(['COMPLETED', 'RUNNING', 'RUNNING']);
  await expect(progress(page)).toContainText(/2 jobs run/);
  await looksRight(page, 'cluster-sweep');
  await page.keyboard.press('Alt+m');
  await clusterOf(page).getByRole('button', { name: 'Ask Slurm' }).press('Enter');
  const works = clusterOf(page).getByRole('list', { name: 'What Slurm of login does' });
  await expect(works).toContainText('12 of 35 done, 2 jobs in progress');
  await looksRight(page, 'cluster-works');
  await page.goBack();
  await progress(page).getByRole('button', { name: 'Cancel the sweep' }).press('Enter');
  await expect(progress(page)).toContainText('stopped; what was done is kept');
  await expect.poll(() => slurm.jobs().map(({ state }) => state)).toEqual(['COMPLETED', 'CANCELLED', 'CANCELLED']);
  writeFileSync(gate, '');
  await progress(page).getByRole('button', { name: 'Go on' }).press('Enter');
  await expect(progress(page)).toContainText('complete');
  await expect(progress(page)).not.toContainText('failed');
  expect(slurm.jobs()).toHaveLength(3 + 2);
});

/** Slurm may be installed here, and a login shell would find it. */
const bare = test.extend({
  path: async ({ browserName: _browserName }, use) => {
    const path = pathWithoutSlurm();
    await use(path);
    rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  },
});

bare('a machine without Slurm says so, in words', async ({ page, window: _ }) => {
  await typeSettings(page, '');
  await clusterOf(page).getByRole('button', { name: 'Keep and ask Slurm' }).press('Enter');
  await expect(clusterOf(page).getByRole('alert')).toContainText('There is no squeue there');
  await looksRight(page, 'cluster-none');
  await submit(page);
  await submitButton(page).press('Enter');
  await expect(page.getByText('There is no sbatch there').last()).toBeVisible();
  await expect(page.getByRole('region', { name: 'New sweep' })).toBeVisible();
});

/** This machine is the login node itself. */
const own = base.extend<{ slurm: StandInSlurm; server: Server }>({
  slurm: async ({ browserName: _browserName }, use) => {
    const slurm = standInSlurm();
    slurm.conduct({ isHeld: true });
    await use(slurm);
    slurm.remove();
  },
  server: async ({ slurm }, use) => {
    const server = new Server({ environment: { PATH: [slurm.bin, process.env['PATH']].join(delimiter) } });
    await use(server);
    await server.stop();
  },
});

own(
  'by keyboard: Slurm of this machine has a card, calibrates a node, and is cancelled',
  async ({ page, window: _, slurm }) => {
    await page.keyboard.press('Alt+m');
    const cluster = page.getByRole('region', { name: 'Cluster of this machine' });
    await cluster.getByRole('button', { name: 'Calibrate' }).press('Enter');
    await expect(cluster).toContainText('Calibration: Its job waits (Resources)');
    await expect(cluster.getByRole('button', { name: 'Calibrate', exact: true })).toBeDisabled();
    await cluster.getByRole('button', { name: 'Ask Slurm' }).press('Enter');
    await expect(cluster.getByRole('list', { name: 'What Slurm of this machine does' })).toContainText(
      'Calibration0 of 1 done, 1 job in progress',
    );
    await looksRight(page, 'cluster-own');
    await cluster.getByRole('button', { name: 'Cancel the calibration' }).press('Enter');
    await expect(cluster).toContainText('The calibration was cancelled.');
    expect(slurm.jobs().map(({ state }) => state)).toEqual(['CANCELLED']);
  },
);

own(
  'by keyboard: a program is recorded by a job, whose waiting is seen, and which is cancelled',
  async ({ page, window: _, slurm }) => {
    await page.keyboard.press('Alt+r');
    const form = page.getByRole('region', { name: 'Record a program' });
    await form.getByRole('combobox', { name: 'Machine' }).selectOption('As a job of Slurm on this machine');
    await form.getByRole('textbox', { name: 'Command' }).fill('python train.py');
    await expect(form).toContainText('cd && copyscope record --slurm -- python train.py');
    await looksRight(page, 'cluster-record-form');
    await form.getByRole('button', { name: 'Submit' }).press('Enter');
    const card = page.getByRole('region', { name: 'Recording of train' });
    await expect(card).toContainText('Its job waits (Resources).');
    await looksRight(page, 'cluster-record');
    await card.getByRole('button', { name: 'Cancel its job' }).press('Enter');
    await expect(card).toContainText('Its job was cancelled, and left no result.');
    expect(slurm.jobs().map(({ state }) => state)).toEqual(['CANCELLED']);
  },
);
