/** Allocation of buffers during the program, and streams that use them: allocate, free, recordStream. */
import { z } from 'zod';
import { bufferRef, type Descriptor, named, streamRef } from './operation.ts';

const allocateSchema = z.strictObject({
  ...named('allocate'),
  buffer: bufferRef,
  allocator: z
    .enum(['cuda-malloc', 'pool', 'caching'])
    .default('caching')
    .describe('cudaMalloc, the stream-ordered pool, or PyTorch’s caching allocator.'),
  stream: streamRef,
});
export const allocate: Descriptor<z.infer<typeof allocateSchema>> = {
  schema: allocateSchema,
  section: 'On the host',
  summary: 'cudaMalloc, pool or caching allocator',
  term: 'allocator',
  make: (maker) => ({ op: 'allocate', buffer: maker.device(), allocator: 'caching', stream: maker.stream }),
  byHost: true,
  buffer: 'writes',
  lower: ({ buffer, allocator }, { op }, scope, stream) => [
    { code: 'allocate', op, buffer: scope.buffer(buffer), allocator, stream },
  ],
};

const freeSchema = z.strictObject({ ...named('free'), buffer: bufferRef, stream: streamRef });
export const free: Descriptor<z.infer<typeof freeSchema>> = {
  schema: freeSchema,
  section: 'On the host',
  summary: 'gives memory back',
  term: 'allocator',
  make: (maker) => ({ op: 'free', buffer: maker.device(), stream: maker.stream }),
  byHost: true,
  buffer: 'writes',
  lower: ({ buffer }, { op }, scope, stream) => [
    { code: 'free', op, buffer: scope.buffer(buffer), allocator: scope.allocator(buffer), stream },
  ],
};

const recordStreamSchema = z.strictObject({ ...named('recordStream'), buffer: bufferRef, stream: streamRef });
export const recordStream: Descriptor<z.infer<typeof recordStreamSchema>> = {
  schema: recordStreamSchema,
  section: 'On the host',
  summary: 'Tensor.record_stream()',
  term: 'record-stream',
  make: (maker) => ({ op: 'recordStream', buffer: maker.device(), stream: maker.stream }),
  byHost: true,
  lower: ({ buffer }, { op }, scope, stream) => [{ code: 'recordStream', op, buffer: scope.buffer(buffer), stream }],
};
