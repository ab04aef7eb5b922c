/** PyTorch calls that copy and wait: pin is Tensor.pin_memory(), item is Tensor.item(). */
import { z } from 'zod';
import { idSchema } from '../resources.ts';
import { bufferRef, type Descriptor, named, streamRef } from './operation.ts';

/** Page-locked memory from the caching host allocator, then a blocking copy on the host. */
const pinSchema = z.strictObject({
  ...named('pin'),
  src: idSchema.describe('Buffer that is read.'),
  dst: idSchema.describe('Buffer that is written.'),
});
export const pin: Descriptor<z.infer<typeof pinSchema>> = {
  schema: pinSchema,
  section: 'On the host',
  summary: 'Tensor.pin_memory()',
  term: 'pin-memory',
  paint: 'host-work',
  text: ({ src }) => `pin ${src}`,
  make: (maker) => ({ op: 'pin', ...maker.pinned() }),
  check: ({ src, dst }, sizes, report) => {
    const [from, to] = [sizes.get(src), sizes.get(dst)];
    if (from === undefined || to === undefined || from === to) return;
    const message = `"${src}" has ${from} bytes and "${dst}" has ${to}.`;
    report(['dst'], message, 'pin_memory() makes a copy of the same size: make both equal.');
  },
  lower: (operation, { op }, scope) => {
    const [src, dst] = [scope.buffer(operation.src), scope.buffer(operation.dst)];
    return [{ code: 'pin', op, src, dst, bytes: scope.size(src) }];
  },
};

/** A D2H copy of one scalar, then a stream synchronise. */
const itemSchema = z.strictObject({ ...named('item'), buffer: bufferRef, stream: streamRef });
export const item: Descriptor<z.infer<typeof itemSchema>> = {
  schema: itemSchema,
  section: 'In a stream',
  summary: 'Tensor.item(): D2H of a scalar, then wait',
  term: 'item',
  paint: 'd2h',
  make: (maker) => ({ op: 'item', buffer: maker.device(), stream: maker.stream }),
  buffer: 'reads',
  lower: ({ buffer }, { op }, scope, stream) => [{ code: 'item', op, buffer: scope.buffer(buffer), stream }],
};
