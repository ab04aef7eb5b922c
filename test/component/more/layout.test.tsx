/** Texts that fit, panels that keep their place, and accessible names for all controls. */
import { expect, it } from 'vitest';
import { boxOf, drag, openExample, openTrace, openWorkbench, page, press, settled } from '../support/workbench.tsx';

const pinned = 'overlap/pinned-side-stream';

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

it('shows what the devices of a trace did above its deep stacks of calls', async () => {
  const { timeline } = await openTrace('vision.pageable');
  await page.viewport(1280, 720);
  for (const name of ['7', 'H2D engine'])
    await expect.element(timeline.getByText(name, { exact: true }).first()).toBeInViewport();
});
