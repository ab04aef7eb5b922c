/** Work in the timeline: search, time ranges, lanes, marks, the minimap and the table. */
import { expect, it } from 'vitest';
import type { Locator } from 'vitest/browser';
import { state } from '../../renderer/store/store.ts';
import {
  boxOf,
  drag,
  lanesOf,
  moveTo,
  numberOf,
  openExample,
  openTrace,
  page,
  press,
  settled,
  type,
  type Workbench,
} from './support/workbench.tsx';

const pinned = 'overlap/pinned-side-stream';

/** Opens the window with the lanes of a prediction and the worker's summary of it. */
async function openLanes(id = pinned): Promise<Workbench> {
  const window = await openExample(id);
  await expect.poll(() => lanesOf(window)).toContain('side queue');
  // The plot gets its size one frame later.
  await expect.poll(() => span(window)).toBeGreaterThan(0);
  await settled(window.plot);
  return window;
}

const shown = ({ plot }: Workbench) => ({ startNs: numberOf(plot, 'startNs'), endNs: numberOf(plot, 'endNs') });
const span = (window: Workbench): number => shown(window).endNs - shown(window).startNs;
const selectedRow = (): number => {
  const { selection } = state();
  return selection?.kind === 'row' ? selection.row : -1;
};

it('goes from match to match of a search by keyboard', async () => {
  const { timeline } = await openLanes();
  await press('/');
  const box = timeline.getByRole('textbox', { name: 'Search the timeline' });
  await expect.element(box).toHaveFocus();
  await box.fill('kernel');
  await expect.element(timeline.getByRole('status', { name: /^[1-9]\d* matches$/ })).toBeVisible();
  await press('Enter');
  await expect.element(timeline.getByRole('status', { name: /^match 1 of [1-9]\d*$/ })).toBeVisible();
  expect(selectedRow()).toBeGreaterThan(-1);
  await press('Shift+Enter');
  await expect.element(timeline.getByRole('status', { name: /^match ([1-9]\d*) of \1$/ })).toBeVisible();
  await box.fill('no such activity');
  await expect.element(timeline.getByRole('status', { name: '0 matches' })).toBeVisible();
  await press('Escape');
  await expect.element(box).not.toHaveFocus();
  await expect.element(box).toHaveValue('');
});

it('sums up a stretch that is dragged over, by name', async () => {
  const { inspector, plot } = await openLanes();
  // The lanes move if something above them loads during a drag.
  const dragOver = async (): Promise<string | undefined> => {
    const box = boxOf(plot);
    await drag([box.x + 2, box.y + 20], [box.right - 2, box.y + 20]);
    return state().selection?.kind;
  };
  await expect.poll(dragOver).toBe('area');
  const table = inspector.getByRole('region', { name: 'Activities in the time range' });
  await expect.element(table.getByRole('row').filter({ hasText: '20.0 MiB' }).first()).toHaveTextContent('GB/s');
  expect(table.getByRole('columnheader').elements()).toHaveLength(12);
});

it('sums up the whole run by Ctrl+A, on the device or on the host', async () => {
  const { block, inspector, plot } = await openLanes();
  const table = inspector.getByRole('region', { name: 'Activities in the time range' });
  const launches = table.getByRole('row').filter({ hasText: 'cudaLaunchKernel' });
  const copies = table.getByRole('row').filter({ hasText: '20.0 MiB' });
  await plot.click({ position: { x: 4, y: 4 } });
  await expect.poll(() => state().selection).toBeNull();
  await press('Control+a');
  await expect.element(launches).toBeVisible();
  await inspector.getByText('On a device', { exact: true }).click();
  await expect.element(launches).not.toBeInTheDocument();
  await expect.element(copies.first()).toBeVisible();
  await inspector.getByText('On the host', { exact: true }).click();
  await expect.element(launches).toBeVisible();
  await expect.element(copies).not.toBeInTheDocument();
  await press('Escape');
  await expect.element(table).not.toBeInTheDocument();
  await inspector.getByRole('button', { name: 'Sum up the whole run (Ctrl+A)' }).click();
  await expect.element(table).toBeVisible();
  // In the score the key selects every operation.
  await block(0).click();
  await press('Control+a');
  await expect.element(table).not.toBeInTheDocument();
  expect(state().selection).toMatchObject({ kind: 'op' });
});

it('sums up the time of the selected activity by R', async () => {
  const { inspector } = await openLanes();
  await press('.');
  await expect.poll(selectedRow).toBeGreaterThan(-1);
  await press('r');
  await expect.element(inspector.getByRole('region', { name: 'Activities in the time range' })).toBeVisible();
  expect(state().selection?.kind).toBe('area');
});

const lane = ({ timeline }: Workbench, name: string): Locator =>
  timeline.getByRole('button', { name: new RegExp(`^${name}\\s*,`) });

async function openMenu(window: Workbench, name: string): Promise<Locator> {
  await lane(window, name).click({ button: 'right' });
  return page.getByRole('menu', { name: `Lane ${name}` });
}

it('pins, hides and collapses lanes by mouse, and puts them back', async () => {
  const window = await openLanes();
  const { timeline } = window;
  const natural = lanesOf(window);
  await (await openMenu(window, 'Compute')).getByRole('menuitem', { name: 'Pin to the top' }).click();
  await expect.poll(() => lanesOf(window)[0]).toBe('Compute');
  await expect.element(timeline.getByRole('list', { name: 'Pinned lanes' })).toHaveTextContent('Compute');
  await (await openMenu(window, 'main')).getByRole('menuitem', { name: 'Hide' }).click();
  await expect.poll(() => lanesOf(window)).not.toContain('main');
  await (await openMenu(window, 'side')).getByRole('menuitem', { name: 'Collapse streams' }).click();
  await expect.poll(() => lanesOf(window)).toContain('Streams');
  await timeline.getByRole('button', { name: 'Lanes, 1 hidden' }).click();
  await page.getByRole('menuitem', { name: /^Show main/ }).click();
  await expect.poll(() => lanesOf(window)).toContain('main');
  await page.getByRole('menuitem', { name: 'Reset lanes' }).click();
  await expect.poll(() => lanesOf(window)).toEqual(natural);
});

it('arranges lanes by keyboard alone', async () => {
  const window = await openLanes();
  const natural = lanesOf(window);
  (lane(window, 'main').element() as HTMLElement).focus();
  await press('Alt+ArrowDown');
  await expect.poll(() => lanesOf(window)).toEqual([natural[1], natural[0], ...natural.slice(2)]);
  await expect.element(lane(window, 'main')).toHaveFocus();
  await press('p');
  await expect.poll(() => lanesOf(window)).toEqual(natural);
  await expect.element(lane(window, 'main')).toHaveAccessibleName(expect.stringMatching(/pinned/));
  await press('ArrowDown');
  await expect.element(lane(window, 'side')).toHaveFocus();
  await press('c');
  await expect.poll(() => boxOf(lane(window, 'side')).height).toBeLessThan(20);
  await press('h');
  await expect.poll(() => lanesOf(window)).not.toContain('side');
  await press('Shift+F10');
  const menu = page.getByRole('menu', { name: /^Lane / });
  await expect.element(menu.getByRole('menuitem').first()).toHaveFocus();
  await menu.getByRole('menuitem', { name: 'Reset lanes' }).click();
  await expect.poll(() => lanesOf(window)).toEqual(natural);
});

it('offers to show a hidden lane that holds what was found, and keeps its rows in the table', async () => {
  const window = await openLanes();
  const { timeline } = window;
  await (await openMenu(window, 'main')).getByRole('menuitem', { name: 'Hide' }).click();
  await expect.poll(() => lanesOf(window)).not.toContain('main');
  await press('/');
  await type('cudaMemcpyAsync');
  await press('Enter');
  const notice = timeline.getByRole('status').filter({ hasText: 'in a hidden lane' });
  await expect.element(notice).toBeVisible();
  await notice.getByRole('button', { name: 'Show the lane' }).click();
  await expect.poll(() => lanesOf(window)).toContain('main');
  await expect.element(notice).not.toBeInTheDocument();
});

it('says under the pointer how much is pending in a queue', async () => {
  const { plot, timeline } = await openLanes();
  const queue = timeline.getByRole('button', { name: /^side queue\s*, depth, most [1-9]/ });
  let times = 0;
  // The lanes follow the scrolled gutter later, and leave the view if the page's heights settle.
  const said = async (): Promise<string | null | undefined> => {
    queue.element().scrollIntoView({ block: 'center' });
    const [box, around] = [boxOf(queue), boxOf(plot)];
    times += 1;
    await moveTo(around.x + around.width / 2 + times, box.y + box.height / 2);
    return timeline.css('dl').query()?.textContent;
  };
  await expect.poll(said).toMatch(/Depth\d+ pending/);
});

it('leads from the record of an event to the wait that it releases by ] and back by [', async () => {
  const { inspector, timeline } = await openLanes();
  await press('/');
  await type('event-record');
  await press('Enter', 'Escape');
  const told = timeline.getByTestId('timeline-announcement');
  await expect.element(told).toHaveTextContent('Event recorded');
  const record = selectedRow();
  await press(']');
  await expect.element(told).toHaveTextContent('cudaEventSynchronize');
  await expect.element(inspector).toHaveTextContent('Joined with');
  await press('[');
  await expect.poll(selectedRow).toBe(record);
});

it('marks the operations of a hazard in the lanes', async () => {
  const { plot, timeline } = await openExample('races/changed-source-pinned');
  await expect.element(timeline.getByRole('list', { name: 'Legend' })).toHaveTextContent('Hazard');
  await settled(plot);
  const box = boxOf(plot);
  // The host's write is near the beginning of the first lane.
  await moveTo(box.x + 45, box.y + 30);
  await expect.element(timeline.css('dl')).toHaveTextContent('Hazard');
});

it('resizes and moves the visible stretch in the minimap by mouse', async () => {
  const window = await openLanes();
  const whole = shown(window);
  const map = window.timeline.getByRole('region', { name: 'Whole run' });
  const [grip, track] = [
    boxOf(map.getByRole('slider', { name: 'End of the visible stretch' })),
    boxOf(map.getByRole('slider', { name: 'Visible stretch', exact: true })),
  ];
  const middle = grip.y + grip.height / 2;
  await drag([grip.x + grip.width / 2, middle], [track.x + track.width / 4, middle]);
  await expect.poll(() => shown(window).endNs).toBeLessThan(whole.startNs + 0.3 * (whole.endNs - whole.startNs));
  expect(shown(window).startNs).toBeCloseTo(whole.startNs, 3);
  const quarter = shown(window);
  await settled(map.getByRole('slider', { name: 'Visible stretch', exact: true }));
  await drag([track.x + track.width / 8, middle], [track.x + track.width / 2, middle]);
  await expect.poll(() => shown(window).startNs).toBeGreaterThan(quarter.startNs + (quarter.endNs - quarter.startNs));
  expect(span(window)).toBeCloseTo(quarter.endNs - quarter.startNs, 0);
});

it('moves and resizes the visible stretch in the minimap by keys', async () => {
  const window = await openLanes();
  const whole = shown(window);
  await press('w');
  await expect.poll(() => span(window)).toBeLessThan(whole.endNs - whole.startNs);
  const { timeline } = window;
  const map = timeline.getByRole('region', { name: 'Whole run' });
  const stretch = map.getByRole('slider', { name: 'Visible stretch', exact: true });
  const end = map.getByRole('slider', { name: 'End of the visible stretch' });
  (stretch.element() as HTMLElement).focus();
  await press('Home');
  await expect.poll(() => shown(window).startNs).toBe(whole.startNs);
  await press('ArrowRight');
  await expect.poll(() => shown(window).startNs).toBeGreaterThan(whole.startNs + 1);
  await expect.element(stretch).toHaveAttribute('aria-valuetext', expect.stringMatching(/s to /));
  const before = shown(window);
  (end.element() as HTMLElement).focus();
  await press('ArrowRight');
  await expect.poll(() => shown(window).endNs).toBeGreaterThan(before.endNs);
  expect(shown(window).startNs).toBeCloseTo(before.startNs, 3);
});

it('fits an operation that is selected in the score', async () => {
  const window = await openLanes();
  const whole = span(window);
  await window.block(2).click();
  await press('f');
  await expect.poll(() => span(window)).toBeLessThan(whole / 4);
});

it('names the activity under the pointer until the view moves', async () => {
  const { plot, timeline } = await openLanes();
  const box = boxOf(plot);
  await moveTo(box.x + box.width / 2, box.y + 20);
  await expect.element(timeline.css('dl')).toHaveTextContent('Starts');
  await press('d');
  await expect.element(timeline.css('dl')).not.toBeInTheDocument();
});

it('sorts and filters its table, hides columns, and selects in the lanes', async () => {
  const { inspector, timeline } = await openTrace('vision.pageable');
  await timeline.getByText('Table', { exact: true }).click();
  const table = timeline.getByRole('table');
  const rows = table.getByRole('row');
  await timeline.getByLabelText('Filter the table by text').fill('h2d');
  await expect.poll(() => rows.elements().length).toBe(13);
  await table.getByRole('button', { name: 'Duration' }).click();
  await expect
    .element(table.getByRole('columnheader', { name: 'Duration' }))
    .toHaveAttribute('aria-sort', 'descending');
  await expect.element(rows.nth(1)).toHaveTextContent('28.1 MiB');
  await table.getByRole('button', { name: 'Duration' }).click();
  await expect.element(rows.nth(1)).toHaveTextContent('768 B');
  await timeline.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('checkbox', { name: 'Kind' }).click();
  await press('Escape');
  await expect.element(table.getByRole('columnheader', { name: 'Kind' })).not.toBeInTheDocument();
  (rows.nth(1).element() as HTMLElement).focus();
  await press('ArrowDown');
  await expect.element(rows.nth(2)).toHaveAttribute('aria-selected', 'true');
  await expect.element(inspector).toHaveTextContent('768 B');
});
