/** No serious accessibility problem in the main views, in either theme. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { looksRight } from '../e2e/support/looks.ts';
import { expect, test } from '../e2e/support/test.ts';

test('the first page, an experiment with its run, and a trace with its plan have no serious accessibility problem', async ({
  window,
  page,
}) => {
  await looksRight(page);
  await window.open('Same stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await looksRight(page);
  const trace = 'vision.pageable.json.gz';
  await window.openFile(trace, readFileSync(join(import.meta.dirname, '../fixtures/pytorch-pairs', trace)));
  await expect(page.getByRole('region', { name: 'Chosen changes' }).getByText(/→/)).toBeVisible();
  await looksRight(page);
});
