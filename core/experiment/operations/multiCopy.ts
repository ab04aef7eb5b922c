/** Many tensors copied by one strategy. */
import { z } from 'zod';
import { CopyscopeError } from '../../errors.ts';
import { fieldPath } from '../../shape/path.ts';
import { KiB } from '../../units.ts';
import { requireOptions } from '../multiCopyOptions.ts';
import { byteCountSchema, maxBufferBytes } from '../resources.ts';
import { type Descriptor, named, streamRef } from './operation.ts';

export const copyStrategies = [
  'blocking-loop',
  'non-blocking-loop',
  'pin-then-copy',
  'pin-then-copy-non-blocking',
  'threaded-pinning',
  'packed',
  'pipelined',
] as const;
const mostTensors = 1_000_000;

const schema = z.strictObject({
  ...named('multiCopy'),
  direction: z.enum(['h2d', 'd2h', 'd2d', 'h2h']).default('h2d').describe('Direction.'),
  payload: z
    .strictObject({
      tensors: z.number().int().min(1).max(mostTensors).describe('Number of tensors.'),
      bytes: z
        .union([byteCountSchema, z.array(byteCountSchema).min(1).max(100_000)])
        .describe('Bytes of each, or a repeated list.'),
      memory: z.enum(['pageable', 'pinned']).default('pageable').describe('Host memory.'),
    })
    .describe('Tensors.'),
  strategy: z.enum(copyStrategies).default('pipelined').describe('Way of copying.'),
  options: z
    .record(z.string().max(64), z.union([z.number(), z.boolean()]))
    .default({})
    .describe('Options of the strategy.'),
  stream: streamRef,
});

export const multiCopy: Descriptor<z.infer<typeof schema>> = {
  schema,
  section: 'In a stream',
  title: 'Copy many tensors',
  summary: 'one of seven strategies',
  term: 'multi-tensor-copy',
  paint: ({ direction }) => direction,
  text: ({ direction, payload, strategy }) =>
    `${direction.toUpperCase()} ${payload.tensors} ${payload.tensors === 1 ? 'tensor' : 'tensors'}, ${strategy}`,
  make: ({ stream }) => {
    const payload = { tensors: 64, bytes: 256 * KiB, memory: 'pageable' as const };
    return { op: 'multiCopy', direction: 'h2d', payload, strategy: 'pipelined', options: {}, stream };
  },
  quantity: ({ payload: { tensors: value } }) => ({
    field: ['payload', 'tensors'],
    name: 'number of tensors',
    value,
    most: mostTensors,
  }),
  lower: ({ direction, payload, strategy, options }, { op, path }, scope, stream) => {
    requireOptions(strategy, options, [...path, 'options']);
    const each = typeof payload.bytes === 'number' ? [payload.bytes] : payload.bytes;
    const sizes = Float64Array.from({ length: payload.tensors }, (_, tensor) => each[tensor % each.length] ?? 0);
    const total = sizes.reduce((sum, bytes) => sum + bytes, 0);
    if (total > maxBufferBytes) {
      throw new CopyscopeError({
        code: 'experiment.invalid',
        field: fieldPath([...path, 'payload']),
        message: `${payload.tensors} tensors have ${total} bytes together, more than 1 TiB.`,
        remedy: 'Copy fewer or smaller tensors.',
      });
    }
    if (options['use_background_thread'] === true && scope.streams.streams[stream]?.kind === 'per-thread-default') {
      throw new CopyscopeError({
        code: 'experiment.invalid',
        field: fieldPath([...path, 'options', 'use_background_thread']),
        message: "the stream is a host thread's own default stream, which no other thread can use.",
        remedy: 'Choose a declared stream.',
      });
    }
    const plan = scope.multiCopies.push({ direction, sizes, memory: payload.memory, strategy, options }) - 1;
    return [{ code: 'multiCopy', op, plan, stream }];
  },
};
