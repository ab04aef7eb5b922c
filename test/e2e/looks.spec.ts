/** Both themes: no serious accessibility problem in any view, and screenshots of each where COPYSCOPE_SCREENSHOTS is set. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { looksRight } from './support/looks.ts';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

const fixtures = join(import.meta.dirname, '../fixtures');

/** A sweep in which five points fail. */
async function sweepOf35(window: Window, page: Page): Promise<void> {
  await window.library.getByRole('button', { name: 'New sweep' }).click();
  await page.getByLabel('Tensor size').fill('16 MiB');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await page.getByRole('button', { name: 'Run 35 points' }).click();
  const progress = page.getByRole('region', { name: 'Progress of the sweep' });
  await expect(progress).toContainText('35 of 35 points, 5 failed', { timeout: 120_000 });
  await expect(page.getByTestId('chart')).toHaveAttribute('data-points', '35');
}

/** A real program's trace, once its lanes are there. */
async function openTrace(window: Window, name = 'vision.pageable'): Promise<void> {
  const file = `${name}.json.gz`;
  await window.openFile(file, readFileSync(join(fixtures, 'pytorch-pairs', file)));
  await expect(window.page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
}

/** The same, once its plan is worked out. */
async function openPlan(window: Window, page: Page): Promise<void> {
  await openTrace(window);
  await expect(page.getByRole('region', { name: 'Chosen changes' }).getByText(/→/)).toBeVisible();
}

const views: Readonly<Record<string, (window: Window, page: Page) => Promise<void>>> = {
  plan: openPlan,
  'before and after': async (window, page) => {
    await openPlan(window, page);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await expect(page.getByRole('article', { name: /^After: Pin/ })).toBeVisible();
  },
  'compare traces': async (window, page) => {
    await openTrace(window, 'vision.pinned');
    await openTrace(window);
    await page.getByRole('button', { name: 'Compare this run' }).click();
    await page.getByRole('menuitem', { name: /another run/ }).click();
    const pinned = page.getByRole('dialog').getByRole('checkbox', { name: /^vision\.pinned/ });
    await pinned.check();
    await page.keyboard.press('Escape');
    const table = page.getByRole('region', { name: 'Table of differences' });
    await expect(table.getByRole('row').nth(1)).toContainText('pageable and pinned');
  },
  record: async (_window, page) => {
    await page.getByRole('main').getByRole('button', { name: 'Record a program' }).click();
    await page.getByRole('textbox', { name: 'Command' }).fill('python train.py --epochs "1"');
    await expect(page.getByRole('list', { name: 'The words of the command' })).toContainText('train.py');
  },
  code: async (window, page) => {
    await window.open('Pinned source, second stream');
    await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
    const tools = page.getByRole('toolbar', { name: 'Score tools' });
    await tools.getByText('Code', { exact: true }).click();
    const program = page.getByRole('region', { name: 'Program' });
    await expect(program.locator('[data-selected]').first()).toBeVisible();
  },
  welcome: async () => {},
  experiment: async (window) => {
    await window.open('Pinned source, second stream');
  },
  run: async (window) => {
    await window.open('Pinned source, second stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await expect(window.verdict).toBeVisible();
  },
  remedy: async (window) => {
    await window.open('Event wait that the data needs');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await expect(window.verdict).toContainText('Predicted gain');
  },
  table: async (window) => {
    await window.open('Pinned source, second stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await window.show('Table');
  },
  notes: async (window, page) => {
    await window.open('Pinned source, second stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
    await page.keyboard.press('.');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('n');
    await page.keyboard.type('The kernel runs beside this copy.');
    await page.keyboard.press('Enter');
    await page.keyboard.press('w');
    await page.keyboard.press('w');
    await page.keyboard.press('.');
    await page.keyboard.press('m');
    await expect(window.timeline.getByRole('button', { name: 'Notes, 2' })).toBeVisible();
  },
  compare: async (window, page) => {
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await page.getByRole('button', { name: 'Run all four' }).click();
    await expect(page.getByRole('list', { name: 'Runs compared' }).getByRole('article')).toHaveCount(4);
    await expect(page.getByTestId('timeline-plot')).toHaveCount(4);
  },
  race: async (window) => {
    await window.open('Pinned source changed in flight');
    await expect(window.inspector.getByRole('article', { name: /^Hazard: / })).toBeVisible();
  },
  failed: async (window) => {
    await window.open('Pinned source, second stream');
    await window.openFile('broken.arrow', Buffer.alloc(100));
    await expect(window.alerts.first()).toBeVisible();
  },
  json: async (window, page) => {
    await window.open('Pinned source, second stream');
    await page.getByText('JSON', { exact: true }).click();
    const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
    await json.fill((await json.inputValue()).replace('"side"', '"other"'));
    await expect(page.getByRole('button', { name: /^Line/ }).first()).toBeVisible();
  },
  charts: async (_window, page) => {
    await page.getByRole('button', { name: 'Charts', exact: true }).click();
    await expect(page.getByTestId('chart')).toHaveCount(2);
    await expect(page.getByTestId('chart').last().locator('svg')).toContainText('limit of the PCIe link');
  },
  sweep: async (window, page) => {
    await sweepOf35(window, page);
  },
  'sweep table': async (window, page) => {
    await sweepOf35(window, page);
    await page.getByRole('figure').getByText('Table', { exact: true }).click();
    await expect(page.getByRole('figure').getByRole('row')).toHaveCount(36);
  },
  lessons: async (_window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await expect(page.getByRole('button', { name: /The four cases/ })).toBeVisible();
  },
  'lesson answered': async (window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: /The four cases/ }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('radio').first().click();
    await page.getByRole('button', { name: 'Answer, and run it' }).click();
    await page.getByText('Recorded: NVIDIA H200', { exact: true }).click();
    await expect(window.timeline.getByText('Recorded', { exact: true })).toBeVisible();
  },
  glossary: async (_window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: 'Glossary' }).click();
    await expect(page.getByRole('article').first()).toBeVisible();
  },
  'several selected': async (window, page) => {
    await window.library.getByRole('button', { name: 'New experiment' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'New experiment' })).toBeVisible();
    await window.library.getByRole('button', { name: 'Select several' }).click();
    await window.library.getByRole('button', { name: 'All', exact: true }).click();
  },
  commands: async (window, page) => {
    await window.open('Pinned source, second stream');
    await page.keyboard.press('Control+k');
    await expect(page.getByLabel('Search commands')).toBeFocused();
  },
  keys: async (window, page) => {
    await window.open('Pinned source, second stream');
    await page.keyboard.press('?');
    await expect(page.getByRole('dialog')).toBeVisible();
  },
};

for (const [name, prepare] of Object.entries(views)) {
  test(`${name}: no serious accessibility problem in either theme`, async ({ window, page }) => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await prepare(window, page);
    await page.mouse.move(640, 710);
    await looksRight(page, name);
  });
}
