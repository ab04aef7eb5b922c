/** Host calls that wait for streams, or query them: synchronizeStream, synchronizeDevice, queryStream. */
import { z } from 'zod';
import { deviceRef } from '../resources.ts';
import { type Descriptor, named, streamRef } from './operation.ts';

const synchronizeStreamSchema = z.strictObject({ ...named('synchronizeStream'), stream: streamRef });
export const synchronizeStream: Descriptor<z.infer<typeof synchronizeStreamSchema>> = {
  schema: synchronizeStreamSchema,
  section: 'Wait on the host',
  summary: 'cudaStreamSynchronize',
  term: 'synchronise',
  paint: 'host-sync',
  text: ({ stream }) => `synchronize ${stream}`,
  make: ({ stream }) => ({ op: 'synchronizeStream', stream }),
  byHost: true,
  lower: (_, { op }, __, stream) => [{ code: 'synchronizeStream', op, stream }],
};

const synchronizeDeviceSchema = z.strictObject({ ...named('synchronizeDevice'), device: deviceRef });
export const synchronizeDevice: Descriptor<z.infer<typeof synchronizeDeviceSchema>> = {
  schema: synchronizeDeviceSchema,
  section: 'Wait on the host',
  summary: 'cudaDeviceSynchronize',
  term: 'synchronise',
  paint: 'host-sync',
  text: () => 'synchronize device',
  make: () => ({ op: 'synchronizeDevice' }),
  lower: ({ device }, { op, thread }, scope) => [
    { code: 'synchronizeDevice', op, device: scope.device(device, thread) },
  ],
};

const queryStreamSchema = z.strictObject({ ...named('queryStream'), stream: streamRef });
export const queryStream: Descriptor<z.infer<typeof queryStreamSchema>> = {
  schema: queryStreamSchema,
  section: 'Wait on the host',
  summary: 'cudaStreamQuery',
  term: 'synchronise',
  text: ({ stream }) => `query ${stream}`,
  make: ({ stream }) => ({ op: 'queryStream', stream }),
  byHost: true,
  lower: (_, { op }, __, stream) => [{ code: 'queryStream', op, stream }],
};
