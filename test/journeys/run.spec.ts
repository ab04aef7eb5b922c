/** An experiment is opened, run on each available engine, and read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNot } from '../e2e/support/engines.ts';
import { expect, test } from '../e2e/support/test.ts';
import type { Window } from '../e2e/support/window.ts';

const example = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../assets/examples/overlap/pinned-side-stream.json'), 'utf8'),
);
const cpuProblem = whyNot('cpu');

/** A hundred seconds of spinning, so that tests can act in the middle. */
const longExperiment = {
  ...example,
  name: 'Long spin',
  environment: { ...example.environment, iterations: 200, warmups: 0 },
  threads: [
    {
      id: 'main',
      operations: [
        { op: 'kernel', kernel: { kind: 'spin', durationNs: 500_000_000 }, reads: [], writes: [], stream: 'default' },
        { op: 'synchronizeDevice' },
      ],
    },
  ],
};

test('the simulator runs an example, and the verdict names the cause, the rule and a remedy', async ({
  window,
  page,
}) => {
  await window.open('Same stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await expect(window.status).toContainText('H2D with kernel 0 % of kernel');
  await expect(window.status).toContainText('simulated on');
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect(window.verdict.getByRole('heading')).toHaveText('Same stream');
  await window.verdict.getByRole('button', { name: /^Rule:/ }).click();
  await expect(window.verdict).toContainText(/issue order/i);
  await window.verdict.getByRole('button', { name: /^Apply in a copy: Move "upload"/ }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Same stream' })).toBeVisible();
  await expect(window.verdict).toContainText('Overlapped');
});

test('the CPU engine runs an example, verifies every byte and calls it measured', async ({ window, page }) => {
  test.skip(cpuProblem !== null, cpuProblem ?? '');
  await window.open('Pinned source, second stream');
  await window.pickEngine(/^CPU engine/);
  await window.run();
  await expect(window.status).toContainText('measured on');
  await expect(window.status).toContainText('Data verified');
  await expect(window.inspector).toContainText(/Every byte of .* is right/);
  await expect(window.runs.first()).toContainText('Measured');
  await page.reload();
  await window.ready();
  await window.runs.first().getByRole('button').first().click();
  await expect(window.status).toContainText('Data verified');
});

async function startLongRun(window: Window): Promise<void> {
  await window.openFile('long.json', Buffer.from(JSON.stringify(longExperiment)));
  await window.pickEngine(/^CPU engine/);
  await window.runButton.click();
  await expect(window.page.getByRole('progressbar')).toBeVisible();
  await expect(window.cancelButton).toBeVisible();
}

test('a run is cancelled, and the next run works', async ({ window }) => {
  test.skip(cpuProblem !== null, cpuProblem ?? '');
  await startLongRun(window);
  await window.cancelButton.click();
  await expect(window.runs.filter({ hasText: 'Long spin' })).toContainText('cancelled');
  await window.open('Pinned source, second stream');
  await window.run();
  await expect(window.status).toContainText('Data verified');
});

test('a run whose engine process is killed is marked failed, and the next run works', async ({ window, server }) => {
  test.skip(cpuProblem !== null, cpuProblem ?? '');
  test.skip(process.platform === 'win32', 'finding the engine process needs ps');
  await startLongRun(window);
  const [engine, ...others] = server.enginePids();
  if (engine === undefined || others.length > 0) throw new Error('expected exactly one engine process');
  process.kill(engine, 'SIGKILL');
  const failed = window.runs.filter({ hasText: 'Long spin' });
  await expect(failed).toContainText('failed');
  await expect(window.status).toContainText('Connected');
  expect(server.isRunning()).toBe(true);
  await window.open('Pinned source, second stream');
  await window.run();
  await expect(window.status).toContainText('Data verified');
  expect(server.enginePids()).not.toContain(engine);
  // The run keeps the reason.
  await failed.getByRole('button').first().click();
  await expect(window.page.getByText(/ended by signal SIGKILL/).first()).toBeVisible();
});
