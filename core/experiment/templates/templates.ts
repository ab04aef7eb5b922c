/** Complete programs to begin with, to insert into an experiment, or to sweep over their parameters. */
import { GiB, KiB, MiB } from '../../units.ts';
import type { Experiment } from '../experiment.ts';
import { type ParameterUnit, type ParameterValues, type TemplateParameter, withStandards } from './parameters.ts';
import { chunkedPipeline, strategyA, strategyB } from './strategies.ts';
import { dataLoader, multiTensorBatch, prefetchLoop } from './training.ts';

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly parameters: readonly TemplateParameter[];
  /** Uses defaults for missing parameters. Throws `template.invalid` or `experiment.invalid`. */
  readonly build: (parameters?: ParameterValues) => Experiment;
}

const parameter = (
  name: string,
  label: string,
  unit: ParameterUnit,
  standard: number,
  least: number,
  most: number,
): TemplateParameter => ({ name, label, unit, standard, least, most });

const passes = parameter('passes', 'Passes of the kernel', 'count', 3, 1, 10_000);
const itemBytes = parameter('bytes', 'Size of an item', 'B', 8 * MiB, 4, 4 * GiB);

const made = (
  facts: Pick<Template, 'id' | 'title' | 'summary' | 'parameters'>,
  build: (parameters: ParameterValues) => Experiment,
): Template => ({ ...facts, build: (given = {}) => build(withStandards(facts.parameters, given)) });

export const templates: readonly Template[] = [
  made(
    {
      id: 'strategy-a',
      title: 'Strategy A: a stream for each item',
      summary: 'Upload, kernel and download in one stream; items in parallel',
      parameters: [
        parameter('items', 'Items', 'count', 4, 1, 1000),
        parameter('streams', 'Streams', 'count', 2, 1, 128),
        itemBytes,
        passes,
      ],
    },
    strategyA,
  ),
  made(
    {
      id: 'strategy-b',
      title: 'Strategy B: a stream for each step',
      summary: 'Upload, compute and download streams, joined by events',
      parameters: [parameter('items', 'Items', 'count', 2, 1, 1000), itemBytes, passes],
    },
    strategyB,
  ),
  made(
    {
      id: 'chunked-pipeline',
      title: 'Pipeline in chunks',
      summary: 'H2D, kernel and D2H of one tensor in four chunks',
      parameters: [
        parameter('bytes', 'Tensor size', 'B', 32 * MiB, 4, 16 * GiB),
        parameter('chunkBytes', 'Chunk size', 'B', 8 * MiB, 4, 16 * GiB),
        parameter('streams', 'Streams', 'count', 2, 1, 128),
        passes,
      ],
    },
    chunkedPipeline,
  ),
  made(
    {
      id: 'prefetch-loop',
      title: 'Prefetch loop',
      summary: 'Double buffering: copy the next batch during the kernel',
      parameters: [
        parameter('rounds', 'Rounds', 'count', 4, 1, 100_000),
        parameter('bytes', 'Size of a batch', 'B', 8 * MiB, 4, 4 * GiB),
        passes,
      ],
    },
    prefetchLoop,
  ),
  made(
    {
      id: 'multi-tensor-batch',
      title: 'Multi-tensor batch',
      summary: 'Many small tensors before each step',
      parameters: [
        parameter('tensors', 'Tensors', 'count', 128, 1, 1_000_000),
        parameter('bytes', 'Size of a tensor', 'B', 64 * KiB, 4, GiB),
        parameter('steps', 'Steps', 'count', 3, 1, 100_000),
      ],
    },
    multiTensorBatch,
  ),
  made(
    {
      id: 'data-loader',
      title: 'DataLoader with a pin thread',
      summary: 'Workers, pin thread and training loop as host threads',
      parameters: [
        parameter('workers', 'Workers', 'count', 2, 1, 62),
        parameter('rounds', 'Batches of each worker', 'count', 3, 1, 100_000),
        parameter('bytes', 'Size of a batch', 'B', 4 * MiB, 4, 4 * GiB),
        parameter('decodeNs', 'Time to decode a batch', 'ns', 2_000_000, 0, 3_600_000_000_000),
      ],
    },
    dataLoader,
  ),
];
