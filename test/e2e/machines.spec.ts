/** Another machine in the window, behind a stand-in for ssh: listed, asked, run on, lost, in both themes. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { buildRecorder, noRecorder, player, standInEnvironment } from '../support/recorder.ts';
import { enginesOf, type StandIn } from '../system/machines/support/standInSsh.ts';
import { whyNot } from './support/engines.ts';
import { looksRight } from './support/looks.ts';
import { addTo, bare, expect, test } from './support/machine.ts';
import { Server } from './support/server.ts';

const example = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../assets/examples/overlap/pinned-side-stream.json'), 'utf8'),
);
const works = {
  ...example,
  name: 'Works there',
  environment: { ...example.environment, iterations: 10, warmups: 0 },
  threads: [{ id: 'main', operations: [{ op: 'work', durationNs: 1_000_000 }] }],
};

/** For what takes seconds, or is tried again after up to 48. It only ends what hangs. */
const seconds = { timeout: 120_000 };

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
  await looksRight(page, 'machines');
  await page.getByRole('option', { name: /^gpu-box: CPU engine/ }).click();
  await window.run();
  await expect(window.status).toContainText('of gpu-box');
  await expect(window.timeline.getByText('Measured', { exact: true })).toBeVisible();
  expect(machine.processes().length).toBeGreaterThan(0);
});

const listed = (page: Page) => {
  const region = page.getByRole('region', { name: 'Other machines', exact: true });
  return { region, card: (name: string) => region.getByRole('region', { name, exact: true }) };
};

bare(
  'by keyboard: a machine is added after what that does was said, runs, and is removed',
  async ({ window, page }) => {
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('textbox', { name: 'Search commands' })).toBeFocused();
    await page.keyboard.insertText('Other machines');
    await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('Other machines');
    await page.keyboard.press('Enter');
    const { region, card } = listed(page);
    await expect(page).toHaveTitle('Other machines · Copyscope');
    await expect(region.getByRole('heading', { name: 'No other machine is set up' })).toBeVisible();
    await looksRight(page, 'machines-none');
    await region.getByRole('textbox', { name: 'Machine' }).focus();
    await page.keyboard.insertText('gpu-box');
    await page.keyboard.press('Enter');
    const plan = region.getByRole('region', { name: 'What setting up gpu-box does' });
    await expect(plan).toContainText('will be copied into ~/.local/share/copyscope-host of your user there.');
    await expect(plan.getByRole('button', { name: 'Set it up' })).toBeFocused();
    await looksRight(page, 'machines-plan');
    await page.keyboard.press('Enter');
    await expect(card('gpu-box')).toContainText('Connected', seconds);
    await expect(card('gpu-box').getByRole('list', { name: 'Devices and engines' })).toContainText('CPU engine');
    await looksRight(page, 'machines-list');
    await card('gpu-box').getByRole('button', { name: 'Fetch results' }).press('Enter');
    await expect(card('gpu-box')).toContainText('No result waited there.');
    const remove = card('gpu-box').getByRole('button', { name: 'Remove…' });
    await expect(remove).toBeEnabled();
    await remove.press('Enter');
    const question = page.getByRole('dialog', { name: 'Remove gpu-box?' });
    await expect(question.getByRole('button', { name: 'Keep it' })).toBeFocused();
    await question.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
    await expect(card('gpu-box')).toHaveCount(0);
    await expect(window.status).toBeVisible();
  },
);

bare('another version there is told, and replaced', async ({ page, window: _window, machine }) => {
  const other = join(machine.home, '.local/share/copyscope-host/programs/0.0.9-0123456789ab');
  mkdirSync(other, { recursive: true });
  writeFileSync(join(other, 'start'), '');
  await page.keyboard.press('Alt+m');
  const { region, card } = listed(page);
  await region.getByRole('textbox', { name: 'Machine' }).fill('gpu-box');
  await page.keyboard.press('Enter');
  await expect(region.getByRole('alert')).toContainText('gpu-box has Copyscope 0.0.9-0123456789ab');
  await region.getByRole('button', { name: 'Look what replacing it takes' }).click();
  await expect(region).toContainText('Build 0.0.9-0123456789ab there will be deleted.');
  await region.getByRole('button', { name: 'Set it up' }).click();
  await expect(card('gpu-box')).toContainText('Connected', seconds);
});

/** The process there that executes runs. */
function engineOf({ home }: StandIn): number {
  const [engine, ...others] = enginesOf(home);
  if (engine === undefined || others.length > 0) throw new Error('expected exactly one engine process');
  return engine;
}

/** Notes of the runs that go on there. */
function jobsOf({ home }: StandIn): string[] {
  const folder = join(home, '.local/share/copyscope-host/jobs');
  return (existsSync(folder) ? readdirSync(folder) : []).filter((job) => existsSync(join(folder, job, 'meta.json')));
}

test('a run whose line is lost goes on there, and its result comes when the line is back', async ({
  window,
  page,
  machine,
  server,
}) => {
  server.addExperiment('works', works);
  await page.reload();
  await window.ready();
  await window.open(works.name);
  await window.pickEngine(/^gpu-box/);
  await window.pickEngine(/^gpu-box: CPU engine/);
  // It has answered, and stands still in the middle of the run, until the line is back.
  const engine = engineOf(machine);
  process.kill(engine, 'SIGSTOP');
  await window.runButton.click();
  await expect.poll(() => jobsOf(machine)).toHaveLength(1);
  machine.fail('ssh: connect to host gpu-box port 22: Connection timed out\n');
  machine.cut();
  await expect(page.getByText('No line to gpu-box: it goes on there')).toBeVisible();
  await page.keyboard.press('Alt+m');
  const { card } = listed(page);
  await expect(card('gpu-box')).toContainText('There is no line, and this goes on there.');
  await expect(card('gpu-box')).toContainText(/No line/);
  await looksRight(page, 'machines-lost');
  process.kill(engine, 'SIGCONT');
  machine.fail(null);
  await expect(card('gpu-box')).toContainText('Connected', seconds);
  await expect(card('gpu-box')).not.toContainText('goes on there');
  await window.runs.first().getByRole('button').first().click();
  await expect(window.status).toContainText('of gpu-box');
});

const recorder = bare.extend({
  server: async ({ machine }, use) => {
    const standIn = standInEnvironment(buildRecorder());
    const server = new Server({
      environment: { COPYSCOPE_SSH: machine.environment['COPYSCOPE_SSH'] ?? '', ...standIn },
    });
    addTo(machine, server);
    await use(server);
    await server.stop();
  },
});

recorder(
  'a program of that machine is recorded there, also where the line drops',
  async ({ window, page, machine }) => {
    recorder.skip(noRecorder !== null, noRecorder ?? '');
    await page.keyboard.press('Alt+r');
    await page.getByRole('combobox', { name: 'Machine' }).selectOption('gpu-box');
    await page
      .getByRole('textbox', { name: 'Command' })
      .fill(`sh -c 'mkfifo go; ${player(buildRecorder())} 1 40 > /dev/null; pwd; read go < go'`);
    await expect(page.getByText('copyscope record --host gpu-box -- sh -c')).toBeVisible();
    await page.getByRole('button', { name: 'Record', exact: true }).click();
    const card = page.getByRole('region', { name: 'Recording of sh' });
    await expect(card).toContainText('Recording sh on gpu-box');
    await expect(card).toContainText(machine.home);
    machine.fail('ssh: connect to host gpu-box port 22: Connection timed out\n');
    machine.cut();
    await expect(card).toContainText('There is no line to gpu-box: the program goes on there');
    await looksRight(page, 'machines-record');
    machine.fail(null);
    await writeFile(join(machine.home, 'go'), 'go\n');
    await expect(page.getByRole('heading', { level: 1, name: 'sh' })).toBeVisible(seconds);
    await expect(window.status).toContainText('of gpu-box');
  },
);
