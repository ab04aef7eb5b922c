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

/** The results of one who has answered a question, as the window exports them. */
async function resultsOf(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  await page.getByRole('radio').first().click();
  await page.getByRole('button', { name: 'Answer, and run it' }).click();
  await page.getByRole('button', { name: 'All lessons' }).click();
  await page.getByRole('button', { name: 'Export my results' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file' }).click(),
  ]);
  return readFileSync(await download.path(), 'utf8');
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
  'trace by name': async (window) => {
    await openTrace(window);
    await window.show('Table');
    await window.timeline.getByText('By name', { exact: true }).click();
    await expect(window.timeline.getByRole('cell').first()).toBeVisible();
  },
  'colours by name': async (window, page) => {
    await openTrace(window);
    await window.timeline.getByRole('button', { name: 'Lanes', exact: true }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Colour by name' }).click();
    await expect(window.timeline.getByRole('list', { name: 'Legend' })).toContainText('Memcpy HtoD');
  },
  'filter of lanes': async (window, page) => {
    await openTrace(window);
    await window.timeline.getByRole('button', { name: 'Filter lanes' }).click();
    await page.getByRole('textbox', { name: 'Lanes with' }).fill('H2D engine');
    await expect(page.getByRole('dialog', { name: 'Filter lanes' })).toContainText('1 of 7 lanes');
  },
  'search in lanes': async (window, page) => {
    await openTrace(window);
    await page.keyboard.press('/');
    await page.keyboard.type('memcpy');
    await expect(window.timeline.getByRole('status', { name: /matches/ })).toBeVisible();
  },
  'save lanes': async (window, page) => {
    await openTrace(window);
    await window.timeline.getByRole('button', { name: 'Save the lanes' }).click();
    await expect(page.getByRole('menuitem', { name: 'Report of the run (HTML)' })).toBeVisible();
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
  'code beside': async (window, page) => {
    await window.open('Pinned source, second stream');
    const tools = page.getByRole('toolbar', { name: 'Score tools' });
    await tools.getByRole('button', { name: 'Code beside the score' }).click();
    await expect(page.getByRole('region', { name: 'Program' })).toContainText('cuda');
  },
  'add an operation': async (window, page) => {
    await window.library.getByRole('button', { name: 'New experiment' }).click();
    await page.getByTestId('score-sheet').locator('[data-cursor]').focus();
    await page.keyboard.press('a');
    await page.getByRole('textbox', { name: 'Add an operation or a template' }).fill('copy 64 MB pinned in side');
    await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('64 MB');
  },
  'former makespan': async (window, page) => {
    await window.open('Pinned source, second stream');
    await window.timeline.getByTestId('timeline-plot').waitFor();
    await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
    await window.inspector.getByLabel('Stream', { exact: true }).selectOption('default');
    await expect(window.timeline.getByText(/^before/)).toBeVisible();
  },
  'sweep over names': async (window, page) => {
    await window.library.getByRole('button', { name: 'New sweep' }).click();
    await page.getByLabel('Program').selectOption({ label: 'Pinned source, second stream' });
    await page.getByRole('button', { name: 'Vary something else too' }).click();
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await page.getByRole('button', { name: 'Run 10 points' }).click();
    const progress = page.getByRole('region', { name: 'Progress of the sweep' });
    await expect(progress).toContainText('complete', { timeout: 120_000 });
    await page.getByLabel('Metric').selectOption('H2D rate of the program');
    await expect(page.getByTestId('chart').locator('svg')).toContainText('copy engine');
  },
  'more about a run': async (window, page) => {
    await window.open('Pinned source, second stream');
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await window.run();
    await window.library.getByRole('button', { name: 'More about Pinned source, second stream' }).first().click();
    await expect(page.getByRole('menuitem', { name: 'Report (HTML)' })).toBeVisible();
  },
  'export of results': async (_window, page) => {
    await page.getByRole('button', { name: 'Lessons', exact: true }).click();
    await page.getByRole('button', { name: 'Export my results' }).click();
    await expect(page.getByRole('button', { name: 'Save the file' })).toBeVisible();
  },
  'results of a class': async (_window, page) => {
    const own = JSON.parse(await resultsOf(page)) as object;
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      page.getByRole('button', { name: 'Collect results' }).click(),
    ]);
    const file = (name: string) => ({
      name: `${name}.json`,
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify({ ...own, name })),
    });
    await chooser.setFiles([file('Ada'), file('Grace')]);
    await expect(page.getByRole('dialog').getByRole('cell').first()).toBeVisible();
  },
  'lesson with code': async (_window, page) => {
    await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
    await page.getByRole('button', { name: /^Step 2/ }).click();
    const tools = page.getByRole('toolbar', { name: 'Score tools' });
    await tools.getByRole('button', { name: 'Code beside the score' }).click();
    await expect(page.getByRole('region', { name: 'Program' })).toContainText('cuda');
  },
  'run that is not here': async (_window, page) => {
    await page.goto(`${page.url().split('#')[0]}#/run/none`);
    await expect(page.getByText('This run is not here')).toBeVisible();
  },
  'theme menu': async (_window, page) => {
    await page.getByRole('button', { name: /^Theme/ }).click();
    await expect(page.getByRole('menuitem', { name: 'Dark' })).toBeVisible();
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

for (const [name, prepare] of Object.entries(views)) {
  test(`${name}: no serious accessibility problem in either theme`, async ({ window, page }) => {
    await page.setViewportSize({ width: 1280, height: 720 });
    await prepare(window, page);
    await page.mouse.move(640, 710);
    await looksRight(page, name);
  });
}
