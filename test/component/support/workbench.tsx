/**
 * How to write a component test. A test file renders the whole window with openWorkbench(), or one view with renderView(),
 * before a host in memory, and uses it as a person does:
 *
 *     it('opens an example', async () => {
 *       const { host, library, page } = await openWorkbench();
 *       await library.getByRole('button', { name: 'Same stream' }).click();
 *       await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Same stream');
 *     });
 *
 * - Each call begins anew: stores, storage, address and host. What is in the library is given to openWorkbench().
 * - A test asserts roles, values and effects: what the store (`state()`) or the host (`host.experiments`) then holds.
 * - Keys are pressed with press('Control+z', 'Escape'), the mouse is dragged with drag(). Waits are expect.element() and
 *   expect.poll(); none compares clocks.
 * - All files run in one page after another, and share its modules. Nothing may be left behind by a test that a later one sees.
 */
import { MantineProvider } from '@mantine/core';
import type { ReactNode } from 'react';
import { expect } from 'vitest';
import { commands, type Locator, page } from 'vitest/browser';
import { cleanup, render } from 'vitest-browser-react';
import { cssVariables, theme } from '../../../renderer/common/theme.ts';
import { connect } from '../../../renderer/connection/connect.ts';
import { App } from '../../../renderer/shell/App.tsx';
import { CurrentScheme } from '../../../renderer/shell/CurrentScheme.tsx';
import { setService } from '../../../renderer/store/host.ts';
import { openPage } from '../../../renderer/store/pages.ts';
import { state } from '../../../renderer/store/store.ts';
import type { Page } from '../../../renderer/store/types.ts';
import { serve } from './bridge.ts';
import { type Contents, MemoryHost } from './memoryHost.ts';
import { resetStores } from './stores.ts';

/** The window begins anew, connected to a host in memory with these contents. Nothing is rendered. */
export async function begin(contents: Contents = {}): Promise<MemoryHost> {
  await cleanup();
  // Keys go where the focus is: into this frame.
  window.focus();
  setService(null);
  resetStores();
  localStorage.clear();
  history.replaceState(null, '', location.pathname + location.search);
  const host = await MemoryHost.with(contents);
  serve(host);
  connect();
  await expect.poll(() => state().connection.status).toBe('open');
  return host;
}

/** Renders one view as it stands in the window. */
export async function renderView(view: ReactNode, contents: Contents = {}): Promise<MemoryHost> {
  const host = await begin(contents);
  await render(
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="light">
      <CurrentScheme>{view}</CurrentScheme>
    </MantineProvider>,
  );
  return host;
}

/** The whole window, by its regions. */
export interface Workbench {
  readonly host: MemoryHost;
  readonly library: Locator;
  readonly timeline: Locator;
  readonly inspector: Locator;
  readonly status: Locator;
  readonly sheet: Locator;
  readonly plot: Locator;
  readonly verdict: Locator;
  readonly announcement: Locator;
  /** The toolbar of the score. */
  readonly tools: Locator;
  /** A field of the inspector. */
  field(label: string): Locator;
  /** Opens what the library lists under this name. */
  open(name: string): Promise<void>;
  /** The block of an operation in the score. */
  block(op: number): Locator;
  /** Runs what is open, and waits for the run's lanes. */
  run(): Promise<void>;
}

/** What the window shows at first, beside what is in the library. */
export type Opening = Contents & { readonly page?: Page };

export async function openWorkbench({ page: first, ...contents }: Opening = {}): Promise<Workbench> {
  const shown = first?.kind === 'example' ? [first.id] : [];
  const host = await begin({ ...contents, examples: [...shown, ...(contents.examples ?? [])] });
  if (first !== undefined) openPage(first);
  await render(<App />);
  const library = page.getByRole('region', { name: 'Library', exact: true });
  const timeline = page.getByRole('region', { name: 'Timeline' });
  const inspector = page.getByRole('region', { name: 'Inspector' });
  const sheet = page.getByTestId('score-sheet');
  return {
    ...{ host, library, timeline, inspector, sheet },
    status: page.getByRole('region', { name: 'Status' }),
    plot: timeline.getByTestId('timeline-plot'),
    verdict: inspector.getByRole('article', { name: /^Verdict on/ }),
    announcement: page.getByTestId('announcement'),
    tools: page.getByRole('toolbar', { name: 'Score tools' }),
    field: (label) => inspector.getByLabelText(label, { exact: true }),
    block: (op) => sheet.css(`[data-op="${op}"]`),
    async open(name) {
      await library.getByRole('button', { name, exact: true }).click();
      await expect.element(heading(name)).toBeVisible();
    },
    async run() {
      const before = Object.keys(state().runs).length;
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect.poll(() => Object.keys(state().runs).length).toBe(before + 1);
      const id = Object.keys(state().runs).at(-1) ?? '';
      await expect.poll(() => state().loadedRuns[id]?.status).toBe('ready');
      await expect.element(page.getByRole('button', { name: 'Run', exact: true })).toBeVisible();
    },
  };
}

/** The window with an example open. */
export const openExample = (id: string, contents: Contents = {}): Promise<Workbench> =>
  openWorkbench({ ...contents, page: { kind: 'example', id } });

export const heading = (name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });

/** Presses keys, each as 'Control+Shift+z', where the focus is. */
export const press = (...keys: string[]): Promise<void> => commands.press(keys);

/** Types text where the focus is. */
export const type = (text: string): Promise<void> => commands.insertText(text);

type Point = readonly [x: number, y: number];

/** Drags the mouse from the first point over the others, in pixels of the page. */
export const drag = (...points: Point[]): Promise<void> => commands.mouse(points, true);

/** Moves the mouse to a point. */
export const moveTo = (...point: Point): Promise<void> => commands.mouse([point], false);

/** Pixels of the page. */
export const boxOf = (locator: Locator): DOMRect => locator.element().getBoundingClientRect();

/** A number that an element keeps in its dataset. */
export const numberOf = (locator: Locator, name: string): number =>
  Number((locator.element() as HTMLElement).dataset[name] ?? Number.NaN);

export { page };
