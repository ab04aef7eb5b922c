/** Another machine in the window, behind a stand-in for ssh: listed, asked, run on, lost, in both themes. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type StandIn, standInSsh } from '../unit/machines/support/standInSsh.ts';
import { whyNot } from './support/engines.ts';
import { follow, seriousProblems } from './support/looks.ts';
import { Server } from './support/server.ts';
import { test as base, expect } from './support/test.ts';

const cli = join(import.meta.dirname, '../../dist/host/cli.js');
const screenshots = join(import.meta.dirname, '../../test-results/screenshots');

const test = base.extend<{ machine: StandIn; server: Server }>({
  machine: async ({ browserName: _browserName }, use) => {
    const machine = standInSsh();
    await use(machine);
    machine.remove();
  },
  server: async ({ machine }, use) => {
    const environment = { COPYSCOPE_SSH: machine.environment['COPYSCOPE_SSH'] ?? '' };
    const server = new Server({ environment });
    execFileSync(process.execPath, [cli, 'host', 'add', 'gpu-box', '--yes'], {
      env: { ...machine.environment, COPYSCOPE_DATA: server.dataFolder },
      stdio: 'pipe',
    });
    await use(server);
    await server.stop();
  },
});

test.beforeEach(() => {
  const reason = whyNot('cpu');
  test.skip(reason !== null, reason ?? '');
});

test('a machine is listed, asked when it is picked, and runs the experiment', async ({ window, page, machine }) => {
  await window.open('Pinned source, second stream');
  await page.getByRole('combobox', { name: 'Engine' }).click();
  const option = page.getByRole('option', { name: /^gpu-box/ });
  await expect(option).toContainText('Picking it asks for its devices.');
  await option.click();
  // It has no GPU, and says so beside what it has.
  await page.getByRole('combobox', { name: 'Engine' }).click();
  await expect(page.getByRole('option', { name: /^gpu-box: CPU engine/ })).toBeVisible();
  for (const theme of ['light', 'dark'] as const) {
    await follow(page, theme);
    expect(await seriousProblems(page)).toEqual([]);
    await page.screenshot({ path: join(screenshots, `machines-${theme}.png`) });
  }
  await page.getByRole('option', { name: /^gpu-box: CPU engine/ }).click();
  await window.run();
  await expect(window.status).toContainText('of gpu-box');
  await expect(window.timeline.getByText('Measured', { exact: true })).toBeVisible();
  expect(machine.processes().length).toBeGreaterThan(0);
});

test('a machine that is lost says why in the words of ssh, and is there again', async ({ window, page, machine }) => {
  machine.fail('ssh: connect to host gpu-box port 22: No route to host\n');
  await window.open('Pinned source, second stream');
  await page.getByRole('combobox', { name: 'Engine' }).click();
  await page.getByRole('option', { name: /^gpu-box/ }).click();
  await page.getByRole('combobox', { name: 'Engine' }).click();
  await expect(page.getByRole('option', { name: /^gpu-box/ })).toContainText('No route to host');
  await page.keyboard.press('Escape');
  machine.fail(null);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.pickEngine(/^gpu-box/);
  await window.pickEngine(/^gpu-box: CPU engine/);
  await window.run();
  await expect(window.status).toContainText('of gpu-box');
});
