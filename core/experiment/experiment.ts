/** The experiment document: schema, type and format version. Says what a program does, never how an engine does it. */
import { z } from 'zod';
import { type Operation, threadOperationsSchema } from './operations.ts';
import {
  bufferSchema,
  deviceSchema,
  environmentSchema,
  eventSchema,
  idSchema,
  maxDevices,
  schemaAddressSchema,
  signalSchema,
  streamSchema,
} from './resources.ts';

export const experimentFormat = 'copyscope/experiment';
export const experimentVersion = 2;

const threadSchema = z.strictObject({
  id: idSchema,
  /** The thread's current device (cudaSetDevice); the first declared one where left out. */
  device: idSchema.optional(),
  operations: threadOperationsSchema,
});

export const experimentSchema = z.strictObject({
  /** Where its JSON Schema lies: for editors, which complete and check by it. Nothing here reads it. */
  $schema: schemaAddressSchema.optional(),
  format: z.literal(experimentFormat),
  version: z.literal(experimentVersion),
  name: z.string().min(1).max(200),
  description: z.string().max(10_000).default(''),
  environment: environmentSchema.prefault({}),
  devices: z
    .array(deviceSchema)
    .min(1)
    .max(maxDevices)
    .default([{ id: 'gpu', index: 0 }]),
  buffers: z.array(bufferSchema).max(100_000).default([]),
  streams: z.array(streamSchema).max(1024).default([]),
  events: z.array(eventSchema).max(100_000).default([]),
  signals: z.array(signalSchema).max(1024).default([]),
  threads: z.array(threadSchema).min(1).max(64),
});

export type Experiment = z.infer<typeof experimentSchema>;
/** An experiment as a person may write it: everything with a default can be left out. */
export type ExperimentInput = z.input<typeof experimentSchema>;

/** Visits every operation of a thread in document order, those inside a group after the group itself. */
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

/** The same without paths, which take time and memory where there are thousands. */
export function eachOperation(operations: readonly Operation[], visit: (operation: Operation) => void): void {
  for (const operation of operations) {
    visit(operation);
    if ('operations' in operation) eachOperation(operation.operations, visit);
  }
}
