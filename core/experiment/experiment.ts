/** The experiment document: schema, type and format version. Says what a program does, never how an engine does it. */

import { z } from 'zod';
import { rememberedBy } from '../rememberedBy.ts';
import { type Operation, threadOperationsSchema } from './operations.ts';
import {
  bufferSchema,
  declaredId,
  deviceRef,
  deviceSchema,
  documentHead,
  environmentSchema,
  eventSchema,
  maxDevices,
  nameSchema,
  signalSchema,
  streamSchema,
} from './resources.ts';

export const experimentFormat = 'copyscope/experiment';
export const experimentVersion = 2;

const threadSchema = z.strictObject({
  id: declaredId,
  /** The thread's current device (cudaSetDevice). */
  device: deviceRef,
  operations: threadOperationsSchema.describe('Operations, in order.'),
});

export const experimentSchema = z.strictObject({
  ...documentHead(experimentFormat, experimentVersion),
  name: nameSchema,
  description: z.string().max(10_000).default('').describe('Some sentences.'),
  environment: environmentSchema.prefault({}).describe('Settings of the program.'),
  devices: z
    .array(deviceSchema)
    .min(1)
    .max(maxDevices)
    .default([{ id: 'gpu', index: 0 }])
    .describe('GPUs; one, called gpu, if omitted.'),
  buffers: z.array(bufferSchema).max(100_000).default([]).describe('Memory on the host and on devices.'),
  streams: z.array(streamSchema).max(1024).default([]).describe('Besides default, legacy and per-thread.'),
  events: z.array(eventSchema).max(100_000).default([]).describe('CUDA events.'),
  signals: z.array(signalSchema).max(1024).default([]).describe('Counting signals between host threads.'),
  threads: z.array(threadSchema).min(1).max(64).describe('Host threads, which run at once.'),
});

export type Experiment = z.infer<typeof experimentSchema>;
/** An experiment as a person may write it, with defaults left out. */
export type ExperimentInput = z.input<typeof experimentSchema>;

/** Visits every operation of a thread in document order; a group comes before its content. */
export function walkOperations(
  operations: readonly Operation[],
  visit: (operation: Operation, path: readonly (string | number)[]) => void,
  path: readonly (string | number)[] = [],
): void {
  operations.forEach((operation, index) => {
    const here = [...path, index];
    visit(operation, here);
    if ('operations' in operation) walkOperations(operation.operations, visit, [...here, 'operations']);
  });
}

/** Visits operations without paths, which take time and memory if there are thousands. */
export function eachOperation(operations: readonly Operation[], visit: (operation: Operation) => void): void {
  for (const operation of operations) {
    visit(operation);
    if ('operations' in operation) eachOperation(operation.operations, visit);
  }
}

/** Returns the program as text, without its name and number of iterations. Cached, because experiments never change. */
export const programText = rememberedBy((experiment: Experiment): string => {
  const environment = { ...experiment.environment, iterations: 0, warmups: 0 };
  return JSON.stringify({ ...experiment, environment, name: '', description: '' });
});
