/** Texts that fit, panels that keep their place, and accessible names for all controls. */
import { expect, it } from 'vitest';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { boxOf, drag, openExample, openTrace, openWorkbench, page, press, settled } from '../support/workbench.tsx';

const pinned = 'overlap/pinned-side-stream';
const isWhole = (element: Element): boolean => element.scrollWidth <= element.clientWidth;

it('has room in the status line for both directions at 1280 pixels', async () => {
  // Uploads, kernels and downloads overlap: the status line is longest.
  const both = { ...templates.find(({ id }) => id === 'strategy-a')?.build(), name: 'Both directions' };
  const { status } = await openWorkbench({ experiments: { both }, page: { kind: 'experiment', id: 'both' } });
  for (const text of ['H2D with kernel', 'D2H with kernel', 'H2D link', 'D2H link'])
    await expect.element(status).toHaveTextContent(text);
  const line = status.element();
  const { right } = line.getBoundingClientRect();
  const parts = [...line.querySelectorAll(':scope > span')];
  expect(line.scrollWidth - line.clientWidth).toBe(0);
  expect(parts.filter((part) => part.getBoundingClientRect().right > right + 0.5)).toEqual([]);
});

it('has the controls of a lesson in one line each, and its buttons whole', async () => {
  const { timeline } = await openWorkbench({ page: { kind: 'lesson', id: 'four-cases', step: 1 } });
  await page.getByRole('radio').first().click();
  await page.getByRole('button', { name: 'Answer, and run it' }).click();
  const tools = timeline.getByRole('toolbar', { name: 'Timeline tools' });
  await expect.element(tools).toBeVisible();
  await expect.poll(() => boxOf(tools).height).toBeLessThan(48);
  await page.viewport(1024, 768);
  for (const name of ['Back', 'Next']) {
    const label = page.getByRole('navigation', { name: 'Steps' }).getByText(name, { exact: true });
    await expect.poll(() => isWhole(label.element())).toBe(true);
  }
});

it('leaves the lanes most of the room next to the notes', async () => {
  const { plot, timeline } = await openWorkbench({
    recorded: [pinned],
    page: { kind: 'run', id: `recorded/${pinned}` },
  });
  await timeline.getByRole('button', { name: /Notes/ }).click();
  await page.viewport(853, 533);
  const notes = page.getByRole('complementary', { name: 'Notes' });
  const legend = timeline.getByText('H2D copy', { exact: true });
  await expect.poll(() => boxOf(notes).bottom <= boxOf(legend).top).toBe(true);
  await expect.poll(() => boxOf(plot).width).toBeGreaterThan(90);
});

it('says of a trace of which nothing could be read so, and names no device', async () => {
  const { host, status } = await openWorkbench();
  const text = new TextEncoder().encode('{"traceEvents": [{"ph":"X"');
  const imported = await host.import(text, { name: 'broken.json', version: '0.0.0', modifiedAt: new Date(0) });
  if (imported.kind !== 'run') throw new Error('it is no run');
  await openWorkbench({ runs: [...host.runs.values()], page: { kind: 'run', id: imported.run.id } });
  await expect.element(page.getByText('Nothing of it could be read', { exact: true })).toBeVisible();
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

it('gives panels their widths back after the window was too narrow for them', async () => {
  const { inspector } = await openExample(pinned);
  await settled(inspector);
  const first = widthOf('Library');
  page.getByRole('separator', { name: 'Resize the library' }).element().focus();
  await press('ArrowRight');
  await expect.poll(() => widthOf('Library')).toBeGreaterThan(first);
  await settled(inspector);
  const [library, before] = [widthOf('Library'), widthOf('Inspector')];
  await page.viewport(780, 800);
  await expect.poll(() => widthOf('Inspector')).toBeLessThan(before);
  for (const width of [1920, 1000, 1280]) await page.viewport(width, 800);
  await expect.poll(() => widthOf('Library')).toBe(library);
  await expect.poll(() => widthOf('Inspector')).toBe(before);
});

it('gives the JSON of an experiment room, and the score its own height again', async () => {
  const { plot, sheet, tools, verdict } = await openExample(pinned);
  await expect.element(sheet).toBeVisible();
  await expect.element(verdict).toBeVisible();
  await settled(plot);
  const edge = (): number => Math.round(boxOf(page.getByRole('separator', { name: 'Resize the score' })).y);
  const before = edge();
  await tools.getByText('JSON', { exact: true }).click();
  await expect.poll(edge).toBeGreaterThan(before + 100);
  await tools.getByText('Score', { exact: true }).click();
  await expect.poll(edge).toBe(before);
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

it('has a name for every button and field', async () => {
  const { verdict } = await openExample(pinned);
  await expect.element(verdict).toBeVisible();
  for (const role of ['button', 'textbox', 'combobox', 'separator', 'checkbox', 'radio'] as const)
    expect(page.getByRole(role, { name: /^\s*$/ }).elements()).toEqual([]);
});

it('begins the bars of the inspector at one edge, none wider than its panel', async () => {
  const { inspector, verdict } = await openExample('overlap/pageable-same-stream');
  await expect.element(verdict).toHaveTextContent('Predicted gain');
  const bars = inspector.css('dd > [aria-hidden]').elements();
  expect(new Set(bars.map((bar) => Math.round(bar.getBoundingClientRect().left))).size).toBe(1);
  const tooWide = (): number =>
    inspector
      .css('dl > div')
      .elements()
      .filter((row) => row.scrollWidth > row.clientWidth + 1).length;
  await page.viewport(780, 720);
  await expect.poll(tooWide).toBe(0);
});

it('shows what the devices of a trace did above its deep stacks of calls', async () => {
  const { timeline } = await openTrace('vision.pageable');
  await page.viewport(1280, 720);
  for (const name of ['7', 'H2D engine'])
    await expect.element(timeline.getByText(name, { exact: true }).first()).toBeInViewport();
});
