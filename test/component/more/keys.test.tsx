/** Work by keyboard: F6 through the parts of the window, remedies, the engine, and a program in a few lines. */
import { expect, it } from 'vitest';
import { currentExperiment } from '../../../renderer/store/select.ts';
import { state } from '../../../renderer/store/store.ts';
import { engine, heading, openExample, openWorkbench, page, press, tabTo, type } from '../support/workbench.tsx';

const pinned = 'overlap/pinned-side-stream';
const areas = [
  ...['Library', 'Build', 'Plan', 'Score tools', 'Score', 'Comparison', 'Differences'],
  ...['Timeline', 'Inspector', 'Status'],
];

/** Returns the innermost part of the window that has the focus. */
function focusedArea(): string {
  for (let element = document.activeElement; element !== null; element = element.parentElement) {
    const name = element.getAttribute('aria-label') ?? '';
    if (element === document.querySelector('header')) return 'header';
    if (areas.includes(name)) return name;
  }
  return '';
}

/** Returns the parts of the window in the order of F6, until one repeats. */
async function areasByF6(): Promise<string[]> {
  const found: string[] = [];
  for (let times = 0; times < 20; times += 1) {
    await press('F6');
    const area = focusedArea();
    if (found.includes(area)) return found;
    found.push(area);
  }
  return found;
}

const focusLibrary = (): void => page.getByRole('textbox', { name: 'Search the library' }).element().focus();

it('goes through every panel by F6, and the Build panel and the score too', async () => {
  const { plot } = await openExample(pinned);
  await expect.element(plot).toBeVisible();
  await expect.element(page.getByTestId('score-sheet')).toBeVisible();
  focusLibrary();
  const parts = ['Score tools', 'Score', 'Timeline', 'Inspector', 'Status', 'header', 'Library'];
  expect(await areasByF6()).toEqual(parts);
  await page.getByText('Build', { exact: true }).click();
  await expect.element(page.getByRole('region', { name: 'Build' })).toBeVisible();
  page.getByRole('textbox', { name: 'Search operations' }).element().focus();
  expect((await areasByF6()).at(-1)).toBe('Build');
  // F6 moves the focus into the score to the cursor's cell, where its keys work.
  for (let times = 0; times < 8 && focusedArea() !== 'Score'; times += 1) await press('F6');
  await expect.element(page.css('[data-cursor]')).toHaveFocus();
});

it('skips top bar and library by the first stop of Tab', async () => {
  await openExample(pinned);
  (document.activeElement as HTMLElement | null)?.blur();
  const skip = page.getByRole('button', { name: 'Skip to the page' });
  (skip.element() as HTMLElement).focus();
  await press('Enter');
  expect(document.activeElement?.hasAttribute('data-page')).toBe(true);
  await press('Tab');
  expect(document.activeElement?.closest('[data-page]')).not.toBeNull();
  const buttons = [...document.querySelectorAll('button, a[href], input, [tabindex="0"]')];
  expect(buttons[0]).toBe(skip.element());
});

it('completes a typed operation at Enter, and shows the form of one that it does not take', async () => {
  const { sheet } = await openWorkbench();
  await press('Alt+n');
  await expect.element(page.css('[data-cursor]')).toHaveFocus();
  await press('a');
  const line = page.getByRole('textbox', { name: 'Add an operation or a template' });
  await expect.element(line).toHaveFocus();
  await type('copy 64 MB sideways');
  await expect.element(page.getByRole('dialog')).toHaveTextContent('copy [h2d | d2h] SIZE');
  await line.fill('copy 64 MB pinn');
  await expect.element(page.getByRole('button', { name: '… pinned', exact: true })).toBeVisible();
  await press('Enter');
  await expect.element(line).toHaveValue('copy 64 MB pinned ');
  await press('Enter');
  await expect.element(sheet).toHaveAttribute('data-operations', '1');
});

it('applies a remedy by keys and undoes it, and the focus stays in the inspector', async () => {
  const { inspector, verdict } = await openExample('verdicts/same-stream');
  await expect.element(verdict).toHaveTextContent('Predicted gain');
  inspector.element().focus();
  await tabTo(/^Apply in a copy: Move "upload"/);
  await press('Enter');
  await expect.element(verdict).toHaveTextContent('Overlapped');
  await expect.element(inspector).toHaveFocus();
  await press('Control+z');
  await expect.element(heading('Same stream')).toBeVisible();
  await expect.element(inspector).toHaveFocus();
  await tabTo(/^Apply in a copy: Move "upload"/);
});

it('builds copy, kernel, event, second kernel and copy back with 14 keys beyond the text', async () => {
  const { host, sheet } = await openWorkbench();
  await press('Alt+n');
  await expect.element(page.css('[data-cursor]')).toHaveFocus();
  const lines = ['copy 64 MB pinned in side', 'kernel 500 us in default', 'record copied in side'];
  lines.push(
    'wait copied in default',
    'kernel 200 us reads target in default',
    'copy d2h 64 MB pinned from target in side',
  );
  for (const [at, line] of lines.entries()) {
    await press('a');
    await expect.element(page.getByRole('textbox', { name: 'Add an operation or a template' })).toHaveFocus();
    await type(line);
    await press('Enter');
    await expect.element(sheet).toHaveAttribute('data-operations', String(at + 1));
  }
  await press('Control+Enter');
  await expect.poll(() => host.runs.size).toBe(1);
  expect(currentExperiment(state())).toMatchObject({
    buffers: [
      { id: 'source', memory: 'pinned', bytes: 64e6 },
      { id: 'target', memory: 'device', bytes: 64e6 },
    ],
    threads: [
      {
        operations: [
          ...[{ op: 'copy', stream: 'side' }, { op: 'kernel', stream: 'default' }, { op: 'recordEvent' }],
          ...[{ op: 'waitEvent', stream: 'default' }, { op: 'kernel' }, { op: 'copy', src: 'target', dst: 'source' }],
        ],
      },
    ],
  });
});

it('opens the list of keys with ?, and Escape gives the focus back', async () => {
  await openExample(pinned);
  const run = page.getByRole('button', { name: 'Run', exact: true });
  await expect.element(run).toBeEnabled();
  run.element().focus();
  await press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard and mouse' });
  await expect.element(help).toBeVisible();
  await press('Escape');
  await expect.element(help).not.toBeInTheDocument();
  await expect.element(run).toHaveFocus();
});

it('picks the engine with the arrow keys', async () => {
  await openExample(pinned);
  await expect.element(engine()).toBeEnabled();
  engine().element().focus();
  await press('ArrowDown');
  await expect.element(page.getByRole('listbox', { name: 'Engine' })).toBeVisible();
  await press('ArrowDown', 'Enter');
  await expect.element(page.getByRole('listbox', { name: 'Engine' })).not.toBeInTheDocument();
  expect(state().engine).not.toBeNull();
});

it('opens an experiment and a lesson by name from the palette, and sets the theme', async () => {
  await openWorkbench({ examples: ['verdicts/launch-queue-full'] });
  const pick = async (text: string, name: RegExp): Promise<void> => {
    await press('Control+k');
    await expect.element(page.getByRole('textbox', { name: 'Search commands' })).toHaveFocus();
    await type(text);
    await expect.element(page.getByRole('dialog').getByRole('button').first()).toHaveTextContent(name);
    await press('Enter');
  };
  await pick('launch queue', /Launch queue full/);
  await expect.element(heading('Launch queue full')).toBeVisible();
  await pick('first overlap', /first overlap/i);
  await expect.element(page.getByRole('region', { name: 'Lesson' })).toBeVisible();
  await pick('dark', /Dark theme/);
  await expect.poll(() => document.documentElement.dataset['mantineColorScheme']).toBe('dark');
});
