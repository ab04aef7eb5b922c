/** Long experiments: they open, are edited and are predicted beside the window, which says how far that is. */
import type { Page } from '@playwright/test';
import { longExperiment } from '../support/longExperiment.ts';
import { experimentOf } from '../unit/support/experiments.ts';
import { expect, test } from './support/test.ts';

/** The makespan that the lanes show. */
const end = (page: Page): Promise<string | null> => page.getByTestId('timeline-plot').getAttribute('data-makespan-ns');

test('20,000 operations are opened, edited and taken back, and the lanes follow each time', async ({
  window,
  page,
  server,
}) => {
  server.addExperiment('long', longExperiment(20_000));
  await page.reload();
  await window.open('20000 operations');
  const [sheet, plot] = [page.getByTestId('score-sheet'), page.getByTestId('timeline-plot')];
  await expect(sheet).toHaveAttribute('data-operations', '20000');
  await expect(plot).toBeVisible();
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  const first = await end(page);

  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('+');
  await expect(sheet.locator('[data-op="0"]')).not.toHaveText('work 5.00 µs');
  await expect.poll(() => end(page)).not.toBe(first);
  const longer = await end(page);
  expect(Number(longer)).toBeGreaterThan(Number(first));

  await page.keyboard.press('Control+d');
  await expect(sheet).toHaveAttribute('data-operations', '20001');
  await expect.poll(() => end(page)).not.toBe(longer);
  expect(Number(await end(page))).toBeGreaterThan(Number(longer));

  for (const [operations, lanes] of [
    ['20000', longer],
    ['20000', first],
  ] as const) {
    await page.keyboard.press('Control+z');
    await expect(sheet).toHaveAttribute('data-operations', operations);
    await expect.poll(() => end(page)).toBe(lanes);
  }
  await expect(sheet.locator('[data-op="0"]')).toContainText('work 5.00 µs');
  // What follows in the other workers has come too.
  await expect(window.status).toContainText('Makespan');
  await expect(window.status).toContainText('Hazards');
});

/**
 * In the page: what a worker predicts never comes, and how far that is only until it is half done, so that it takes as long
 * as somebody looks.
 */
function holdPredictions(): void {
  interface Message {
    /** What is called, with these arguments, or the call that it answers. */
    readonly m?: string;
    readonly a?: readonly unknown[];
    readonly i?: string;
  }
  const asked = new Set<string | undefined>();
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message: Message, ...rest: unknown[]) {
    if (message.m === 'predict') asked.add(message.i);
    postMessage.call(this, message, ...(rest as []));
  };
  const isHeld = ({ m, a, i }: Message): boolean => {
    if (m === undefined) return asked.has(i);
    const progress = (m === 'progress' ? a?.[1] : undefined) as { done: number; total: number } | undefined;
    return progress !== undefined && progress.done > progress.total / 2;
  };
  const listen = EventTarget.prototype.addEventListener;
  Worker.prototype.addEventListener = function (type: string, heard: unknown) {
    const hear = heard as (event: Event) => void;
    listen.call(this, type, (event) => {
      if (type !== 'message' || !isHeld((event as MessageEvent<Message>).data)) hear.call(this, event);
    });
  };
}

test('a prediction that takes long says how far it is, and is cancelled', async ({ window, page, server }) => {
  const kernel = { op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 } } as const;
  const document = experimentOf({ name: 'many rounds' }, [
    { op: 'work', durationNs: 1000 },
    { op: 'repeat', count: 1_500_000, operations: [kernel] },
  ]);
  server.addExperiment('rounds', document);
  await page.addInitScript(holdPredictions);
  await page.reload();
  await window.open('many rounds');
  const bar = window.timeline.getByRole('progressbar', { name: 'Progress of the prediction' });
  await expect(bar).toBeVisible();
  await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeLessThan(100);
  await window.timeline.getByRole('button', { name: 'Cancel' }).click();
  await expect(window.timeline.getByRole('heading', { name: 'Not run yet' })).toBeVisible();
  await expect(bar).toBeHidden();
  // The next edit is predicted: here without the rounds.
  await page
    .getByTestId('score-sheet')
    .getByRole('button', { name: /1500000/ })
    .click();
  await page.keyboard.press('Delete');
  await expect(page.getByTestId('timeline-plot')).toBeVisible();
});
