/** Builds an experiment in the window as a person does: what hands it is done with, mouse or keyboard, is a subclass's. */
import type { Locator, Page } from '@playwright/test';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Operation, OperationName } from '../../../core/experiment/operations.ts';
import type { BufferDeclaration, Pattern } from '../../../core/experiment/resources.ts';
import { expect } from './expect.ts';
import type { Window } from './window.ts';

const titles: Partial<Readonly<Record<OperationName, string>>> = {
  copy: 'Copy',
  kernel: 'Kernel',
  recordEvent: 'Record event',
  work: 'Work',
  waitEvent: 'Wait for event',
  synchronizeEvent: 'Synchronize event',
  synchronizeStream: 'Synchronize stream',
};

export const titleOf = (operation: Operation): string => titles[operation.op] ?? operation.op;

/** Name of the score's row that an operation stands in. */
export function rowOf(operation: Operation, experiment: Experiment): string {
  if (!('stream' in operation) || operation.op === 'synchronizeStream') return experiment.threads[0]?.id ?? 'main';
  return operation.stream === 'default' ? 'legacy default' : operation.stream;
}

export abstract class Builder {
  readonly page: Page;
  readonly window: Window;
  readonly sheet: Locator;

  constructor(window: Window) {
    this.window = window;
    this.page = window.page;
    this.sheet = this.page.getByTestId('score-sheet');
  }

  abstract begin(): Promise<void>;
  abstract openSettings(): Promise<void>;
  abstract declare(what: 'buffer' | 'stream' | 'event'): Promise<void>;
  abstract add(title: string, row: string): Promise<void>;
  /** An event edge from the block of operation `from` to the end of a row. */
  abstract join(from: number, row: string): Promise<void>;
  abstract openFields(): Promise<void>;
  abstract leaveFields(): Promise<void>;
  abstract fill(label: string, text: string): Promise<void>;
  abstract choose(label: string, option: string): Promise<void>;
  abstract save(): Promise<void>;

  /** The whole of it, from an empty page. */
  async build(experiment: Experiment): Promise<void> {
    await this.begin();
    await this.openSettings();
    await this.set('Name', experiment.name);
    await this.set('Description', experiment.description);
    await this.leaveFields();
    for (const buffer of experiment.buffers) await this.#buffer(buffer);
    for (const { id } of experiment.streams) await this.#named('stream', id);
    for (const { id } of experiment.events) await this.#named('event', id);
    await this.#operations(experiment);
    await this.save();
  }

  async #named(what: 'stream' | 'event', id: string): Promise<void> {
    await this.declare(what);
    await this.set('Name', id);
    await this.leaveFields();
  }

  async #buffer(buffer: BufferDeclaration): Promise<void> {
    await this.declare('buffer');
    await this.set('Name', buffer.id);
    await this.set('Memory', buffer.memory);
    if (buffer.dtype !== undefined && buffer.shape !== undefined) {
      await this.set('Size given as', 'dtype and shape');
      await this.set('dtype', buffer.dtype);
      await this.set('Shape', buffer.shape.join(' × '));
    } else await this.set('Size', `${(buffer.bytes ?? 0) / 2 ** 20} MiB`);
    await this.#pattern(buffer.pattern);
    await this.leaveFields();
  }

  async #pattern(pattern: Pattern): Promise<void> {
    await this.set('Holds at first', pattern.kind);
    if (pattern.kind === 'constant') await this.set('Word', String(pattern.value));
    else await this.set('Seed', String(pattern.seed));
  }

  async #operations(experiment: Experiment): Promise<void> {
    const operations = experiment.threads[0]?.operations ?? [];
    const records = new Map<string, number>();
    for (const [number, operation] of operations.entries()) {
      const row = rowOf(operation, experiment);
      const waits = operation.op === 'waitEvent' || operation.op === 'synchronizeEvent';
      const from = waits ? records.get(operation.event) : undefined;
      if (from === undefined) await this.add(titleOf(operation), row);
      else await this.join(from, row);
      await expect(this.sheet).toHaveAttribute('data-operations', String(number + 1));
      // The fields follow the new block a frame later.
      await expect(this.window.inspector.getByText(/^Operation \d+$/)).toHaveText(`Operation ${number + 1}`);
      await this.openFields();
      await this.#fields(operation);
      await this.leaveFields();
      if (operation.op === 'recordEvent') records.set(operation.event, number);
    }
  }

  async #fields(operation: Operation): Promise<void> {
    if (operation.op === 'copy') {
      await this.set('From', operation.src);
      await this.set('To', operation.dst);
    }
    if (operation.op === 'kernel' && operation.kernel.kind === 'stream') {
      await this.set('Kernel', 'streams over bytes');
      await this.set('Passes', String(operation.kernel.passes));
      await this.set('Reads', operation.reads[0] ?? '');
      await this.set('Writes', operation.writes[0] ?? '');
    }
    if (operation.op === 'work') await this.set('Duration', `${operation.durationNs / 1000} us`);
    if ('event' in operation) await this.set('Event', operation.event);
    if ('stream' in operation) await this.set('Stream', operation.stream);
    if (operation.label !== undefined) await this.set('Label', operation.label);
  }

  field(label: string): Locator {
    return this.window.inspector.getByLabel(label, { exact: true });
  }

  /** Changes a field where it is not as wanted already. */
  async set(label: string, wanted: string): Promise<void> {
    const field = this.field(label);
    await expect(field).toBeVisible();
    const shown = (): Promise<string> =>
      field.evaluate((element) =>
        element instanceof HTMLSelectElement
          ? (element.selectedOptions[0]?.textContent ?? '')
          : (element as HTMLInputElement).value,
      );
    if ((await shown()) === wanted) return;
    const isChoice = await field.evaluate((element) => element instanceof HTMLSelectElement);
    if (isChoice) await this.choose(label, wanted);
    else await this.fill(label, wanted);
    await expect.poll(shown).toBe(wanted);
  }

  /** Names of the score's rows, from the top. */
  async rows(): Promise<string[]> {
    return this.sheet.locator('[data-kind] span').allTextContents();
  }
}

/** With the mouse; text is typed, as nobody types with a mouse. */
export class MouseBuilder extends Builder {
  async begin(): Promise<void> {
    await this.window.library.getByRole('button', { name: 'New experiment' }).click();
    await expect(this.page.getByRole('heading', { level: 1, name: 'New experiment' })).toBeVisible();
    await this.page.getByText('Build', { exact: true }).click();
  }

  async openSettings(): Promise<void> {
    await this.page.getByRole('button', { name: 'Experiment settings' }).click();
  }

  async declare(what: string): Promise<void> {
    await this.page.getByRole('button', { name: `Add a ${what}` }).click();
  }

  async add(title: string, row: string): Promise<void> {
    const palette = this.page.getByRole('region', { name: 'Build' });
    await this.#scroll(Number.MAX_SAFE_INTEGER);
    await this.#drag(palette.getByRole('button', { name: title, exact: true }), row);
  }

  async join(from: number, row: string): Promise<void> {
    const block = this.sheet.getByRole('listitem').filter({ has: this.page.locator(`[data-op="${from}"]`) });
    await this.#scroll(await block.evaluate((element) => (element as HTMLElement).offsetLeft - 160));
    await this.#drag(this.page.getByTestId(`edge-handle-${from}`), row);
  }

  async openFields(): Promise<void> {}
  async leaveFields(): Promise<void> {}

  async fill(label: string, text: string): Promise<void> {
    await this.field(label).fill(text);
    await this.window.inspector.getByRole('heading').first().click();
  }

  async choose(label: string, option: string): Promise<void> {
    await this.field(label).selectOption({ label: option });
  }

  async save(): Promise<void> {
    await this.page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(this.page.getByText('Not saved')).toBeHidden();
  }

  /** Scrolls the score, as with the wheel. */
  async #scroll(left: number): Promise<void> {
    await this.sheet.evaluate((element, to) => element.parentElement?.scrollTo({ left: to }), left);
  }

  /** From an element to the end of a row: the first column with no block in it. */
  async #drag(from: Locator, row: string): Promise<void> {
    const count = Number(await this.sheet.getAttribute('data-operations'));
    const target = async (): Promise<{ x: number; y: number }> => {
      const head = this.sheet.getByText(String(count + 1), { exact: true });
      const gutter = this.sheet.locator('[data-kind] > div').filter({ has: this.page.getByText(row, { exact: true }) });
      const [column, line] = [await head.boundingBox(), await gutter.boundingBox()];
      if (column === null || line === null) throw new Error(`row ${row}, column ${count + 1} is not on screen`);
      return { x: column.x + 20, y: line.y + line.height / 2 };
    };
    await from.scrollIntoViewIfNeeded();
    const start = await from.boundingBox();
    if (start === null) throw new Error('what is to be dragged is not on screen');
    await this.page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
    await this.page.mouse.down();
    await this.page.mouse.move(start.x + start.width / 2 + 8, start.y + start.height / 2 + 8, { steps: 2 });
    const end = await target();
    await this.page.mouse.move(end.x, end.y, { steps: 4 });
    await this.page.mouse.up();
  }
}

/** With the keyboard alone. */
export class KeyboardBuilder extends Builder {
  async begin(): Promise<void> {
    await this.page.keyboard.press('Alt+n');
    await expect(this.page.getByRole('heading', { level: 1, name: 'New experiment' })).toBeVisible();
  }

  async openSettings(): Promise<void> {
    await this.#command('Name, description and environment');
  }

  async declare(what: string): Promise<void> {
    const before = await this.window.inspector.getByRole('heading').first().textContent();
    await this.#command(`Add a ${what}`);
    await expect(this.window.inspector.getByRole('heading').first()).not.toHaveText(before ?? '');
    await this.#atField('Name');
  }

  async add(title: string, row: string): Promise<void> {
    await this.#goToEndOf(row);
    await this.page.keyboard.press('a');
    await this.#pick('Add an operation or a template', title);
    await expect(this.page.locator(':focus')).toHaveAttribute('data-op', /\d/);
  }

  async join(from: number, row: string): Promise<void> {
    await this.#goTo(from);
    await this.page.keyboard.press('e');
    await this.#goToEndOf(row);
    await this.page.keyboard.press('Enter');
    await expect(this.page.locator(':focus')).toHaveAttribute('data-op', /\d/);
  }

  async openFields(): Promise<void> {
    await this.page.keyboard.press('Enter');
    await expect(this.window.inspector.locator(':focus')).toBeVisible();
  }

  async leaveFields(): Promise<void> {
    await this.page.keyboard.press('Escape');
    await expect(this.page.locator(':focus')).toHaveAttribute('data-cursor', /.*/);
  }

  async fill(label: string, text: string): Promise<void> {
    await this.#atField(label);
    await this.page.keyboard.press('Control+a');
    await this.page.keyboard.insertText(text);
    // In a text of several lines Enter begins a line; leaving it takes the value over.
    const isLong = await this.field(label).evaluate((element) => element instanceof HTMLTextAreaElement);
    await this.page.keyboard.press(isLong ? 'Tab' : 'Enter');
  }

  async choose(label: string, option: string): Promise<void> {
    await this.#atField(label);
    // An option is found by its first letters as long as no second lies between two of them: they say themselves when they were.
    const keys = await this.page.context().newCDPSession(this.page);
    const begin = Date.now() / 1000;
    for (const [number, text] of [...option].entries()) {
      const timestamp = begin + number / 1000;
      await keys.send('Input.dispatchKeyEvent', { type: 'keyDown', key: text, text, timestamp });
      await keys.send('Input.dispatchKeyEvent', { type: 'keyUp', key: text, timestamp });
    }
    await keys.detach();
  }

  async save(): Promise<void> {
    await this.page.keyboard.press('Control+s');
    await expect(this.page.getByText('Not saved')).toBeHidden();
  }

  async #command(title: string): Promise<void> {
    await this.page.keyboard.press('Control+k');
    await this.#pick('Search commands', title);
  }

  async #pick(search: string, title: string): Promise<void> {
    await expect(this.page.getByRole('textbox', { name: search })).toBeFocused();
    await this.page.keyboard.insertText(title);
    await expect(this.page.getByRole('dialog').getByRole('button').first()).toContainText(title);
    await this.page.keyboard.press('Enter');
    await expect(this.page.getByLabel(search)).toBeHidden();
  }

  /** Tab, forwards or backwards, to the field of this name. */
  async #atField(label: string): Promise<void> {
    const field = this.field(label);
    const isFocused = (): Promise<boolean> => field.evaluate((element) => element === document.activeElement);
    await expect(this.window.inspector.locator(':focus')).toBeVisible();
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let step = 0; step < 16; step += 1) {
        if (await isFocused()) return;
        await this.page.keyboard.press(key);
      }
    }
    throw new Error(`Tab never reached ${label}`);
  }

  /** The row and the column of the cursor, as it is told to screen readers. */
  async #place(): Promise<{ row: string; column: number }> {
    const label = (await this.sheet.locator('[data-cursor]').getAttribute('aria-label')) ?? '';
    const [, row = '', column = ''] = /, ([^,]+), column (\d+)/.exec(label) ?? [];
    return { row, column: Number(column) };
  }

  async #goToEndOf(row: string): Promise<void> {
    const rows = await this.rows();
    const steps = rows.indexOf(row) - rows.indexOf((await this.#place()).row);
    for (let step = 0; step < Math.abs(steps); step += 1) {
      await this.page.keyboard.press(steps > 0 ? 'ArrowDown' : 'ArrowUp');
    }
    await this.page.keyboard.press('End');
    expect((await this.#place()).row).toBe(row);
  }

  async #goTo(op: number): Promise<void> {
    const label = (await this.sheet.locator(`[data-op="${op}"]`).getAttribute('aria-label')) ?? '';
    const [, row = '', column = ''] = /, ([^,]+), column (\d+)/.exec(label) ?? [];
    await this.#goToEndOf(row);
    for (let at = (await this.#place()).column; at > Number(column); at -= 1) {
      await this.page.keyboard.press('ArrowLeft');
    }
    await expect(this.page.locator(':focus')).toHaveAttribute('data-op', String(op));
  }
}
