/** Texts that fit, panels that keep their place, and accessible names for all controls. */
import { expect, it } from 'vitest';
import { notifyError } from '../../../renderer/store/notify.ts';
import { currentExperiment, isPrediction, shownRunId } from '../../../renderer/store/select.ts';
import { state } from '../../../renderer/store/store.ts';
import {
  boxOf,
  drag,
  openExample,
  openTrace,
  openWorkbench,
  page,
  press,
  settled,
  type,
} from '../support/workbench.tsx';

const pinned = 'overlap/pinned-side-stream';

it('says of a trace of which nothing could be read so, and names no device', async () => {
  const { host, status } = await openWorkbench();
  const text = new TextEncoder().encode('{"traceEvents": [{"ph":"X"');
  const imported = await host.import(text, { name: 'broken.json', version: '0.0.0', modifiedAt: new Date(0) });
  if (imported.kind !== 'run') throw new Error('it is no run');
  await openWorkbench({ runs: [...host.runs.values()], page: { kind: 'run', id: imported.run.id } });
  await expect.element(page.getByText('This run can’t be read', { exact: true })).toBeVisible();
  await expect.element(status).toHaveTextContent(/recorded, \w/);
  await expect.element(status).not.toHaveTextContent('recorded on');
});

const widthOf = (name: 'Library' | 'Inspector'): number =>
  Math.round(boxOf(page.getByRole('region', { name, exact: true })).width);

it('resizes panels by mouse and by keyboard, and keeps their sizes', async () => {
  const { library } = await openExample(pinned);
  const separator = page.getByRole('separator', { name: 'Resize the library' });
  await expect.element(library).toBeVisible();
  await settled(library);
  const before = widthOf('Library');
  const { x, y } = boxOf(separator);
  await drag([x + 1, y + 200], [x + 81, y + 200]);
  await expect.poll(() => widthOf('Library')).toBeGreaterThan(before + 60);
  const dragged = widthOf('Library');
  separator.element().focus();
  await press('ArrowLeft');
  await expect.poll(() => widthOf('Library')).toBeLessThan(dragged);
  const pressed = widthOf('Library');
  await openExample(pinned, { keepStorage: true });
  await expect.poll(() => widthOf('Library')).toBe(pressed);
});

it('moves nothing for those who want no motion', async () => {
  const { plot } = await openExample(pinned);
  await expect.element(plot).toBeVisible();
  const moving = [...document.querySelectorAll('*')].filter((element) => {
    const { transitionDuration, animationDuration } = getComputedStyle(element);
    return [transitionDuration, animationDuration].some((times) =>
      times.split(',').some((time) => Number.parseFloat(time) * (time.trim().endsWith('ms') ? 1 : 1000) > 1),
    );
  });
  expect(moving).toEqual([]);
});

it('shows what the devices of a trace did above its deep stacks of calls', async () => {
  const { timeline } = await openTrace('vision.pageable');
  await page.viewport(1280, 720);
  for (const name of ['7', 'H2D engine'])
    await expect.element(timeline.getByText(name, { exact: true }).first()).toBeInViewport();
});

const left = () => page.getByRole('button', { name: 'Show or hide the left panel' });

it('hides the panels at the sides by a key or a button, and remembers it', async () => {
  const { library, inspector, timeline } = await openExample(pinned);
  await expect.element(inspector).toBeVisible();
  await settled(timeline);
  const narrow = boxOf(timeline).width;
  await press('Control+b');
  await expect.element(library).not.toBeInTheDocument();
  await expect.element(left()).toHaveAttribute('aria-pressed', 'false');
  await page.getByRole('button', { name: 'Show or hide the inspector' }).click();
  await expect.element(inspector).not.toBeInTheDocument();
  await expect.poll(() => boxOf(timeline).width).toBeGreaterThan(narrow + 500);
  const again = await openExample(pinned, { keepStorage: true });
  await expect.element(again.timeline).toBeVisible();
  expect([again.library, again.inspector].flatMap((panel) => panel.elements())).toEqual([]);
  await left().click();
  await expect.poll(() => widthOf('Library')).toBe(248);
});

it('hides a panel that is dragged to its edge', async () => {
  const { library } = await openExample(pinned);
  await expect.element(library).toBeVisible();
  await settled(library);
  const { x, y } = boxOf(page.getByRole('separator', { name: 'Resize the library' }));
  await drag([x + 1, y + 200], [20, y + 200]);
  await expect.element(library).not.toBeInTheDocument();
  await press('Control+b');
  await expect.poll(() => widthOf('Library')).toBe(248);
});

it('begins with hidden panels in a narrow window, and shows one at a time', async () => {
  const { library, inspector, block } = await openExample(pinned);
  await page.viewport(720, 450);
  await expect.element(block(0)).toBeVisible();
  await expect.poll(() => [library, inspector].flatMap((panel) => panel.elements())).toEqual([]);
  await press('Control+b');
  await expect.element(library).toBeVisible();
  await block(0).click();
  await press('Enter');
  await expect.element(inspector).toBeVisible();
  await expect.element(library).not.toBeInTheDocument();
  await expect.poll(() => document.activeElement?.closest('[data-fields]')).not.toBeNull();
});

const lessonTask = { kind: 'lesson', id: 'first-overlap', step: 2 } as const;

it.each([
  ['an example', 1024, 640, { kind: 'example', id: pinned }],
  ['an example', 720, 450, { kind: 'example', id: pinned }],
  ['a task of a lesson', 1024, 640, lessonTask],
  ['a task of a lesson', 720, 450, lessonTask],
] as const)('shows three rows of score and lanes each of %s at %i x %i', async (_, width, height, first) => {
  const { timeline, sheet, plot, status } = await openWorkbench({ recorded: ['lessons/first-overlap'], page: first });
  await page.viewport(width, height);
  await expect.element(plot).toBeVisible();
  await settled(plot);
  await expect.poll(() => timeline.css('[data-lane-name]').elements().length).toBeGreaterThanOrEqual(3);
  const scroll = sheet.element().parentElement?.getBoundingClientRect();
  expect(scroll?.height).toBeGreaterThan(22 + 3 * 34);
  const names = timeline.css('[data-lane-name]').elements().slice(0, 3);
  const body = boxOf(plot);
  expect(names.filter((name) => name.getBoundingClientRect().bottom <= body.bottom)).toHaveLength(3);
  const legend = boxOf(timeline.getByRole('list', { name: 'Legend' }));
  expect(legend.top).toBeGreaterThanOrEqual(body.bottom - 1);
  expect(legend.bottom).toBeLessThanOrEqual(boxOf(status).top + 1);
});

it('shows the name of an experiment and all its buttons next to an open panel at 720 x 450', async () => {
  const { library } = await openExample(pinned, { recorded: [pinned] });
  await page.viewport(720, 450);
  await press('Control+b');
  await expect.element(library).toBeVisible();
  await settled(library);
  const name = boxOf(page.getByRole('heading', { level: 1 }));
  expect(name.width).toBeGreaterThan(60);
  const buttons = ['Experiment settings', 'Run', 'Save a copy'].map((label) =>
    boxOf(page.getByRole('main').getByRole('button', { name: label, exact: true })),
  );
  expect(buttons.filter(({ left, right }) => left < name.left || right > innerWidth)).toEqual([]);
});

it('shows each new run in the lanes while Build is open', async () => {
  const { block, field, plot, run, timeline } = await openWorkbench();
  await press('Alt+n');
  await expect.element(page.css('[data-cursor]')).toHaveFocus();
  await press('a');
  await type('copy 20 MiB pinned in side');
  await press('Enter');
  await expect.element(page.getByRole('region', { name: 'Build', exact: true })).toBeVisible();
  const first = await run();
  await block(0).click();
  await field('Size').fill('4 MiB');
  await press('Enter');
  await expect.poll(() => isPrediction(shownRunId(state()) ?? '')).toBe(true);
  expect(await run()).not.toBe(first);
  await expect.element(plot).toBeVisible();
  await expect.element(timeline.getByRole('combobox', { name: 'Run shown' })).toBeVisible();
  await expect.element(page.getByRole('region', { name: 'Build', exact: true })).toBeVisible();
});

it('needs at most 12 stops of Tab to the page, and goes through the library by arrows', async () => {
  const { library } = await openExample(pinned);
  await expect.element(library.getByRole('button', { name: 'Pinned source, second stream' })).toBeVisible();
  (document.activeElement as HTMLElement | null)?.blur();
  let stops = 0;
  while (document.activeElement?.closest('[data-page]') == null && stops < 40) {
    await press('Tab');
    stops += 1;
  }
  expect(stops).toBeLessThanOrEqual(12);
  const open = library.getByRole('button', { name: 'Pinned source, second stream' }).element();
  expect(open.tabIndex).toBe(0);
  open.focus();
  await press('ArrowUp', 'ArrowUp');
  expect(document.activeElement?.textContent).toBe('Examples');
  await press('ArrowDown', 'ArrowDown');
  expect(document.activeElement).toBe(open);
});

it('makes room for rows that an edit adds, and keeps the height that the user gave the score', async () => {
  const { sheet } = await openExample(pinned);
  await expect.element(sheet).toBeVisible();
  await settled(sheet);
  const separator = page.getByRole('separator', { name: 'Resize the score' });
  const edge = (): number => Math.round(boxOf(separator).y);
  const before = edge();
  await page.getByText('Build', { exact: true }).click();
  await page.getByRole('button', { name: 'Add a stream' }).click();
  await expect.poll(edge).toBeGreaterThanOrEqual(before + 34);
  const { x } = boxOf(separator);
  const grown = edge();
  await drag([x + 200, grown], [x + 200, grown - 30]);
  await expect.poll(edge).toBeLessThan(grown - 20);
  const dragged = edge();
  await page.getByRole('button', { name: 'Add a stream' }).click();
  await expect.poll(() => currentExperiment(state())?.streams.length).toBe(3);
  await settled(sheet);
  expect(edge()).toBe(dragged);
});

it('opens Build with a new experiment, and the library with a trace', async () => {
  const { library } = await openWorkbench({ examples: [pinned] });
  await expect.element(library).toBeVisible();
  await press('Alt+n');
  await expect.element(page.getByRole('region', { name: 'Build', exact: true })).toBeVisible();
  await openTrace('vision.pageable');
  await expect.element(library).toBeVisible();
  await expect.element(page.getByText('Build', { exact: true })).not.toBeInTheDocument();
});

it('draws the four cases on the first page as simulated, and opens the pressed one', async () => {
  const examples = ['pageable-same-stream', 'pageable-side-stream', 'pinned-same-stream', 'pinned-side-stream'];
  await openWorkbench({ examples: examples.map((name) => `overlap/${name}`) });
  const cases = page.getByRole('region', { name: 'Four cases' });
  await expect.poll(() => cases.getByRole('img', { name: /^Lanes of .*, simulated$/ }).elements().length).toBe(4);
  await expect.element(cases.getByText('Simulated', { exact: true })).toBeVisible();
  for (const door of ['Learn', 'Explain my trace', 'Design an experiment'])
    expect(page.getByRole('region', { name: door }).getByRole('button').elements()).toHaveLength(2);
  await cases.getByRole('button', { name: /^Pinned source, second stream/ }).click();
  await expect.element(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
});

it('shows a notification where it covers no field in use', async () => {
  const { block, field } = await openExample(pinned);
  await page.viewport(1280, 560);
  await block(0).click();
  const size = field('Label');
  (size.element() as HTMLElement).scrollIntoView({ block: 'end' });
  (size.element() as HTMLElement).focus({ preventScroll: true });
  notifyError('Not possible', { code: 'edit.refused', message: 'It is too large.' });
  const notice = page.getByRole('alert');
  await expect.element(notice).toBeVisible();
  const areApart = (a: DOMRect, b: DOMRect): boolean =>
    a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
  await expect.poll(() => areApart(boxOf(size), boxOf(notice))).toBe(true);
});
