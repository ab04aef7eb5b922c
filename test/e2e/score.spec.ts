/** The score as an editor: the shipped experiments are built from an empty page, by mouse and by keyboard alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { KeyboardBuilder, MouseBuilder } from './support/builder.ts';
import { expect, test } from './support/test.ts';

const examples = join(import.meta.dirname, '../../assets/examples');
const shipped = (id: string): Experiment => requireExperiment(readFileSync(join(examples, `${id}.json`), 'utf8'));

/** The one experiment that was saved. */
function saved(dataFolder: string): Experiment {
  const folder = join(dataFolder, 'experiments');
  const [file = ''] = readdirSync(folder);
  return requireExperiment(readFileSync(join(folder, file), 'utf8'));
}

const built = [
  'overlap/pageable-same-stream',
  'overlap/pageable-side-stream',
  'overlap/pinned-same-stream',
  'overlap/pinned-side-stream',
  'pipelines/strategy-b',
];

for (const [hands, Builder] of [
  ['mouse', MouseBuilder],
  ['keyboard', KeyboardBuilder],
] as const) {
  for (const id of built) {
    test(`${id} is built from an empty page by ${hands}`, async ({ window, page, server }) => {
      test.setTimeout(120_000);
      await page.setViewportSize({ width: 1600, height: 1000 });
      await new Builder(window).build(shipped(id));
      expect(saved(server.dataFolder)).toEqual(shipped(id));
    });
  }
}
