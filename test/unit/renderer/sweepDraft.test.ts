/** A sweep document in the form, to change it and run it again. */
import { expect, it } from 'vitest';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { documentOf, draftOf } from '../../../renderer/sweep/draft.ts';
import { example } from '../host/support/runs.ts';

const ofTemplate = {
  format: 'copyscope/sweep',
  version: 1,
  name: 'Chunks',
  description: 'Why they were run.',
  base: { template: 'chunked-pipeline', parameters: { bytes: 67108864, passes: 2 } },
  axes: [
    { label: 'Chunk', parameter: 'chunkBytes', from: 1048576, to: 67108864, points: 7, scale: 'geometric' },
    { parameter: 'streams', values: [1, 2] },
  ],
};

const ofExperiment = {
  format: 'copyscope/sweep',
  version: 1,
  name: 'Sizes',
  base: { experiment: example() },
  axes: [
    { label: 'Size', fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: [1048576, '2 MiB', 1000003] },
    { fields: ['buffers[0].memory'], values: ['pageable', 'pinned'] },
  ],
};

it.each([
  ['a template', ofTemplate],
  ['an experiment', ofExperiment],
])('the draft of %s makes the same sweep, even if its sizes are bare numbers', (_of, json) => {
  const plan = requireSweep(json);
  const { experiment } = plan.document.base;
  const draft = draftOf(plan, experiment === undefined ? null : requireExperiment(experiment), null);
  const again = requireSweep(documentOf(draft));
  expect(again.axes).toEqual(plan.axes);
  expect(again.at(0)).toEqual(plan.at(0));
  expect(again.document.description).toBe(plan.document.description);
  expect(again.document.axes.map(({ label }) => label)).toEqual(plan.document.axes.map(({ label }) => label));
});
