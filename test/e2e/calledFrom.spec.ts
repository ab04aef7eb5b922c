/** A recording's copies and waits by the line that issued them: the table, the lanes, the stack and the verdict. */
import { steps } from '../unit/import/recorded/recordingBytes.ts';
import { looksRight } from './support/looks.ts';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

async function openRecording(window: Window): Promise<void> {
  await window.openFile('train.cprec', Buffer.from(steps(6).bytes()));
  await expect(window.page.getByRole('heading', { level: 1, name: 'train' })).toBeVisible();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
}

test('by mouse: a line leads to its copies in the lanes, and those to the stack', async ({ window }) => {
  await openRecording(window);
  await expect(window.inspector).toContainText('Issued by train.py:12 in step.');
  await window.show('Table');
  await window.timeline.getByText('Called from', { exact: true }).click();
  const rows = window.timeline.getByRole('region', { name: 'Called from' }).getByRole('row');
  await expect(rows).toHaveText([
    /^Line.*What.*Count.*Bytes.*Time.*Of the step/,
    'train.py:14 in stepwait6270 µs50.0 %',
    'train.py:12 in stepH2D copy66.00 MiB144 µs26.7 %',
  ]);
  await expect(window.timeline.getByText('Step: ranges named "step".')).toBeVisible();
  await window.timeline.getByRole('button', { name: 'Bytes' }).click();
  await expect(rows.nth(1)).toContainText('H2D copy');
  await window.timeline.getByRole('textbox', { name: 'Filter the table by text' }).fill('wait');
  await expect(rows).toHaveCount(2);
  await window.timeline.getByRole('textbox', { name: 'Filter the table by text' }).fill('none such');
  await expect(window.timeline).toContainText('None of 2 lines has this text.');
  await window.timeline.getByRole('textbox', { name: 'Filter the table by text' }).fill('');
  await rows.filter({ hasText: 'H2D copy' }).click();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toHaveText('6 H2D copies from train.py:12 in step');
  const stack = window.inspector.getByRole('region', { name: 'Called from' });
  await expect(stack.getByRole('listitem')).toHaveText(['step…/nn/f.py:9', 'steptrain.py:12']);
  await window.inspector.getByRole('region', { name: 'Each' }).getByRole('button').nth(2).click();
  await expect(window.inspector.getByRole('heading', { level: 2 })).toHaveText('H2D 1.00 MiB');
  await expect(stack.getByRole('listitem')).toHaveCount(2);
});

test('by keyboard, in both themes', async ({ window }) => {
  const { page } = window;
  await openRecording(window);
  await window.show('Table');
  await window.timeline.getByText('Called from', { exact: true }).click();
  const table = window.timeline.getByRole('region', { name: 'Called from' });
  await looksRight(page);
  await table.getByRole('row').nth(1).focus();
  await page.keyboard.press('ArrowDown');
  await expect(table.getByRole('row').nth(2)).toBeFocused();
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(window.timeline.getByTestId('timeline-announcement')).toHaveText(
    'Selected 6 waits from train.py:14 in step.',
  );
  await looksRight(page);
  await page.keyboard.press('Escape');
  await expect(window.inspector.getByRole('heading', { level: 2 }).first()).toContainText('Makespan');
});

test('a trace without stacks says where they come from', async ({ window }) => {
  await window.openFile(
    'plain.json',
    Buffer.from(
      JSON.stringify({
        traceEvents: [
          { ph: 'X', cat: 'kernel', name: 'gemm', pid: 0, tid: 7, ts: 1, dur: 5, args: { device: 0, stream: 7 } },
        ],
      }),
    ),
  );
  await expect(window.page.getByRole('heading', { level: 1, name: 'plain' })).toBeVisible();
  await window.show('Table');
  await window.timeline.getByText('Called from', { exact: true }).click();
  await expect(window.timeline.getByRole('heading', { name: 'This trace has no stacks' })).toBeVisible();
  await expect(window.timeline).toContainText('with_stack=True');
});
