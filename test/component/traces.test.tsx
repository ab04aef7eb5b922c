/** Working with a real program's trace: its names, its plan, its lines, its lanes by group. */
import { expect, it } from 'vitest';
import { commands } from 'vitest/browser';
import { rowKinds } from '../../core/trace/trace.ts';
import { shownRunId } from '../../renderer/store/select.ts';
import { select, state } from '../../renderer/store/store.ts';
import {
  copied,
  heading,
  numberOf,
  openPageOf,
  openTrace,
  openWorkbench,
  page,
  press,
  type Workbench,
} from './support/workbench.tsx';

const vision = 'vision.pageable';
/** The smallest trace with a plan. */
const small = 'weights.pageable';
const plan = () => page.getByRole('region', { name: 'Plan', exact: true });
const chosen = () => page.getByRole('region', { name: 'Chosen changes' });

it('marks all instances of a name of the table in the lanes', async () => {
  const { plot, timeline } = await openTrace(vision);
  await timeline.getByText('Table', { exact: true }).click();
  await timeline.getByText('By name', { exact: true }).click();
  await timeline.getByLabelText('Filter the table by text').fill('memcpy htod');
  const rows = timeline.getByRole('table').getByRole('row');
  await expect.poll(() => rows.elements().length).toBe(2);
  await rows.nth(1).click();
  await expect.element(plot).toHaveAttribute('data-found', '12');
  await expect.element(timeline.getByRole('status', { name: '12 matches' })).toBeVisible();
  await press('/', 'Escape');
  await expect.element(plot).not.toHaveAttribute('data-found');
});

it('copies a link that carries zoom and selection', async () => {
  const { plot, timeline } = await openTrace(small);
  const text = copied();
  await press('.');
  await expect.poll(() => state().selection?.kind).toBe('row');
  await press('f');
  await timeline.getByRole('button', { name: 'Copy a link to this view' }).click();
  await expect.poll(text).toMatch(/#\/run\/.+\?at=-?\d+,\d+&row=\d+$/);
  const [, start, row] = /at=(-?\d+),\d+&row=(\d+)/.exec(text()) ?? [];
  expect(Math.round(numberOf(plot, 'startNs'))).toBe(Number(start));
  expect(state().selection).toMatchObject({ kind: 'row', row: Number(row) });
});

it('shows the place that a link names', async () => {
  const window = await openTrace(small);
  const id = window.host.runs.keys().next().value ?? '';
  location.hash = `#/run/${id}?at=1000000,2000000&row=100`;
  await expect.poll(() => state().selection).toMatchObject({ kind: 'row', row: 100 });
  await expect.poll(() => Math.round(numberOf(window.plot, 'startNs'))).toBe(1_000_000);
});

it('puts on paper what holds the step of a trace and what to change, with the code', async () => {
  await openTrace(small);
  await expect.element(chosen().getByText(/→/)).toBeVisible();
  window.dispatchEvent(new Event('beforeprint'));
  const step = (): Element | null =>
    document.querySelector('[data-testid="paper"] section[aria-label="Step and plan"]');
  await expect.poll(() => step()?.textContent).toContain('Suggested changes');
  expect(step()?.querySelectorAll('pre').length).toBeGreaterThan(0);
  window.dispatchEvent(new Event('afterprint'));
});

it('colours the lanes by name, with the names in the legend, and remembers it', async () => {
  const { plot, timeline } = await openTrace(small);
  const legend = timeline.getByRole('list', { name: 'Legend' });
  const colours = () => (plot.css('canvas').first().element() as HTMLCanvasElement).toDataURL();
  await expect.element(legend).toHaveTextContent('H2D copy');
  const byKind = colours();
  await timeline.getByRole('button', { name: 'Lanes', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Colour by name' }).click();
  await expect.element(legend).toHaveTextContent('Memcpy HtoD (Pageable -> Device)');
  await expect.element(legend).not.toHaveTextContent('H2D copy');
  await expect.poll(colours).not.toBe(byKind);
  expect(localStorage.getItem('copyscope:colour-by')).toBe('name');
});

it('chooses changes by keyboard, tries them, and lifts the trace to an experiment', async () => {
  const { host } = await openTrace(small);
  await expect.element(chosen().getByText(/→/)).toBeVisible();
  const first = page.getByRole('list', { name: 'Remedies' }).getByRole('checkbox').first();
  (first.element() as HTMLElement).focus();
  await press('Space');
  await expect.element(chosen().getByText(/→/)).not.toBeInTheDocument();
  await press('Space');
  await chosen().getByRole('button', { name: 'Try' }).click();
  await expect.element(page.getByRole('article', { name: /^After: / })).toBeVisible();
  await page.getByRole('button', { name: 'Edit as experiment' }).click();
  const score = page.getByRole('region', { name: 'Score' });
  await expect.element(score.getByRole('button', { name: /^work/ }).first()).toBeVisible();
  expect(host.experiments.size).toBe(1);
});

it('unfolds the kernels of a lifted step, and folds them again at undo', async () => {
  const { sheet } = await openTrace(small);
  await expect.element(chosen().getByText(/→/)).toBeVisible();
  await page.getByRole('button', { name: 'Edit as experiment' }).click();
  const score = page.getByRole('region', { name: 'Score' });
  await expect.element(score.getByRole('button', { name: /^work/ }).first()).toBeVisible();
  const folded = numberOf(sheet, 'operations');
  expect(folded).toBeLessThan(60);
  (score.getByRole('button', { name: /^work/ }).first().element() as HTMLElement).focus();
  await press('End', 'ArrowLeft');
  await expect.poll(() => document.activeElement?.getAttribute('aria-label')).toMatch(/^step .*folded/);
  await press('Shift+F');
  await expect.poll(() => numberOf(sheet, 'operations')).toBeGreaterThan(folded);
  await press('Control+z');
  await expect.poll(() => numberOf(sheet, 'operations')).toBe(folded);
});

it('calibrates the plan by a step that was measured without the profiler', async () => {
  await openTrace('weights.pageable');
  await expect.element(chosen().getByText(/→/)).toBeVisible();
  const field = plan().getByLabelText('Measured without the profiler, ms');
  await field.fill('-1');
  await press('Enter');
  await expect.element(field).toHaveAttribute('aria-invalid', 'true');
  await field.fill('83.5');
  await press('Enter');
  await expect.element(plan().getByText(/83\.\d\sms\s→/)).toBeVisible();
});

it('leads from the lesson about it to the recorded trace and its plan', async () => {
  const recorded = ['lessons/training-before', 'lessons/training-after'];
  await openWorkbench({ recorded, page: { kind: 'lessons' } });
  await page.getByRole('button', { name: /Profile your own training step/ }).click();
  await page.getByRole('region', { name: 'Lesson' }).getByRole('link', { name: 'Open the recording' }).first().click();
  await expect.element(heading('training-before')).toBeVisible();
  await expect.element(chosen().getByText(/→/)).toBeVisible();
});

/** Opens the window with a recording of copyscope record: six steps with stacks. */
async function openRecording(): Promise<Workbench> {
  const window = await openWorkbench();
  const bytes = Uint8Array.from(await commands.recording(6));
  const imported = await window.host.import(bytes, { name: 'train.cprec', version: '0.0.0', modifiedAt: new Date(0) });
  await openPageOf(imported);
  await expect.element(window.plot).toBeVisible();
  await window.timeline.getByText('Table', { exact: true }).click();
  await window.timeline.getByText('Called from', { exact: true }).click();
  return window;
}

const lines = () => page.getByRole('region', { name: 'Called from' }).getByRole('row');

it('leads from a line of the program to its copies in the lanes, and from those to the stack', async () => {
  const { inspector, plot } = await openRecording();
  await expect.element(lines().nth(1)).toHaveTextContent('train.py:14 in step');
  await expect.element(lines().nth(2)).toHaveTextContent('H2D copy66.00 MiB');
  await lines().filter({ hasText: 'H2D copy' }).click();
  await expect.element(plot).toBeVisible();
  expect(state().selection).toMatchObject({ kind: 'rows' });
  const stack = inspector.getByRole('region', { name: 'Called from' });
  await expect.poll(() => stack.getByRole('listitem').elements().length).toBe(2);
  await inspector.getByRole('region', { name: 'Each' }).getByRole('button').nth(2).click();
  await expect.poll(() => state().selection?.kind).toBe('row');
  await expect.poll(() => stack.getByRole('listitem').elements().length).toBe(2);
});

it('walks the lines of the program by keys, and Enter selects what a line issued', async () => {
  await openRecording();
  await expect.element(lines().nth(1)).toBeVisible();
  (lines().nth(1).element() as HTMLElement).focus();
  await press('ArrowDown');
  await expect.element(lines().nth(2)).toHaveFocus();
  await press('ArrowUp', 'Enter');
  await expect.poll(() => state().selection).toMatchObject({ kind: 'rows' });
  await press('Escape');
  await expect.poll(() => state().selection).toBeNull();
});

it('judges all copies of a large trace, and shows the verdict of one that is not listed', async () => {
  const window = await openWorkbench();
  const count = 11_000;
  const call = (name: string, ts: number, dur: number, correlation: number) =>
    ({ ph: 'X', cat: 'cuda_runtime', name, pid: 1, tid: 1, ts, dur, args: { correlation } }) as const;
  const events = Array.from({ length: count }, (_, index) => {
    const ts = index * 20;
    // The last copy is the cheapest.
    const dur = index === count - 1 ? 2 : 10;
    const args = { device: 0, stream: 7, correlation: index, bytes: 80_000, 'memory bandwidth (GB/s)': 8 };
    const onDevice = { ph: 'X', pid: 0, tid: 7 };
    return [
      call('cudaMemcpyAsync', ts, 12, index),
      { ...onDevice, cat: 'gpu_memcpy', name: 'Memcpy HtoD (Pageable -> Device)', ts: ts + 1, dur, args },
      call('cudaLaunchKernel', ts + 12, 2, count + index),
      { ...onDevice, cat: 'kernel', name: 'gemm', ts: ts + 14, dur: 5, args: { ...args, correlation: count + index } },
    ];
  }).flat();
  const bytes = new TextEncoder().encode(JSON.stringify({ traceEvents: events }));
  const imported = await window.host.import(bytes, { name: 'large.json', version: '0.0.0', modifiedAt: new Date(0) });
  await openPageOf(imported);
  await expect.element(window.inspector).toHaveTextContent('These are the costliest 1,000 of 11,000');
  const loaded = state().loadedRuns[shownRunId(state()) ?? ''];
  if (loaded?.status !== 'ready') throw new Error('the run is not open');
  const row = loaded.value.run.trace.columns.kind.lastIndexOf(rowKinds.indexOf('copy'));
  select({ kind: 'row', run: loaded.value.id, row });
  await expect.element(window.verdict.first()).toBeVisible();
});
