/** Charts: drawing, table, keyboard, and files that name the source of their numbers. */
import { expect, it } from 'vitest';
import { four, heading, openExample, openTrace, openWorkbench, page, press, saved } from '../support/workbench.tsx';

const openCharts = () => openWorkbench({ recorded: four, examples: four, page: { kind: 'charts' } });
const strategies = () => page.getByRole('region', { name: 'Strategies' });

it('charts engines, device and host threads of a run, which say that they are simulated', async () => {
  const { timeline } = await openExample('overlap/pinned-side-stream');
  await timeline.getByText('Charts', { exact: true }).click();
  for (const title of [
    'Engine use',
    'Bandwidth of the copy engines',
    'Time of the device',
    'Time of the host threads',
  ]) {
    const figure = timeline.getByRole('figure', { name: `${title}, simulated` });
    await expect.element(figure).toHaveTextContent('Simulated on NVIDIA H200');
    await expect.element(figure.getByTestId('chart').css('svg')).toHaveTextContent(', simulated');
  }
});

it('shows strategies next to one another, and as a table', async () => {
  await openCharts();
  const figure = strategies().getByRole('figure', { name: 'Makespan by strategy, recorded' });
  await expect.element(figure.getByTestId('chart')).toHaveAttribute('data-points', '4');
  await expect.element(figure.getByTestId('chart').css('svg')).toHaveTextContent('Pinned source, second stream');
  await strategies().getByText('Table', { exact: true }).click();
  await expect.poll(() => figure.getByRole('row').elements().length).toBe(5);
  await figure.getByRole('button', { name: 'Open Pinned source, second stream' }).click();
  await expect.element(heading('Pinned source, second stream')).toBeVisible();
});

async function choose(menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click();
  await page.getByRole(item.endsWith('pixels') ? 'menuitemradio' : 'menuitem', { name: item, exact: true }).click();
}

it('saves the lanes of a trace as a drawing, and as a picture of the chosen width', async () => {
  await openTrace('vision.pageable');
  const files = saved();
  await choose('Save the lanes', 'Drawing (SVG)');
  await expect.poll(() => files.length).toBe(1);
  expect(files[0]?.name).toBe('vision.pageable lanes.svg');
  expect(await files[0]?.content.text()).toContain('width="1200"');
  await choose('Save the lanes', '1920 pixels');
  await press('Escape');
  await choose('Save the lanes', 'Picture (PNG)');
  await expect.poll(() => files.length).toBe(2);
  // Twice as many pixels as the drawing has units.
  const picture = await createImageBitmap(files[1]?.content as Blob);
  expect(picture.width).toBe(3840);
});

it('saves lanes with a legend of all marks and signs that they have', async () => {
  const { timeline } = await openExample('overlap/pinned-same-stream');
  await expect.element(timeline.getByText(/^No overlap/)).toBeVisible();
  const files = saved();
  await choose('Save the lanes', 'Drawing (SVG)');
  await expect.poll(() => files.length).toBe(1);
  const drawing = await files[0]?.content.text();
  for (const name of ['H2D copy', 'Event recorded', 'No overlap']) expect(drawing).toContain(`>${name}</text>`);
});

it('saves the rows of a trace as figures that other tools read', async () => {
  await openTrace('vision.pageable');
  const files = saved();
  await choose('Save the lanes', 'Figures (CSV)');
  await expect.poll(() => files.length).toBe(1);
  const lines = (await files[0]?.content.text())?.trim().split('\r\n') ?? [];
  expect(lines[0]).toBe(
    'iteration,start_ns,duration_ns,kind,lane,engine,name,op,correlation,bytes,src_memory,dst_memory',
  );
  expect(lines.length).toBeGreaterThan(1000);
});

async function fromPalette(words: string): Promise<void> {
  await press('Control+k');
  await page.getByPlaceholder('Search commands').fill(words);
  await press('ArrowDown', 'Enter');
}

it('exports a trace for Perfetto from the palette', async () => {
  await openTrace('vision.pageable');
  const files = saved();
  await fromPalette('shown run for Perfetto');
  await expect.poll(() => files[0]?.name).toBe('vision.pageable.perfetto-trace');
  // Field 1 of the trace: a packet.
  expect(new Uint8Array((await files[0]?.content.arrayBuffer()) ?? [])[0]).toBe(0x0a);
});

it('exports a prediction as simulated', async () => {
  const { timeline } = await openExample('pipelines/strategy-b');
  await expect.element(timeline.getByText('Simulated', { exact: true })).toBeVisible();
  const files = saved();
  await fromPalette('shown run as a PyTorch profiler trace');
  await expect.poll(() => files.length).toBe(1);
  expect(JSON.parse((await files[0]?.content.text()) ?? '').copyscope.engine).toBe('sim');
});

it('saves a chart as a drawing, and its figures', async () => {
  const { timeline } = await openExample('overlap/pinned-side-stream');
  await timeline.getByText('Charts', { exact: true }).click();
  await expect.element(page.getByTestId('chart').first()).toBeVisible();
  const files = saved();
  await choose('Save Engine use', 'Drawing (SVG)');
  await expect.poll(() => files.length).toBe(1);
  expect(await files[0]?.content.text()).toContain('Engine use');
  await choose('Save Engine use', 'Figures (CSV)');
  await expect.poll(() => files.length).toBe(2);
  expect(await files[1]?.content.text()).toContain('Origin');
});

/** Returns the text of the sheet that only a printer shows. */
const paper = (): string => document.querySelector('[data-testid="paper"]')?.textContent ?? '';

it('puts a run on paper, with its lanes and figures', async () => {
  await openTrace('vision.pageable');
  window.dispatchEvent(new Event('beforeprint'));
  await expect.poll(paper).toContain('vision.pageable');
  await expect.poll(paper).toContain('Device time');
  expect(document.querySelectorAll('[data-testid="paper"] svg').length).toBeGreaterThan(0);
  window.dispatchEvent(new Event('afterprint'));
  await expect.poll(paper).toBe('');
});

it('puts a comparison on paper', async () => {
  const runs = four.slice(0, 2);
  await openWorkbench({ recorded: runs, page: { kind: 'compare', runs: runs.map((id) => `recorded/${id}`) } });
  await expect.element(page.getByRole('region', { name: 'Table of differences' })).toBeVisible();
  window.dispatchEvent(new Event('beforeprint'));
  await expect.poll(paper).toContain('Differences');
  window.dispatchEvent(new Event('afterprint'));
});
