/** Whole programs to begin with, or to insert into an experiment. */
import type { Experiment } from '../experiment.ts';
import { chunkedPipeline, strategyA, strategyB } from './strategies.ts';
import { dataLoader, multiTensorBatch, prefetchLoop } from './training.ts';

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly build: () => Experiment;
}

export const templates: readonly Template[] = [
  {
    id: 'strategy-a',
    title: 'Strategy A: a stream for each item',
    summary: 'Upload, kernel and download in one stream; items in parallel',
    build: () => strategyA(),
  },
  {
    id: 'strategy-b',
    title: 'Strategy B: a stream for each step',
    summary: 'Upload, compute and download streams, joined by events',
    build: () => strategyB(),
  },
  {
    id: 'chunked-pipeline',
    title: 'Pipeline in chunks',
    summary: 'H2D, kernel and D2H of one tensor in four chunks',
    build: () => chunkedPipeline(),
  },
  {
    id: 'prefetch-loop',
    title: 'Prefetch loop',
    summary: 'Double buffering: copy the next batch during the kernel',
    build: () => prefetchLoop(),
  },
  {
    id: 'multi-tensor-batch',
    title: 'Multi-tensor batch',
    summary: 'Many small tensors before each step',
    build: () => multiTensorBatch(),
  },
  {
    id: 'data-loader',
    title: 'DataLoader with a pin thread',
    summary: 'Workers, pin thread and training loop as host threads',
    build: () => dataLoader(),
  },
];
