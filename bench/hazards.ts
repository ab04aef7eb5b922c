/** How long the hazard check takes on long experiments of several shapes: node bench/run.mjs hazards [OPERATIONS]. */
import { performance } from 'node:perf_hooks';
import type { Experiment } from '../core/experiment/experiment.ts';
import {
  copy,
  kernel,
  mainThread,
  type OperationInput,
  result,
  source,
  template,
  times,
} from '../core/experiment/templates/build.ts';
import { findHazards } from '../core/explain/hazards/hazards.ts';
import { lower } from '../core/program/lower.ts';
import { MiB } from '../core/units.ts';
import { longExperiment } from './support/longExperiment.ts';

const operations = Number(process.argv[2] ?? 120_000);
const buffers = [source('input', 'pinned', MiB), result('loaded', 'device', MiB), result('computed', 'device', MiB)];
const upload = copy('input', 'loaded', 'upload');
const compute = kernel('loaded', 'computed', 'compute');

/** One graph, launched again and again in two streams. */
const launches = (): Experiment =>
  template({
    name: 'launches',
    buffers,
    streams: [{ id: 'upload' }, { id: 'compute' }],
    threads: mainThread([
      { op: 'graphCapture', graph: 'both', stream: 'upload', operations: [upload] },
      ...times(operations, (number): OperationInput => {
        return { op: 'graphLaunch', graph: 'both', stream: number % 2 === 0 ? 'upload' : 'compute' };
      }),
    ]),
  });

/** Two host threads and a bounded queue between them. */
const signals = (): Experiment => {
  const pairs = Math.floor(operations / 4);
  const producer = times(pairs, () => [upload, { op: 'signal', signal: 'ready' } satisfies OperationInput]).flat();
  const consumer = times(pairs, () => [{ op: 'waitSignal', signal: 'ready' } satisfies OperationInput, compute]).flat();
  return template({
    name: 'signals',
    buffers,
    streams: [{ id: 'upload' }, { id: 'compute' }],
    signals: [{ id: 'ready', capacity: 4 }],
    threads: [
      { id: 'producer', operations: producer },
      { id: 'consumer', operations: consumer },
    ],
  });
};

for (const [name, make] of [
  ['uploads, kernels and downloads', () => longExperiment(operations)],
  ['launches of one graph', launches],
  ['waits for signals', signals],
] as const) {
  const program = lower(make());
  const start = performance.now();
  const { hazards } = findHazards(program);
  const seconds = (performance.now() - start) / 1000;
  console.log(`${name}: ${program.operations.length} operations, ${hazards.length} hazards, ${seconds.toFixed(2)} s`);
}
