import { expect, it } from 'vitest';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { emptyExperiment } from '../../../core/experiment/templates/build.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { laneCounters } from '../../../core/explain/figures/laneCounters.ts';
import { simEngine } from '../../../core/machine/cost/simEngine.ts';
import { lower } from '../../../core/program/lower.ts';
import { predict } from '../../../renderer/predict/predict.ts';
import { indexIteration } from '../../../renderer/store/opened/iterationData.ts';
import { h200 as profile } from '../machine/toy.ts';
import { experimentOf } from '../support/experiments.ts';

async function simulated(experiment: Experiment) {
  const engine = simEngine(async () => profile, { machine: null, version: '1', pause: async () => {} });
  return engine.run({ experiment, program: lower(experiment), profile: profile.name });
}

/** The thread's result depends on the document, and comparing it takes longer than reading. */
const readsAnything = experimentOf(
  {
    buffers: [
      { id: 'source', memory: 'pinned', bytes: 1 << 22, pattern: { kind: 'random', seed: 7 } },
      { id: 'there', memory: 'device', bytes: 1 << 22 },
      { id: 'back', memory: 'pinned', bytes: 1 << 22 },
    ],
  },
  [
    { op: 'copy', src: 'source', dst: 'there', stream: 'default' },
    { op: 'copy', src: 'there', dst: 'back', stream: 'default' },
    { op: 'read', buffer: 'back' },
    { op: 'synchronizeDevice' },
    { op: 'read', buffer: 'back' },
  ],
);

it.each([
  ...templates.map(({ title, build }) => [title, build()] as const),
  ['nothing', emptyExperiment()] as const,
  ['reads that are told nothing', readsAnything] as const,
])('a prediction is the run of the simulated engine: %s', async (_, experiment) => {
  const { run, iteration, counters } = predict(experiment, profile, '1');
  const { info, trace } = await simulated(experiment);
  expect({ ...run.info, createdAt: '' }).toEqual({ ...info, createdAt: '' });
  expect(run.trace).toEqual(trace);
  expect(iteration).toEqual(indexIteration(trace, 0));
  expect(counters).toEqual(laneCounters({ info, trace }, 0));
});
