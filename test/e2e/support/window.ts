/** The window for tests: found by names and roles, never by its inner structure. */
import type { Locator, Page } from '@playwright/test';
import { expect } from './expect.ts';
import { seen } from './seen.ts';

export interface Activity {
  readonly name: string;
  readonly kind: string;
  readonly lane: string;
  readonly engine: string;
  readonly startNs: number;
  readonly durationNs: number;
  readonly bytes: string;
}

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

  /** Returns every activity of the shown iteration, from the timeline's table. */
  async activities(): Promise<Activity[]> {
    await this.show('Table');
    await expect(this.timeline.getByRole('cell').first()).toBeVisible();
    const rows = await this.timeline
      .getByRole('row')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim() ?? '')),
      );
    await this.show('Lanes');
    return rows.filter((cells) => cells.length > 0).map(activityOf);
  }

  async show(as: 'Lanes' | 'Table'): Promise<void> {
    await this.timeline.getByText(as, { exact: true }).click();
  }

  /** Card of the only verdict. */
  get verdict(): Locator {
    return this.inspector.getByRole('article', { name: /^Verdict on/ });
  }

  get alerts(): Locator {
    return this.page.getByRole('alert');
  }
}

function activityOf([
  name = '',
  kind = '',
  lane = '',
  engine = '',
  start = '',
  duration = '',
  bytes = '',
]: string[]): Activity {
  return { name, kind, lane, engine, startNs: nanoseconds(start), durationNs: nanoseconds(duration), bytes };
}

const factors: Readonly<Record<string, number>> = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9 };

/** Returns the nanoseconds of a duration in the window. */
function nanoseconds(text: string): number {
  const [, value, unit] = /^([\d.]+) (ns|µs|ms|s)$/.exec(text) ?? [];
  return value === undefined ? 0 : Number(value) * (factors[unit ?? ''] ?? Number.NaN);
}
