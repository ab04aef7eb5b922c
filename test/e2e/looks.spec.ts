/** Both themes: no serious accessibility problem, and a screenshot of each view for people to look at. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { follow, seriousProblems } from './support/looks.ts';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

const fixtures = join(import.meta.dirname, '../fixtures');
const screenshots = join(import.meta.dirname, '../../test-results/screenshots');

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

/** A real program's trace, once its plan is worked out. */
async function openPlan(window: Window, page: Page): Promise<void> {
  const file = 'vision.pageable.json.gz';
  await window.openFile(file, readFileSync(join(fixtures, 'pytorch-pairs', file)));
  await expect(page.getByRole('region', { name: 'Chosen changes' }).getByText(/→/)).toBeVisible();
}

const views: Readonly<Record<string, (window: Window, page: Page) => Promise<void>>> = {
  plan: openPlan,
  'before and after': async (window, page) => {
    await openPlan(window, page);
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await expect(page.getByRole('article', { name: /^After: Pin/ })).toBeVisible();
  },
  'lifted experiment': async (window, page) => {
    await openPlan(window, page);
    await page.getByRole('button', { name: 'Edit as experiment' }).click();
    await expect(
      page.getByRole('region', { name: 'Score' }).getByRole('button', { name: /^H2D/ }).first(),
    ).toBeVisible();
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
  engines: async (window, page) => {
    await window.open('Same stream');
    await window.engine.click();
    await expect(page.getByRole('option', { name: /RTX 4090/ })).toBeVisible();
  },
  'missed overlap': async (window, page) => {
    await window.open('Pageable source, same stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await page.keyboard.press('.');
    await expect(window.inspector).toContainText('Numbers');
  },
  table: async (window) => {
    await window.open('Pinned source, second stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await window.show('Table');
  },
  lanes: async (window, page) => {
    await window.open('Pinned source changed in flight');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
    const lane = (name: RegExp) => window.timeline.getByRole('button', { name });
    await lane(/^main\s*,/).focus();
    await page.keyboard.press('p');
    await lane(/^legacy default\s*,/).press('c');
    await lane(/^H2D engine\s*,/).press('g');
    await lane(/^H2D link\s*,/).press('h');
    await page.keyboard.press('.');
    await page.keyboard.press('n');
    await page.keyboard.type('The source changes while it is read.');
    await page.keyboard.press('Enter');
    await lane(/^legacy default\s*,/).click({ button: 'right' });
    await expect(page.getByRole('menu')).toBeVisible();
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
  'compare prediction': async (window, page) => {
    const recorded = window.runs.filter({ hasText: 'Recorded' }).filter({ hasText: 'Pinned source, second stream' });
    await recorded.first().getByRole('button').first().click();
    await page.getByRole('button', { name: 'Compare this run' }).click();
    await page.getByRole('menuitem', { name: 'Predicted against recorded' }).click();
    await expect(page.getByRole('region', { name: 'Table of differences' }).getByRole('row')).toHaveCount(8);
  },
  'compare lanes': async (window, page) => {
    await page.getByRole('banner').getByRole('button', { name: 'Compare', exact: true }).click();
    await page.getByText('Lanes', { exact: true }).click();
    await expect(window.library).toBeVisible();
    await page.getByRole('button', { name: 'Choose runs' }).click();
    await expect(page.getByRole('dialog').getByRole('checkbox', { checked: true })).toHaveCount(4);
  },
  recorded: async (window) => {
    const recorded = window.runs.filter({ hasText: 'Recorded' }).filter({ hasText: 'Pageable source, second stream' });
    await recorded.first().getByRole('button').first().click();
    await expect(window.status).toContainText('recorded on');
    await expect(window.verdict).toBeVisible();
  },
  race: async (window) => {
    await window.open('Pinned source changed in flight');
    await expect(window.inspector.getByRole('article', { name: /^Hazard: / })).toBeVisible();
  },
  'relay over two GPUs': async (window, page) => {
    await window.openFile('relay.arrow', readFileSync(join(fixtures, 'runs/relay-two-gpus.arrow')));
    await expect(window.status).toContainText('recorded on');
    await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
    await expect(window.inspector.getByRole('combobox', { name: 'Relay' })).toBeVisible();
  },
  failed: async (window) => {
    await window.open('Pinned source, second stream');
    await window.openFile('broken.arrow', Buffer.alloc(100));
    await expect(window.alerts.first()).toBeVisible();
  },
  build: async (window, page) => {
    await window.open('Strategy B: one stream for each step');
    await page.getByText('Build', { exact: true }).click();
    await page.getByTestId('score-sheet').locator('[data-op="3"]').click();
    await page.keyboard.press('Control+d');
    await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  },
  'nothing to compare': async (_window, page) => {
    await page.goto(`${page.url().split('#')[0]}#/compare/`);
    await expect(page.getByText('Nothing to compare yet')).toBeVisible();
  },
  'empty page': async (window, page) => {
    await window.library.getByRole('button', { name: 'New experiment' }).click();
    await page.getByText('Build', { exact: true }).click();
    await page.getByRole('button', { name: 'Add a buffer' }).click();
    await expect(window.inspector.getByLabel('Memory')).toBeVisible();
  },
  'copy many tensors': async (window, page) => {
    await window.library.getByRole('button', { name: 'New experiment' }).click();
    await page.getByTestId('score-sheet').locator('[data-cursor]').focus();
    await page.keyboard.press('a');
    await expect(page.getByRole('textbox', { name: 'Add an operation or a template' })).toBeFocused();
    await page.keyboard.insertText('Copy many tensors');
    await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('Copy many tensors');
    await page.keyboard.press('Enter');
    await expect(window.inspector.getByLabel('Slot size')).toBeVisible();
  },
  json: async (window, page) => {
    await window.open('Pinned source, second stream');
    await page.getByText('JSON', { exact: true }).click();
    const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
    await json.fill((await json.inputValue()).replace('"side"', '"other"'));
    await expect(page.getByRole('button', { name: /^Line/ }).first()).toBeVisible();
  },
  'run charts': async (window) => {
    await window.open('Pinned source, second stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await window.timeline.getByText('Charts', { exact: true }).click();
    await expect(window.timeline.getByTestId('chart').first().locator('svg text').first()).toBeVisible();
  },
  charts: async (_window, page) => {
    await page.getByRole('button', { name: 'Charts', exact: true }).click();
    await expect(page.getByTestId('chart')).toHaveCount(2);
    await expect(page.getByTestId('chart').last().locator('svg')).toContainText('limit of the PCIe link');
  },
  'new sweep': async (window, page) => {
    await window.library.getByRole('button', { name: 'New sweep' }).click();
    await expect(page.getByRole('button', { name: 'Run 35 points' })).toBeVisible();
  },
  sweep: async (window, page) => {
    await sweepOf35(window, page);
  },
  'sweep deleted': async (window, page) => {
    await sweepOf35(window, page);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'with its 30 runs' })).toBeVisible();
  },
  'typed before': async (window, page) => {
    await window.open('Pinned source, second stream');
    await page.getByRole('button', { name: 'Experiment settings' }).click();
    await window.inspector.getByLabel('Iterations').fill('2x');
    await page.reload();
    await expect(window.inspector.getByLabel('Iterations')).toHaveValue('2x');
  },
  'sweep lines': async (window, page) => {
    await sweepOf35(window, page);
    await page.getByLabel('Metric').selectOption('H2D bandwidth');
    await page.getByText('Lines', { exact: true }).click();
    await expect(page.getByTestId('chart').locator('svg')).toContainText('limit of the PCIe link');
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
  'lesson question': async (window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: /The four cases/ }).click();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.getByRole('radio').first().click();
    await expect(window.timeline).toBeHidden();
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
  'lesson with wrong bytes': async (window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: /Changing a source in flight/ }).click();
    await page.getByRole('radio').first().click();
    await page.getByRole('button', { name: 'Answer, and run it' }).click();
    await page.getByText('Recorded: NVIDIA H200', { exact: true }).click();
    await expect(window.timeline.getByText('Recorded', { exact: true })).toBeVisible();
    await page.getByRole('region', { name: 'What arrived' }).scrollIntoViewIfNeeded();
  },
  'lesson recorded on two GPUs': async (window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: /Two GPUs, one thread or two/ }).click();
    await page.getByRole('button', { name: /^Step 2/ }).click();
    await page.getByText('Recorded: NVIDIA H200', { exact: true }).click();
    await expect(window.timeline.getByText('Recorded', { exact: true })).toBeVisible();
    await expect(page.getByRole('columnheader', { name: 'Recorded' }).first()).toBeVisible();
  },
  'lesson task': async (window, page) => {
    await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
    await page.getByRole('button', { name: /^Step 3/ }).click();
    await page.getByRole('button', { name: 'Give me a hint' }).click();
    await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
    await window.inspector.getByLabel('Stream', { exact: true }).selectOption('side');
    await expect(page.getByText('All checks hold.', { exact: true })).toBeVisible();
  },
  'lesson figure': async (_window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: /Six ways to copy large tensors/ }).click();
    await page.getByRole('button', { name: /^Step 3/ }).click();
    await page.getByRole('figure').scrollIntoViewIfNeeded();
    await expect(page.getByRole('columnheader', { name: 'Simulated' }).first()).toBeVisible();
  },
  presenting: async (_window, page) => {
    await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
    await page.getByRole('button', { name: 'Present' }).click();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await expect(page.getByRole('columnheader', { name: 'Simulated' }).first()).toBeVisible();
  },
  glossary: async (_window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: 'Glossary' }).click();
    await expect(page.getByRole('article').first()).toBeVisible();
  },
  recent: async (window, page) => {
    await window.open('Pinned source, second stream');
    await window.open('Pageable source, same stream');
    await page.getByRole('button', { name: 'Copyscope', exact: true }).click();
    await expect(page.getByRole('region', { name: 'Recent' })).toBeVisible();
  },
  filter: async (window, page) => {
    await window.library.getByRole('button', { name: 'Filter and sort' }).click();
    await page.getByRole('dialog', { name: 'Filter and sort' }).getByText('Recorded', { exact: true }).click();
    await expect(window.runs.first()).toContainText('Recorded');
  },
  'nothing matches': async (window) => {
    await window.library.getByRole('textbox', { name: 'Search the library' }).fill('no such thing');
    await expect(window.library.getByText('Nothing in the library matches.')).toBeVisible();
  },
  'several selected': async (window, page) => {
    await window.library.getByRole('button', { name: 'New experiment' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'New experiment' })).toBeVisible();
    await window.library.getByRole('button', { name: 'Select several' }).click();
    await window.library.getByRole('button', { name: 'All', exact: true }).click();
  },
  deleted: async (window, page) => {
    await window.library.getByRole('button', { name: 'New experiment' }).click();
    const own = window.library.getByRole('region', { name: 'Experiments' }).getByRole('listitem');
    await own.getByRole('button').first().focus();
    await page.keyboard.press('Delete');
    await expect(page.getByRole('button', { name: 'Undo', exact: true }).last()).toBeVisible();
  },
  rename: async (window, page) => {
    await window.library.getByRole('button', { name: 'New experiment' }).click();
    const own = window.library.getByRole('region', { name: 'Experiments' }).getByRole('listitem');
    await own.getByRole('button').first().focus();
    await page.keyboard.press('F2');
    await expect(page.getByRole('dialog', { name: 'Rename' })).toBeVisible();
  },
  'reading a file': async (_window, page) => {
    await page.evaluate(() => {
      // The disk gives three parts of ten, and then takes for ever: the look is of the middle.
      const { arrayBuffer } = Blob.prototype;
      let parts = 0;
      Blob.prototype.arrayBuffer = function () {
        parts += 1;
        return parts <= 3 ? arrayBuffer.call(this) : new Promise(() => {});
      };
      const chunk = new TextEncoder().encode(' '.repeat(4 << 20));
      const data = new DataTransfer();
      data.items.add(new File(Array(10).fill(chunk), 'large.json'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    const bar = page.getByRole('progressbar', { name: 'Reading large.json' });
    await expect(bar).toHaveAttribute('aria-valuenow', '30');
  },
  dropping: async (_window, page) => {
    await page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['{}'], 'a.json'));
      document.body.dispatchEvent(new DragEvent('dragenter', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await expect(page.getByText('Drop to open')).toBeVisible();
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

const themes = ['light', 'dark'] as const;
const [usual, large] = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
];

for (const [name, prepare] of Object.entries(views)) {
  test(`${name}: no serious accessibility problem in either theme, and screenshots`, async ({ window, page }) => {
    const shoot = async (theme: string, { width, height }: { width: number; height: number }) => {
      const file = `${name.replaceAll(' ', '-')}-${theme}-${width}x${height}.png`;
      await page.screenshot({ path: join(screenshots, file) });
    };
    await page.setViewportSize(usual);
    await prepare(window, page);
    await page.mouse.move(640, 710);
    const problems: Record<string, string[]> = {};
    for (const theme of themes) {
      await follow(page, theme);
      problems[theme] = await seriousProblems(page);
      await shoot(theme, usual);
    }
    await page.setViewportSize(large);
    for (const theme of themes) {
      await follow(page, theme);
      await shoot(theme, large);
    }
    expect(problems).toEqual({ light: [], dark: [] });
  });
}
