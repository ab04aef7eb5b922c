/** Host work, in a host thread or in a host function, and signals between host threads. */
import { z } from 'zod';
import { formatDuration } from '../../units.ts';
import { idSchema, maxDurationNs } from '../resources.ts';
import { type Descriptor, duration, named, newDurationNs, type Quantity, streamRef } from './operation.ts';

const length = ({ durationNs: value }: { readonly durationNs: number }): Quantity => ({
  field: ['durationNs'],
  name: 'duration',
  value,
  most: maxDurationNs,
});

const workSchema = z.strictObject({ ...named('work'), ...duration });
export const work: Descriptor<z.infer<typeof workSchema>> = {
  schema: workSchema,
  section: 'On the host',
  summary: 'the host is busy for a while',
  term: 'host-thread',
  paint: 'host-work',
  text: ({ durationNs }) => `work ${formatDuration(durationNs)}`,
  make: () => ({ op: 'work', durationNs: newDurationNs }),
  quantity: length,
  inStream: 'hostFunction',
  lower: ({ durationNs }, { op }) => [{ code: 'work', op, durationNs }],
};

const hostFunctionSchema = z.strictObject({ ...named('hostFunction'), ...duration, stream: streamRef });
export const hostFunction: Descriptor<z.infer<typeof hostFunctionSchema>> = {
  schema: hostFunctionSchema,
  section: 'In a stream',
  summary: 'cudaLaunchHostFunc',
  term: 'host-function',
  paint: 'host-function',
  text: ({ durationNs }) => `host function ${formatDuration(durationNs)}`,
  make: ({ stream }) => ({ op: 'hostFunction', durationNs: newDurationNs, stream }),
  quantity: length,
  onHost: 'work',
  lower: ({ durationNs }, { op }, _, stream) => [{ code: 'hostFunction', op, durationNs, stream }],
};

const signalRef = idSchema.describe('Id of a signal.');

const signalSchema = z.strictObject({ ...named('signal'), signal: signalRef });
export const signal: Descriptor<z.infer<typeof signalSchema>> = {
  schema: signalSchema,
  section: 'On the host',
  summary: 'to another host thread',
  term: 'signal',
  text: (operation) => `signal ${operation.signal}`,
  make: (maker) => ({ op: 'signal', signal: maker.signal() }),
  lower: (operation, { op }, scope) => [{ code: 'signal', op, signal: scope.signal(operation.signal) }],
};

const waitSignalSchema = z.strictObject({ ...named('waitSignal'), signal: signalRef });
export const waitSignal: Descriptor<z.infer<typeof waitSignalSchema>> = {
  schema: waitSignalSchema,
  section: 'On the host',
  title: 'Wait for signal',
  summary: 'from another host thread',
  term: 'signal',
  paint: 'host-sync',
  text: (operation) => `wait for ${operation.signal}`,
  make: (maker) => ({ op: 'waitSignal', signal: maker.signal() }),
  lower: (operation, { op }, scope) => [{ code: 'waitSignal', op, signal: scope.signal(operation.signal) }],
};
