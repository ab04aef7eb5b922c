import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNot } from './support/engines.ts';
import { expect, testOfProcess as test, testWith } from './support/test.ts';

const root = join(import.meta.dirname, '../..');
const exampleFile = join(root, 'assets/examples/overlap/pinned-side-stream.json');
const example = JSON.parse(readFileSync(exampleFile, 'utf8'));

/** A run whose partial record arrives after half a second of 40 ms iterations; then the engine process is lost. */
const lostAtPartial = {
  ...example,
  name: 'fault:partial',
  environment: { ...example.environment, iterations: 100, warmups: 0 },
  threads: [{ id: 'main', operations: [{ op: 'work', durationNs: 40_000_000, label: 'prepare' }] }],
};

const cpuProblem = whyNot('cpu');

const withFaults = testWith(() => ({ COPYSCOPE_TEST_FAULTS: '1' }));

withFaults(
  'a run that is lost while it is recorded opens with the lanes that there are, and says that they are partial',
  async ({ server, window, page }) => {
    test.skip(cpuProblem !== null, cpuProblem ?? '');
    server.addExperiment('lost', lostAtPartial);
    await page.reload();
    await window.ready();
    await window.open(lostAtPartial.name);
    await window.pickEngine(/^CPU engine/);
    await window.runButton.click();
    const failed = window.runs.filter({ hasText: lostAtPartial.name });
    await expect(failed).toContainText('failed');
    await failed.getByRole('button').first().click();
    await expect(window.timeline.getByRole('heading', { name: 'Partial' })).toBeVisible();
    await expect(page.getByText('This run is partial')).toBeVisible();
    await expect(page.getByText(/ended by signal SIGKILL/).first()).toBeVisible();
    await expect.poll(() => window.lanes()).toContain('main');
  },
);
