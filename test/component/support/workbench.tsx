/**
 * How to write a component test. A test file renders the whole window with openWorkbench(), before a host in memory, and
 * uses it as a person does:
 *
 *     it('opens an example', async () => {
 *       const { host, library, page } = await openWorkbench();
 *       await library.getByRole('button', { name: 'Same stream' }).click();
 *       await expect.element(page.getByRole('heading', { level: 1 })).toHaveTextContent('Same stream');
 *     });
 *
 * - Each call begins anew: stores, storage, address and host. openWorkbench() gets the library's content.
 * - A test asserts roles, values and effects: what the store (`state()`) or the host (`host.experiments`) then holds.
 * - Keys are pressed with press('Control+z', 'Escape'), the mouse is dragged with drag(). Waits are expect.element() and
 *   expect.poll(); none compares clocks.
 * - All files run in one page after another, and share its modules. Nothing may be left behind by a test that a later one sees.
 */
import { notifications } from '@mantine/notifications';
import { spotlight } from '@mantine/spotlight';
import { expect, vi } from 'vitest';
import { commands, type Locator, page } from 'vitest/browser';
import { cleanup, render } from 'vitest-browser-react';
import type { Imported } from '../../../core/service/service.ts';
import { dropFocusWish } from '../../../renderer/score/editor.ts';
import { App } from '../../../renderer/shell/App.tsx';
import { connect } from '../../../renderer/store/connection/connect.ts';
import { forgetDocument } from '../../../renderer/store/editing/histories.ts';
import { setService } from '../../../renderer/store/host.ts';
import type { LoadedRun } from '../../../renderer/store/opened/loadedRun.ts';
import { openPage } from '../../../renderer/store/pages.ts';
import { shownRunId } from '../../../renderer/store/select.ts';
import { state } from '../../../renderer/store/store.ts';
import type { Page } from '../../../renderer/store/types.ts';
import { naturalArrangement } from '../../../renderer/timeline/tracks/arrangement.ts';
import { arrange } from '../../../renderer/timeline/tracks/useArrangement.ts';
import { serve } from './bridge.ts';
import { type Contents, fileBytes, MemoryHost } from './memoryHost.ts';
import { resetStores } from './stores.ts';

/** Forgets edits: the documents of examples and lessons have the same keys in every test. */
function forgetDocuments(): void {
  for (const key of Object.keys(state().documents)) {
    forgetDocument(key);
  }
}

const lanesPrefix = 'copyscope:lanes:';

/** Resets the lanes of every run that a test arranged to their natural order. */
function forgetLanes(): void {
  for (const key of Object.keys(localStorage).filter((one) => one.startsWith(lanesPrefix))) {
    const name = key.slice(lanesPrefix.length);
    arrange({ id: name, run: { info: { experiment: { name } } } } as LoadedRun, naturalArrangement);
  }
}

type Beginning = Contents & {
  /** Keeps the window's stored state of the previous test. */
  readonly keepStorage?: boolean;
};

/** Resets the window, and connects it to a host in memory with these contents. Renders nothing. */
async function begin({ keepStorage, ...contents }: Beginning = {}): Promise<MemoryHost> {
  await cleanup();
  vi.restoreAllMocks();
  notifications.clean();
  spotlight.close();
  // Mantine appends a new portal node, which is last in the body as on a fresh page.
  for (const portal of document.querySelectorAll('[data-mantine-shared-portal-node]')) portal.remove();
  if (innerWidth !== 1280 || innerHeight !== 800) await page.viewport(1280, 800);
  // Keys go to the focused frame: this one.
  window.focus();
  forgetDocuments();
  setService(null);
  dropFocusWish();
  forgetLanes();
  resetStores();
  if (keepStorage !== true) localStorage.clear();
  history.replaceState(null, '', location.pathname + location.search);
  const host = await MemoryHost.with(contents);
  serve(host);
  connect();
  await expect.poll(() => state().connection.status).toBe('open');
  return host;
}

/** Parts of the whole window. */
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
  /** Toolbar of the score. */
  readonly tools: Locator;
  /** Returns a field of the inspector. */
  field(label: string): Locator;
  /** Opens the library's item with this name. */
  open(name: string): Promise<void>;
  /** Returns the block of an operation in the score. */
  block(op: number): Locator;
  /** Runs the open experiment, waits until the run is shown, and returns its id. */
  run(): Promise<string>;
}

/** Contents of the library, and the page shown first. */
export type Opening = Beginning & { readonly page?: Page };

export async function openWorkbench({ page: first, ...contents }: Opening = {}): Promise<Workbench> {
  const shown = first?.kind === 'example' ? [first.id] : [];
  const host = await begin({ ...contents, examples: [...shown, ...(contents.examples ?? [])] });
  if (first !== undefined) openPage(first);
  // The window fills the page, as in the app.
  (await render(<App />)).container.style.height = '100%';
  await expect.poll(() => document.querySelector('main')).not.toBeNull();
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
      const before = new Set(host.runs.keys());
      const made = (): string => [...host.runs.keys()].find((id) => !before.has(id)) ?? '';
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect.poll(() => state().loadedRuns[made()]?.status).toBe('ready');
      await expect.poll(() => shownRunId(state())).toBe(made());
      return made();
    },
  };
}

/** Opens the window with an example. */
/** The examples of which the four cases are recorded. */
export const four = ['pageable-same-stream', 'pageable-side-stream', 'pinned-same-stream', 'pinned-side-stream'].map(
  (name) => `overlap/${name}`,
);

export const openExample = (id: string, contents: Opening = {}): Promise<Workbench> =>
  openWorkbench({ ...contents, page: { kind: 'example', id } });

/** Opens the run of an imported file. */
export async function openPageOf(imported: Imported): Promise<void> {
  if (imported.kind !== 'run') throw new Error(`a run was wanted, and ${imported.kind} came`);
  // The event of a new run arrives a moment later.
  await expect.poll(() => state().runs[imported.run.id]).toBeDefined();
  openPage({ kind: 'run', id: imported.run.id });
  await expect.poll(() => state().loadedRuns[imported.run.id]?.status).toBe('ready');
}

/** Opens the window with a trace of PyTorch's profiler: a fixture of test/fixtures/pytorch-pairs. */
export async function openTrace(name: string, ...others: readonly string[]): Promise<Workbench> {
  const window = await openWorkbench();
  for (const each of [...others, name]) {
    const options = { name: `${each}.json.gz`, version: '0.0.0', modifiedAt: new Date(0) };
    const imported = await window.host.import(await fileBytes(`test/fixtures/pytorch-pairs/${options.name}`), options);
    if (each === name) await openPageOf(imported);
  }
  await expect.element(heading(name)).toBeVisible();
  await expect.element(window.plot).toBeVisible();
  return window;
}

/** Returns the names of the lanes, from the top. */
export const lanesOf = ({ timeline }: Workbench): string[] =>
  timeline
    .css('[data-lane-name]')
    .elements()
    .map(({ textContent }) => textContent ?? '');

export const heading = (name: string): Locator => page.getByRole('heading', { level: 1, name, exact: true });

/** Presses keys at the focus, each such as 'Control+Shift+z'. */
export const press = (...keys: string[]): Promise<void> => commands.press(keys);

/** Types text at the focus. */
export const type = (text: string): Promise<void> => commands.insertText(text);

type Point = readonly [x: number, y: number];

/** Drags the mouse from the first point over the others, in pixels of the page. */
export const drag = (...points: Point[]): Promise<void> => commands.mouse(points, true, innerWidth);

/** Moves the mouse to a point. */
export const moveTo = (...point: Point): Promise<void> => commands.mouse([point], false, innerWidth);

export const engine = (): Locator => page.getByRole('combobox', { name: 'Engine' });

export async function pickEngine(name: RegExp): Promise<void> {
  await engine().click();
  await page.getByRole('option', { name }).click();
}

/** Presses Tab until the focused element matches `name`. Throws if none does. */
export async function tabTo(name: RegExp): Promise<void> {
  for (let times = 0; times < 120; times += 1) {
    await press('Tab');
    const focused = document.activeElement;
    if (name.test(focused?.getAttribute('aria-label') ?? focused?.textContent ?? '')) return;
  }
  throw new Error(`Tab never reached ${name}`);
}

/** Replaces the clipboard in this test. Returns a function that reads the last copied text. */
export function copied(): () => string {
  let last = '';
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation(async (text) => {
    last = text;
  });
  return () => last;
}

/** Collects the files that the window saves from now on; nothing is downloaded. */
export function saved(): { readonly name: string; readonly content: Blob }[] {
  const files: { readonly name: string; readonly content: Blob }[] = [];
  const blobs = new Map<string, Blob>();
  const { createObjectURL } = URL;
  vi.spyOn(URL, 'createObjectURL').mockImplementation((blob) => {
    const address = createObjectURL(blob);
    blobs.set(address, blob as Blob);
    return address;
  });
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    const content = blobs.get(this.href);
    if (content !== undefined) files.push({ name: this.download, content });
  });
  return files;
}

/** Answers the next file dialog with these files. */
export function answerChooser(...files: readonly File[]): void {
  vi.spyOn(HTMLInputElement.prototype, 'click').mockImplementationOnce(function (this: HTMLInputElement) {
    const transfer = new DataTransfer();
    for (const file of files) transfer.items.add(file);
    this.files = transfer.files;
    this.dispatchEvent(new Event('change', { bubbles: true }));
  });
}

/** Returns a box in pixels of the page. */
export const boxOf = (locator: Locator): DOMRect => locator.element().getBoundingClientRect();

/** Resolves if an element has kept its place for ten frames: panels get their sizes some frames after drawing. */
export async function settled(locator: Locator): Promise<void> {
  let last = '';
  for (let still = 0; still < 10; still += 1) {
    await new Promise(requestAnimationFrame);
    const now = JSON.stringify(boxOf(locator));
    if (now !== last) still = 0;
    last = now;
  }
}

/** Returns a number of an element's dataset. */
export const numberOf = (locator: Locator, name: string): number =>
  Number((locator.element() as HTMLElement).dataset[name] ?? Number.NaN);

export { page };
