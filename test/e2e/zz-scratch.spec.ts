import { expect, test } from './support/test.ts';

const out = '/tmp/wbb-shots';
for (const [w, h] of [
  [1280, 720],
  [1920, 1080],
] as const)
  for (const scheme of ['light', 'dark'] as const)
    test(`shots ${w} ${scheme}`, async ({ window: _w, page }) => {
      await page.setViewportSize({ width: w, height: h });
      await page.emulateMedia({ colorScheme: scheme });
      const shot = (name: string) => page.screenshot({ path: `${out}/${name}-${w}-${scheme}.png` });
      const go = (hash: string) =>
        page.evaluate((to) => {
          location.hash = to;
        }, hash);
      await go('#/lesson/six-ways?step=2');
      await expect(page.getByTestId('timeline-plot')).toBeVisible();
      await expect(page.getByText('Phases')).toBeVisible();
      await shot('phases');
      await page.getByRole('button', { name: 'Present', exact: true }).click();
      await expect(page.getByTestId('timeline-plot')).toBeVisible();
      await shot('present-phases');
      await go('#/lesson/first-overlap?step=2');
      await expect(page.getByTestId('timeline-plot').or(page.getByText('What do you expect?')).first()).toBeVisible();
      await shot('present-first');
      await page.keyboard.press('Escape');
      await page
        .getByRole('toolbar', { name: 'Score tools' })
        .getByRole('button', { name: 'Code beside the score' })
        .click();
      await expect(page.getByRole('region', { name: 'Program' })).toBeVisible();
      await shot('beside');
      await page.getByRole('button', { name: 'All lessons' }).click();
      await shot('lessons');
      await go('#/compare');
      await expect(page.getByText('The four cases').first()).toBeVisible();
      const four = page.getByRole('button', { name: 'The four cases' }).first();
      if (await four.isVisible()) await four.click();
      await expect(page.getByRole('article')).toHaveCount(4);
      await shot('four');
    });
