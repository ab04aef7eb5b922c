/**
 * Every view: no serious accessibility problem in either theme, and no control that a small window cuts off. With
 * COPYSCOPE_SCREENSHOTS=1 saves pictures of the views in test-results/screenshots.
 */
import axe from 'axe-core';
import { expect, it } from 'vitest';
import { commands } from 'vitest/browser';
import { useStarts } from '../../../renderer/store/connection/askBeforeStarts.ts';
import { openPage } from '../../../renderer/store/pages.ts';
import { showSide } from '../../../renderer/store/sidePanels.ts';
import { assign } from '../../../renderer/store/store.ts';
import {
  answerChooser,
  four,
  openExample,
  openTrace,
  openWorkbench,
  page,
  pickEngine,
  press,
  type,
  type Workbench,
} from '../support/workbench.tsx';

const overlapped = 'overlap/pinned-side-stream';
const progress = () => page.getByRole('region', { name: 'Progress of the sweep' });

async function simulated(id = overlapped): Promise<Workbench> {
  const window = await openExample(id);
  await pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  return window;
}

async function openPlan(): Promise<void> {
  await openTrace('vision.pageable');
  await expect.element(page.getByRole('region', { name: 'Chosen changes' }).getByText(/→/)).toBeVisible();
}

/** Runs a sweep in which five points fail. */
async function sweepOf35(): Promise<void> {
  await openWorkbench({ page: { kind: 'sweep-setup' } });
  await page.getByLabelText('Tensor size').fill('16 MiB');
  await page.getByRole('button', { name: 'Run 35 points' }).click();
  await expect.element(progress()).toHaveTextContent('35 of 35 points, 5 failed');
  await expect.element(page.getByTestId('chart')).toHaveAttribute('data-points', '35');
}

async function openLessons(): Promise<void> {
  await openWorkbench({ recorded: four, examples: four });
  await page.getByRole('button', { name: 'Lessons', exact: true }).click();
}

const openLesson = (step = 0): Promise<Workbench> =>
  openWorkbench({ recorded: ['lessons/first-overlap'], page: { kind: 'lesson', id: 'first-overlap', step } });

/** Opens the library with an experiment of one's own. */
async function openOwn(): Promise<Workbench> {
  const window = await openWorkbench();
  await window.library.getByRole('button', { name: 'New experiment' }).click();
  await expect.element(page.getByRole('heading', { level: 1, name: 'New experiment' })).toBeVisible();
  await page.getByText('Library', { exact: true }).click();
  return window;
}

async function building(): Promise<Workbench> {
  const window = await simulated();
  await page.getByText('Build', { exact: true }).click();
  return window;
}

/** Opens a view, and presses the button that shows something with the role. */
function pressed(open: () => Promise<unknown>, name: string | RegExp, shows: string): () => Promise<void> {
  return async () => {
    await open();
    await page.getByRole('button', { name, exact: true }).first().click();
    await expect.element(page.getByRole(shows).first()).toBeVisible();
  };
}

const views: Readonly<Record<string, () => Promise<unknown>>> = {
  plan: openPlan,
  'before and after': async () => {
    await openPlan();
    await page.getByRole('button', { name: 'Try', exact: true }).click();
    await expect.element(page.getByRole('article', { name: /^After: Pin/ })).toBeVisible();
  },
  'compare traces': async () => {
    await openTrace('vision.pageable', 'vision.pinned');
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    await expect.element(page.getByText(/^Made between A and B/)).toBeVisible();
  },
  record: async () => {
    await openWorkbench();
    await page.getByRole('main').getByRole('button', { name: 'Record a program' }).click();
    await page.getByRole('textbox', { name: 'Command' }).fill('python train.py --epochs "1"');
    await expect.element(page.getByRole('list', { name: 'The words of the command' })).toHaveTextContent(/train\.py/);
  },
  code: async () => {
    const { block, tools } = await openExample(overlapped);
    await block(0).click();
    await tools.getByText('Code', { exact: true }).click();
    await expect.element(page.getByRole('region', { name: 'Program' }).css('[data-selected]').first()).toBeVisible();
  },
  welcome: () => openWorkbench({ recorded: four, examples: four }),
  experiment: () => openExample(overlapped),
  run: async () => {
    const { verdict } = await simulated();
    await expect.element(verdict).toBeVisible();
  },
  'two runs': async () => {
    await (await simulated()).run();
    await expect.element(page.getByRole('combobox', { name: 'Run shown' })).toBeVisible();
  },
  remedy: async () => {
    const { verdict } = await simulated('verdicts/event-needed');
    await expect.element(verdict).toHaveTextContent('Predicted gain');
  },
  table: async () => {
    const { timeline } = await simulated();
    await timeline.getByText('Table', { exact: true }).click();
    await expect.element(timeline.getByRole('table')).toBeVisible();
  },
  notes: async () => {
    const { timeline, plot } = await simulated();
    (plot.element() as HTMLElement).focus();
    await press('.', 'ArrowDown', 'n');
    await type('The kernel runs during this copy.');
    await press('Enter', 'w', 'w', '.', 'm');
    await expect.element(timeline.getByRole('button', { name: 'Notes, 2' })).toBeVisible();
  },
  compare: async () => {
    await openWorkbench({ recorded: four, examples: four, page: { kind: 'compare' } });
    await pickEngine(/^Simulated: NVIDIA H200/);
    await page.getByRole('button', { name: 'Run all four' }).click();
    await expect.poll(() => page.getByTestId('timeline-plot').elements().length).toBe(4);
  },
  'operations compared': pressed(
    () => openWorkbench({ recorded: four, examples: four, page: { kind: 'compare' } }),
    'Columns',
    'checkbox',
  ),
  'runs to compare': pressed(
    () => openWorkbench({ recorded: four, examples: four, page: { kind: 'compare' } }),
    'Choose runs',
    'dialog',
  ),
  'runs to chart': pressed(
    () => openWorkbench({ recorded: four, examples: four, page: { kind: 'charts' } }),
    'Choose runs',
    'dialog',
  ),
  'filter of the lanes': pressed(simulated, 'Filter lanes', 'dialog'),
  repeats: () => openExample('lessons/launch-queue'),
  race: async () => {
    const { inspector } = await openExample('races/changed-source-pinned');
    await expect.element(inspector.getByRole('article', { name: /^Hazard: / })).toBeVisible();
  },
  failed: async () => {
    await openExample(overlapped);
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([new Uint8Array(100)], 'broken.arrow'));
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    await expect.element(page.getByRole('alert').first()).toBeVisible();
  },
  json: async () => {
    const { tools } = await openExample(overlapped);
    await tools.getByText('JSON', { exact: true }).click();
    const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
    await json.fill((json.element() as HTMLTextAreaElement).value.replace('"side"', '"other"'));
    await expect.element(page.getByRole('button', { name: /^Line/ }).first()).toBeVisible();
  },
  charts: async () => {
    await openWorkbench({ recorded: four, examples: four, page: { kind: 'charts' } });
    await expect.element(page.getByTestId('chart').last().css('svg')).toHaveTextContent('limit of the PCIe link');
  },
  'new sweep': async () => {
    await openWorkbench({ page: { kind: 'sweep-setup' } });
    await expect.element(page.getByRole('button', { name: 'Run 35 points' })).toBeVisible();
  },
  sweep: sweepOf35,
  'sweep table': async () => {
    await sweepOf35();
    await page.getByRole('figure').getByText('Table', { exact: true }).click();
    await expect.poll(() => page.getByRole('figure').getByRole('row').elements().length).toBe(36);
  },
  lessons: async () => {
    await openLessons();
    await expect.element(page.getByRole('button', { name: /The four cases/ })).toBeVisible();
  },
  'lesson answered': async () => {
    await openLessons();
    await page.getByRole('button', { name: /The four cases/ }).click();
    await page.getByRole('button', { name: 'Next', exact: true }).click();
    await page.getByRole('radio').first().click();
    await page.getByRole('button', { name: 'Answer, and run it' }).click();
    await page.getByText('Recorded: NVIDIA H200', { exact: true }).click();
    await expect
      .element(page.getByRole('region', { name: 'Timeline' }).getByText('Recorded', { exact: true }))
      .toBeVisible();
  },
  glossary: async () => {
    await openLessons();
    await page.getByRole('button', { name: 'Glossary' }).click();
    await expect.element(page.getByRole('article').first()).toBeVisible();
  },
  'several selected': async () => {
    const { library } = await openOwn();
    await library.getByRole('button', { name: 'Select several' }).click();
    await library.getByRole('button', { name: 'All', exact: true }).click();
  },
  commands: async () => {
    await openExample(overlapped);
    await press('Control+k');
    await expect.element(page.getByLabelText('Search commands')).toHaveFocus();
  },
  keys: async () => {
    await openExample(overlapped);
    await press('?');
    await expect.element(page.getByRole('dialog')).toBeVisible();
  },
  build: async () => {
    const { block } = await building();
    await block(0).click();
  },
  grammar: async () => {
    await openWorkbench();
    await press('Alt+n');
    await expect.element(page.css('[data-cursor]')).toHaveFocus();
    await press('a');
    await type('kernel 500 us wr');
    await expect.element(page.getByText('… writes')).toBeVisible();
  },
  licences: async () => {
    await openWorkbench();
    assign({ licencesOpen: true });
    await expect.element(page.getByRole('dialog')).toBeVisible();
  },
  renaming: async () => {
    await views['menu of an item']?.();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await expect.element(page.getByRole('dialog')).toBeVisible();
  },
  engines: async () => {
    await openExample(overlapped);
    await page.getByRole('combobox', { name: 'Engine' }).click();
    await expect.element(page.getByRole('option').first()).toBeVisible();
  },
  'menu of an item': pressed(openOwn, 'More about New experiment', 'menu'),
  settings: pressed(() => openExample(overlapped), 'Experiment settings', 'textbox'),
  deleting: pressed(building, /^Delete buffer/, 'dialog'),
  'menu of the lanes': pressed(simulated, 'Lanes', 'menu'),
  'menu of pictures': pressed(simulated, /^Save the lanes/, 'menu'),
  themes: pressed(openWorkbench, /^Theme/, 'menu'),
  'filter of the library': pressed(openWorkbench, 'Filter and sort', 'dialog'),
  remote: () => openWorkbench({ page: { kind: 'remote' } }),
  results: pressed(openLessons, 'Export my results', 'dialog'),
  'class results': async () => {
    await openLessons();
    const lessons = [{ lesson: 'four-cases', title: 'The four cases', done: true, tasks: [], answers: [] }];
    const results = { format: 'copyscope/lesson-results', version: 1, lessons };
    answerChooser(new File([JSON.stringify(results)], 'seat-7.json'));
    await page.getByRole('button', { name: 'Collect results' }).click();
    await expect.element(page.getByRole('dialog').getByRole('rowheader')).toHaveTextContent('seat-7');
  },
  'lesson of a trace': async () => {
    await openTrace('vision.pageable');
    openPage({ kind: 'lessons' });
    await page.getByRole('button', { name: 'Make a lesson' }).click();
    await expect.element(page.getByRole('menuitem', { name: /^From vision/ })).toBeVisible();
  },
  'start of a program': async () => {
    await openWorkbench();
    const question = { text: 'python train.py --epochs 1', kind: 'recording', answer: () => {} } as const;
    useStarts.setState({ question });
    await expect.element(page.getByRole('dialog', { name: 'Start this program?' })).toBeVisible();
  },
  'menu of one lane': async () => {
    const { timeline } = await simulated();
    await timeline.getByRole('button', { name: /^Compute/ }).click({ button: 'right' });
    await expect.element(page.getByRole('menu')).toBeVisible();
  },
  term: pressed(openLesson, 'stream', 'dialog'),
  'lesson task': pressed(() => openLesson(2), 'More about this lesson', 'menu'),
  presenting: pressed(() => openLesson(1), 'Present', 'table'),
};

/** Rules whose result can depend on the theme. The others check elements and names, which are the same in both. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Returns serious and critical problems of the page in a theme, with the elements. */
async function problems(name: string, theme: 'light' | 'dark'): Promise<string[]> {
  await commands.colourScheme(theme);
  await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe(theme);
  await still();
  await commands.picture(`${name.replaceAll(' ', '-')}-${theme}`);
  const { violations, passes } = await axe.run({
    resultTypes: ['violations'],
    ...(theme === 'dark' ? { runOnly: ofColours } : {}),
  });
  // A page that axe couldn't see has no violations either.
  expect(passes.length).toBeGreaterThan(theme === 'dark' ? 0 : 10);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`));
}

/** Resolves if no finite transition has run for a few frames, so that colours are final. */
async function still(): Promise<void> {
  const isOver = (): boolean =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect?.getTiming().iterations === Infinity);
  for (let times = 0; times < 5; times = isOver() ? times + 1 : 0) await new Promise(requestAnimationFrame);
}

const scrolls = (overflow: string): boolean => overflow === 'auto' || overflow === 'scroll';

/**
 * Returns the controls whose middle, which a click hits, is cut off and can't be scrolled to. Only content of panels
 * scrolls sideways, not the panels.
 */
function cutOff(): string[] {
  const controls = document.querySelectorAll(
    'button, a[href], input, select, textarea, [role="menuitem"], [role="option"]',
  );
  return [...controls].flatMap((control) => {
    const { left, right, top, bottom, width, height } = control.getBoundingClientRect();
    const hidden = control.closest('[aria-hidden="true"]') !== null || getComputedStyle(control).clipPath !== 'none';
    if (width < 2 || height < 2 || hidden || !control.checkVisibility({ visibilityProperty: true })) return [];
    let [x, y] = [(left + right) / 2, (top + bottom) / 2];
    for (let around = control.parentElement; around !== null; around = around.parentElement) {
      const isRoot = around === document.documentElement;
      const room = isRoot ? new DOMRect(0, 0, innerWidth, innerHeight) : around.getBoundingClientRect();
      const { overflowX, overflowY } = isRoot ? { overflowX: 'hidden', overflowY: 'hidden' } : getComputedStyle(around);
      if (scrolls(overflowX) && around.parentElement?.hasAttribute('data-panel') !== true) x = room.left;
      if (scrolls(overflowY)) y = room.top;
      const isCutX = overflowX !== 'visible' && (x < room.left || x > room.right);
      if (isCutX || (overflowY !== 'visible' && (y < room.top || y > room.bottom)))
        return [
          `${control.getAttribute('aria-label') ?? control.textContent} by ${around.className || around.tagName}`,
        ];
    }
    return [];
  });
}

/** Returns texts that an element without a scroll bar or an ellipsis cuts. A line may be cut by as much as its leading. */
function cutTexts(): string[] {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const cut = new Set<string>();
  while (texts.nextNode()) {
    const [text, within] = [texts.currentNode.textContent?.trim() ?? '', texts.currentNode.parentElement];
    if (text === '' || within?.checkVisibility({ visibilityProperty: true }) !== true) continue;
    if (within.closest('svg, style, script, textarea, option, [aria-hidden="true"]') !== null) continue;
    range.selectNodeContents(texts.currentNode);
    const { left, right, top, bottom } = range.getBoundingClientRect();
    let [acrossEnds, downEnds] = [false, false];
    for (let around: Element | null = within; around !== null; around = around.parentElement) {
      const { overflowX, overflowY, textOverflow, webkitLineClamp } = getComputedStyle(around);
      const room = around.getBoundingClientRect();
      // Hidden but for screen readers, or shortened with an ellipsis.
      if (room.width < 2 || textOverflow === 'ellipsis' || webkitLineClamp !== 'none') break;
      acrossEnds ||= scrolls(overflowX) && around.parentElement?.hasAttribute('data-panel') !== true;
      downEnds ||= scrolls(overflowY);
      const isCutX = !acrossEnds && overflowX !== 'visible' && (left < room.left - 1 || right > room.right + 1);
      const isCutY = !downEnds && overflowY !== 'visible' && (top < room.top - 4 || bottom > room.bottom + 4);
      if (isCutX || isCutY) cut.add(`${text} by ${around.className || around.tagName}`);
    }
  }
  return [...cut, ...cutChoices()];
}

/** Returns chosen runs and iterations that are wider than their fields, where an ellipsis would hide the number. */
function cutChoices(): string[] {
  const pen = document.createElement('canvas').getContext('2d');
  const fields = document.querySelectorAll<HTMLInputElement>(
    '[aria-label="Run shown"], [aria-label="Iteration shown"]',
  );
  return [...fields].flatMap((field) => {
    const { font, paddingLeft, paddingRight } = getComputedStyle(field);
    if (pen === null || typeof field.value !== 'string' || !field.checkVisibility()) return [];
    pen.font = font;
    const room = field.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    return pen.measureText(field.value).width > room + 1 ? [field.value] : [];
  });
}

it.each(Object.entries(views))(
  '%s has no serious accessibility problem, and cuts no control off',
  async (name, open) => {
    await open();
    try {
      expect([...(await problems(name, 'light')), ...(await problems(name, 'dark'))]).toEqual([]);
      const cut = cutTexts().map((one) => `${one} at 1280`);
      for (const [width, height] of [
        [1024, 640],
        [720, 450],
      ] as const) {
        await page.viewport(width, height);
        showSide('left');
        await still();
        await commands.picture(`${name.replaceAll(' ', '-')}-${width}`);
        expect(cutOff()).toEqual([]);
        cut.push(...cutTexts().map((one) => `${one} at ${width}`));
      }
      expect(cut).toEqual([]);
    } finally {
      await commands.colourScheme('light');
      // The palette would stay open for the next test.
      await press('Escape');
    }
  },
);
