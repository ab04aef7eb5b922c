/** The score as an editor: blocks, keys, JSON, fields, and the effect of an edit on the lanes. */
import { expect, it } from 'vitest';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { currentExperiment } from '../../renderer/store/select.ts';
import { state } from '../../renderer/store/store.ts';
import {
  boxOf,
  drag,
  heading,
  numberOf,
  openExample,
  openWorkbench,
  page,
  press,
  settled,
  type,
} from './support/workbench.tsx';

const example = 'overlap/pinned-side-stream';
const copyOfExample = 'Copy of Pinned source, second stream';

/** Returns the only experiment of the host. */
const kept = ({ experiments }: { experiments: ReadonlyMap<string, Experiment> }): Experiment | undefined =>
  [...experiments.values()][0];

it('copies an example when it is edited, and undoes and redoes every step', async () => {
  const { host, sheet, block } = await openExample(example);
  await block(3).click();
  await press('Control+d');
  await expect.element(heading(copyOfExample)).toBeVisible();
  await expect.element(sheet).toHaveAttribute('data-operations', '8');
  await press('Delete');
  await expect.element(sheet).toHaveAttribute('data-operations', '7');
  await press('Control+z');
  await expect.element(sheet).toHaveAttribute('data-operations', '8');
  await press('Control+Shift+z');
  await expect.element(sheet).toHaveAttribute('data-operations', '7');
  await press('Control+z');
  await expect.element(sheet).toHaveAttribute('data-operations', '8');
  expect(kept(host)?.threads[0]?.operations).toHaveLength(7);
  await press('Control+s');
  await expect.poll(() => kept(host)?.threads[0]?.operations.length).toBe(8);
  await expect.element(page.getByText('Not saved')).not.toBeInTheDocument();
});

it('redoes the first edit of an example, which undo took back with its copy', async () => {
  const { block, sheet, host } = await openExample(example);
  await block(3).click();
  await press('Delete');
  await expect.element(heading(copyOfExample)).toBeVisible();
  await expect.element(sheet).toHaveAttribute('data-operations', '6');
  await press('Control+z');
  await expect.element(heading('Pinned source, second stream')).toBeVisible();
  await expect.element(page.getByRole('button', { name: 'Redo' })).toHaveAttribute('aria-disabled', 'false');
  await press('Control+Shift+z');
  await expect.element(heading(copyOfExample)).toBeVisible();
  await expect.element(sheet).toHaveAttribute('data-operations', '6');
  await expect.poll(() => host.experiments.size).toBe(1);
  await press('Control+z');
  await expect.element(heading('Pinned source, second stream')).toBeVisible();
  await expect.poll(() => host.experiments.size).toBe(0);
});

it('simulates each edit at once, with its interval', async () => {
  const { block, plot, timeline, status } = await openExample(example);
  await block(2).click();
  await press('Delete');
  await expect.element(heading(copyOfExample)).toBeVisible();
  await expect.element(timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect.element(status).toHaveTextContent(/Makespan\s*[\d.]+ µs, [\d.]+ to [\d.]+ µs \(90 %\)/);
  const before = numberOf(plot, 'makespanNs');
  await block(0).click();
  await press('Control+d');
  await expect.poll(() => numberOf(plot, 'makespanNs')).toBeGreaterThan(before);
});

it('keeps a zoom at its time when an edit changes the makespan', async () => {
  const { block, plot, timeline } = await openExample(example);
  const shown = () => [numberOf(plot, 'startNs'), numberOf(plot, 'endNs')];
  await expect.poll(() => numberOf(plot, 'makespanNs')).toBeGreaterThan(0);
  const makespanNs = numberOf(plot, 'makespanNs');
  await block(0).click();
  await press('-');
  await expect.element(heading(copyOfExample)).toBeVisible();
  await expect.poll(() => numberOf(plot, 'makespanNs')).toBeLessThan(makespanNs);
  const whole = shown();
  await timeline.getByRole('button', { name: 'Zoom in (W)' }).click();
  await expect.poll(shown).not.toEqual(whole);
  const zoomed = shown();
  await block(0).click();
  await press('+');
  await expect.element(block(0)).toHaveTextContent('20.0 MiB');
  expect(shown()).toEqual(zoomed);
  await timeline.getByRole('button', { name: 'Fit everything (F)' }).click();
  // The scale fits both makespans.
  await expect.poll(shown).toEqual(whole);
});

it('takes JSON over, and points at the line of an error in it', async () => {
  const { block, field, tools, inspector } = await openExample(example);
  await tools.getByText('JSON', { exact: true }).click();
  const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
  await expect.element(json).toBeVisible();
  const text = (json.element() as HTMLTextAreaElement).value;
  await json.fill(text.replace('"durationNs": 40000', '"durationNs": -1'));
  const line = text.split('\n').findIndex((one) => one.includes('"durationNs": 40000')) + 1;
  const problem = page.getByRole('alert').filter({ hasText: 'threads[0].operations[2].durationNs' });
  await expect.element(problem.getByRole('button', { name: `Line ${line}` })).toBeVisible();
  await json.fill(text.replace('"durationNs": 40000', '"durationNs": 50000'));
  await expect.element(heading(copyOfExample)).toBeVisible();
  await tools.getByText('Score', { exact: true }).click();
  // The focus is on the choice between score, JSON and code.
  await press('Control+z');
  await block(2).click();
  await expect.element(field('Duration')).toHaveValue('40 µs');
  await field('Duration').fill('a while');
  await press('Enter');
  await expect.element(field('Duration')).toHaveAttribute('aria-invalid', 'true');
  await expect.element(inspector).toHaveTextContent('40 µs or 1.5 ms');
});

it('builds copy, kernel, event, second kernel and copy back with 13 actions of the mouse', async () => {
  const { host, library, sheet, block, field } = await openWorkbench();
  /** Drags an operation from the list to a row of the score, and to pixels from its left edge. */
  const put = async (name: string, row: number, left: number): Promise<void> => {
    const count = numberOf(sheet, 'operations');
    const from = boxOf(page.getByRole('region', { name: 'Build' }).getByRole('button', { name, exact: true }));
    const { x, y } = boxOf(sheet);
    await drag([from.x + 20, from.y + 8], [from.x + 60, from.y + 20], [x + left, y + 39 + 34 * row]);
    await expect.element(sheet).toHaveAttribute('data-operations', String(count + 1));
  };
  await library.getByRole('button', { name: 'New experiment' }).click();
  await settled(sheet);
  await put('Copy', 1, 200);
  await field('Stream').selectOptions('New stream…');
  await expect.element(sheet).toHaveTextContent('non-blocking');
  await field('Size').fill('64 MB');
  await press('Enter');
  await put('Kernel', 2, 340);
  await put('Kernel', 2, 460);
  await put('Copy', 1, 570);
  await field('From').selectOptions('target');
  const [copy, kernel] = [boxOf(block(0)), boxOf(block(2))];
  await drag([copy.right - 1, copy.y + 1], [copy.right + 40, copy.y + 20], [kernel.x + 30, kernel.y + 15]);
  await expect.element(sheet).toHaveAttribute('data-operations', '6');
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await expect.poll(() => host.runs.size).toBe(1);
  expect(currentExperiment(state())).toMatchObject({
    buffers: [
      { id: 'source', memory: 'pinned', bytes: 64e6 },
      { id: 'target', memory: 'device', bytes: 64e6 },
    ],
    threads: [
      {
        operations: [
          ...[{ op: 'copy', stream: 'stream' }, { op: 'recordEvent', stream: 'stream' }, { op: 'kernel' }],
          ...[{ op: 'waitEvent', stream: 'default' }, { op: 'kernel' }, { op: 'copy', src: 'target', dst: 'source' }],
        ],
      },
    ],
  });
});

it('resizes a block by its corner, and lets go of it on Escape', async () => {
  const { block, field } = await openExample(example);
  await block(2).click();
  await expect.element(field('Duration')).toHaveValue('40 µs');
  await settled(block(2));
  const corner = () => boxOf(page.getByTestId('resize-2'));
  const { x, y } = corner();
  await drag([x + 6, y + 6], [x + 48, y + 6]);
  await expect.element(field('Duration')).toHaveValue('80 µs');
  await expect.element(heading(copyOfExample)).toBeVisible();
  const at = { bubbles: true, isPrimary: true, pointerId: 1, clientY: y + 6 };
  const grip = page.getByTestId('resize-2').element();
  grip.dispatchEvent(new PointerEvent('pointerdown', { ...at, clientX: corner().x + 6, buttons: 1, button: 0 }));
  document.dispatchEvent(new PointerEvent('pointermove', { ...at, clientX: corner().x + 62, buttons: 1 }));
  await expect.element(page.getByTestId('resize-value')).toBeVisible();
  await press('Escape');
  document.dispatchEvent(new PointerEvent('pointerup', { ...at, clientX: corner().x + 62 }));
  await expect.element(page.getByTestId('resize-value')).not.toBeInTheDocument();
  await expect.element(field('Duration')).toHaveValue('80 µs');
});

it('moves the focused block by Alt and an arrow without a selection, and announces what moved where', async () => {
  const { announcement, block } = await openExample('overlap/pinned-side-stream');
  await expect.element(block(0)).toBeVisible();
  (block(0).element() as HTMLElement).focus();
  expect(state().selection).toBeNull();
  await press('Alt+ArrowDown');
  await expect.element(announcement).toHaveTextContent('Moved H2D 20.0 MiB to stream legacy default');
});

it('resizes a block by plus and minus', async () => {
  const { block, field } = await openExample(example);
  await block(0).click();
  await press('-');
  await expect.element(heading(copyOfExample)).toBeVisible();
  await press('-', '-', '-');
  await expect.element(field('Size')).toHaveValue('10 MiB');
  await press('+');
  await expect.element(field('Size')).toHaveValue('12 MiB');
  await press('Control+z');
  await expect.element(field('Size')).toHaveValue('10 MiB');
});

it('changes the ends of a copy and their memory in its own fields', async () => {
  const { block, field, inspector } = await openExample('overlap/pageable-side-stream');
  await block(0).click();
  await inspector.getByRole('button', { name: 'Pin “source”' }).click();
  await expect.element(field('Memory of source')).toHaveValue('pinned');
  await expect.element(inspector.getByRole('button', { name: 'Pin “source”' })).not.toBeInTheDocument();
  await field('From').selectOptions('target');
  await expect.element(field('To')).toHaveValue('source');
  await expect.element(field('Memory of target')).toHaveValue('pinned');
  await press('Control+z', 'Control+z');
  await expect.element(field('From')).toHaveValue('source');
  await expect.element(field('Memory of source')).toHaveValue('pageable');
});

it('pastes what was copied into another experiment, with what it names', async () => {
  const { block, library, sheet } = await openExample(example);
  await block(0).click();
  await block(1).click({ modifiers: ['Shift'] });
  await press('Control+c');
  await library.getByRole('button', { name: 'New experiment' }).click();
  await expect.element(heading('New experiment')).toBeVisible();
  await sheet.css('[data-cursor]').click();
  await press('Escape');
  (sheet.css('[data-cursor]').element() as HTMLElement).focus();
  await press('Control+v');
  await expect.element(sheet).toHaveAttribute('data-operations', '2');
  const { page: shown, documents } = state();
  const pasted = documents[`experiment:${'id' in shown ? shown.id : ''}`];
  expect(pasted).toMatchObject({
    value: { buffers: [{ id: 'source' }, {}], streams: [{ id: 'side' }], events: [{ id: 'copied' }] },
  });
});

it('puts neighbours into a range, and takes them out again', async () => {
  const { block, field, sheet, tools } = await openExample(example);
  await block(2).click();
  await block(3).click({ modifiers: ['Control'] });
  await tools.getByRole('button', { name: 'Range' }).click();
  const group = sheet.getByRole('button', { name: 'range', exact: true });
  await expect.element(group).toHaveAttribute('aria-pressed', 'true');
  await field('Name').fill('second step');
  await press('Enter');
  await sheet.getByRole('button', { name: 'second step', exact: true }).click();
  await tools.getByRole('button', { name: 'Ungroup' }).click();
  await expect.element(group).not.toBeInTheDocument();
  await expect.element(sheet).toHaveAttribute('data-operations', '7');
});

/** Opens a new experiment with one multi-tensor copy, whose fields are shown. */
async function openMultiCopy() {
  const window = await openWorkbench();
  await press('Alt+n');
  await expect.element(heading('New experiment')).toBeVisible();
  await expect.element(page.css('[data-cursor]:focus')).toBeVisible();
  await press('a');
  const search = page.getByRole('textbox', { name: 'Add an operation or a template' });
  await expect.element(search).toHaveFocus();
  await type('Copy many tensors');
  await expect.element(page.getByRole('dialog').getByRole('button').first()).toHaveTextContent('Copy many tensors');
  await press('Enter');
  await expect.element(window.field('Strategy')).toBeVisible();
  return window;
}

it('offers a multi-tensor copy the options of its strategy', async () => {
  const { field, inspector, tools } = await openMultiCopy();
  await field('Slot size').fill('1 B');
  await press('Enter');
  await expect.element(field('Slot size')).toHaveAttribute('aria-invalid', 'true');
  await field('Slot size').fill('2 MiB');
  await press('Enter');
  await expect.element(field('Slot size')).not.toHaveAttribute('aria-invalid', 'true');
  await field('Size of each').fill('64 KiB, 1 MiB');
  await press('Enter');
  await inspector.getByRole('switch', { name: /^Pack CPU tensors/ }).click();
  await field('Strategy').selectOptions('threaded-pinning');
  await expect.element(field('Slot size')).not.toBeInTheDocument();
  await expect.element(field('Threads')).toHaveAttribute('placeholder', '4');
  await tools.getByText('JSON', { exact: true }).click();
  const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
  await expect.element(json).toHaveValue(expect.stringMatching(/65536,\s+1048576/));
  await expect.element(json).not.toHaveValue(expect.stringContaining('slotBytes'));
});

it('marks the blocks of a hazard, and a click on a mark shows it', async () => {
  const { block, inspector, sheet, open } = await openExample('races/changed-source-pinned', {
    examples: ['races/changed-source-synchronized'],
  });
  const marks = sheet.getByRole('button', { name: /^Hazard: / });
  await expect.element(marks.first()).toBeVisible();
  await expect.poll(() => marks.elements().length).toBe(2);
  await expect.element(block(2)).toHaveAccessibleName(expect.stringMatching(/Hazard: Source changed in flight/));
  await marks.first().click();
  await expect.element(block(1)).toHaveAttribute('aria-pressed', 'true');
  await expect.element(inspector.getByRole('article', { name: /^Hazard: / })).toBeInViewport();
  await open('Pinned source changed in time');
  await expect.element(marks).not.toBeInTheDocument();
});
