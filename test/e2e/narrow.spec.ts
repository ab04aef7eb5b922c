/** With little room: nothing that matters is cut off, and no toolbar takes more lines than it needs. */
import { expect, test } from './support/test.ts';

const isWhole = (element: Element): boolean => element.scrollWidth <= element.clientWidth;

test('what is wrong stays in the status line when the window is small or enlarged', async ({ window, page }) => {
  await window.open('Result read too early');
  await expect(window.status).toContainText('bytes wrong');
  // As 1280 by 800 at 150 %.
  await page.setViewportSize({ width: 853, height: 533 });
  await expect.poll(() => window.status.evaluate(isWhole)).toBe(true);
  await expect(window.status.getByRole('button', { name: /^Hazards: 1/ })).toBeInViewport({ ratio: 1 });
  await expect(window.status.getByText('bytes wrong')).toBeInViewport({ ratio: 1 });
  await window.open('Strategy B: one stream for each step');
  await expect(window.status).toContainText('D2H with kernel');
  await expect.poll(() => window.status.evaluate(isWhole)).toBe(true);
});

test('a lesson has its controls in one line each, and its buttons whole', async ({ window, page }) => {
  await page.getByRole('button', { name: 'Lessons', exact: true }).click();
  await page.getByRole('button', { name: /The four cases/ }).click();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('radio').first().click();
  await page.getByRole('button', { name: 'Answer, and run it' }).click();
  const tools = window.timeline.getByRole('toolbar', { name: 'Timeline tools' });
  await expect(tools).toBeVisible();
  await expect.poll(async () => (await tools.boundingBox())?.height).toBeLessThan(48);
  const middleOf = async (control: ReturnType<typeof page.getByRole>): Promise<number> => {
    const box = await control.boundingBox();
    return box === null ? Number.NaN : box.y + box.height / 2;
  };
  const [shown, engine] = [page.getByRole('radiogroup', { name: 'Run shown' }), window.engine];
  await expect.poll(async () => Math.abs((await middleOf(shown)) - (await middleOf(engine)))).toBeLessThan(3);
  await page.setViewportSize({ width: 1024, height: 768 });
  for (const name of ['Back', 'Next']) {
    const label = page.getByRole('navigation', { name: 'Steps' }).getByText(name, { exact: true });
    await expect.poll(() => label.evaluate(isWhole)).toBe(true);
  }
});

test('notes leave the lanes most of the room, and stay within theirs', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await window.timeline.getByRole('button', { name: /Notes/ }).click();
  await page.setViewportSize({ width: 853, height: 533 });
  const [notes, plot] = [
    page.getByRole('complementary', { name: 'Notes' }),
    window.timeline.getByTestId('timeline-plot'),
  ];
  const legend = window.timeline.getByText('H2D copy', { exact: true });
  await expect
    .poll(async () => {
      const [box, below] = [await notes.boundingBox(), await legend.boundingBox()];
      return (box?.y ?? Number.NaN) + (box?.height ?? 0) <= (below?.y ?? Number.NaN);
    })
    .toBe(true);
  await expect.poll(async () => (await plot.boundingBox())?.width).toBeGreaterThan(90);
});

test('a trace of which nothing could be read says so, and names no device', async ({ window, page }) => {
  await window.openFile('broken.json', Buffer.from('{"traceEvents": [{"ph":"X"'));
  await expect(page.getByText('Nothing of it could be read', { exact: true })).toBeVisible();
  await expect(window.status).toContainText(/recorded, \w/);
  await expect(window.status).not.toContainText('recorded on');
});
