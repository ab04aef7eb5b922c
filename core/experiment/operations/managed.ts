/** Operations on managed memory: prefetch in a stream, advise by the host. */
import { z } from 'zod';
import { managedAdvice } from '../../program/instructions.ts';
import {
  bufferRef,
  checkRegion,
  type Descriptor,
  lowerRegion,
  named,
  recorded,
  region,
  regionSize,
  streamRef,
} from './operation.ts';

const prefetchSchema = z.strictObject({
  ...named('prefetch'),
  ...recorded,
  buffer: bufferRef,
  ...region,
  to: z.enum(['device', 'host']).default('device').describe('Destination of its pages.'),
  stream: streamRef,
});
export const prefetch: Descriptor<z.infer<typeof prefetchSchema>> = {
  schema: prefetchSchema,
  section: 'In a stream',
  summary: 'cudaMemPrefetchAsync of managed memory',
  term: 'managed',
  paint: ({ to }) => (to === 'device' ? 'h2d' : 'd2h'),
  text: ({ buffer, to }) => `prefetch ${buffer} to ${to}`,
  make: (maker) => ({ op: 'prefetch', buffer: maker.managed(), offset: 0, to: 'device', stream: maker.stream }),
  quantity: regionSize,
  // Keeps its order among uses of the buffer.
  buffer: 'writes',
  check: checkRegion,
  lower: ({ to, ...operation }, { op }, scope, stream) => [
    { code: 'prefetch', op, ...lowerRegion(operation, scope), toDevice: to === 'device', stream },
  ],
};

const adviseSchema = z.strictObject({
  ...named('advise'),
  buffer: bufferRef,
  advice: z.enum(managedAdvice).describe('cudaMemAdvise for the whole buffer.'),
});
export const advise: Descriptor<z.infer<typeof adviseSchema>> = {
  schema: adviseSchema,
  section: 'On the host',
  summary: 'cudaMemAdvise for managed memory',
  term: 'managed',
  text: ({ buffer, advice }) => `${advice} for ${buffer}`,
  make: (maker) => ({ op: 'advise', buffer: maker.managed(), advice: 'read-mostly' }),
  lower: ({ buffer, advice }, { op }, scope) => [{ code: 'advise', op, buffer: scope.buffer(buffer), advice }],
};
