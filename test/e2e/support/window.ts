/** The window for tests: found by names and roles, never by its inner structure. */
import { expect, type Locator, type Page } from '@playwright/test';
import { seen } from './seen.ts';

export class Window {
  readonly page: Page;
  readonly library: Locator;
  readonly timeline: Locator;
  readonly inspector: Locator;
  readonly status: Locator;

  constructor(page: Page) {
    this.page = page;
    this.library = page.getByLabel('Library', { exact: true });
    this.timeline = page.getByRole('region', { name: 'Timeline' });
    this.inspector = page.getByRole('region', { name: 'Inspector' });
    this.status = page.getByRole('region', { name: 'Status' });
  }

  /** Waits until the library is read and the engine process has answered. */
  async ready(): Promise<void> {
    await expect(this.library.getByRole('region', { name: 'Examples' }).getByRole('button').first()).toBeVisible();
    await expect(this.status).toContainText('Engine process ready');
    await expect(this.status).toContainText('Connected');
  }

  async open(name: string): Promise<void> {
    await this.library.getByRole('button', { name, exact: true }).click();
    await expect(this.page.getByRole('heading', { level: 1, name })).toBeVisible();
  }

  /** Opens a file with the library's button. */
  async openFile(name: string, buffer: Buffer): Promise<void> {
    const [chooser] = await Promise.all([
      this.page.waitForEvent('filechooser'),
      this.library.getByRole('button', { name: /^Open a / }).click(),
    ]);
    await chooser.setFiles({ name, mimeType: 'application/octet-stream', buffer });
  }

  async pickEngine(name: RegExp): Promise<void> {
    await this.engine.click();
    await this.page.getByRole('option', { name }).click();
  }

  get engine(): Locator {
    return this.page.getByRole('combobox', { name: 'Engine' });
  }

  get runButton(): Locator {
    return this.page.getByRole('button', { name: 'Run', exact: true });
  }

  get cancelButton(): Locator {
    return this.page.getByRole('button', { name: 'Cancel', exact: true });
  }

  /** Runs the open experiment and waits until the run has ended and its lanes are shown, not the predicted ones. */
  async run(): Promise<void> {
    const ended = await seen(this.page.getByTestId('announcement'), /^Run of /);
    await this.runButton.click();
    await ended();
    await expect(this.timeline.getByTestId('timeline-plot')).toBeVisible();
    await expect(this.runButton).toBeVisible();
  }

  /** Runs in the library, newest first. */
  get runs(): Locator {
    return this.library.getByRole('region', { name: 'Runs' }).getByRole('listitem');
  }

  /** Returns the names of the lanes, from the top. */
  async lanes(): Promise<string[]> {
    await expect(this.timeline.locator('[data-testid="timeline-plot"][aria-busy="true"]')).toHaveCount(0);
    const names = this.timeline.locator('[data-lane-name]');
    return names.allTextContents();
  }

  /** Card of the only verdict. */
  get verdict(): Locator {
    return this.inspector.getByRole('article', { name: /^Verdict on/ });
  }

  get alerts(): Locator {
    return this.page.getByRole('alert');
  }
}
