/** A copy between two buffers: cudaMemcpyAsync, cudaMemcpy, or Tensor.to(). */
import { z } from 'zod';
import type { Instruction } from '../../program/instructions.ts';
import { formatBytes } from '../../units.ts';
import type { BufferFinder } from '../describe.ts';
import { bufferBytes, byteCountSchema, idSchema } from '../resources.ts';
import { checkRegion, type Descriptor, named, offset, recorded, step, streamRef } from './operation.ts';

export const copyModes = ['async', 'blocking-to', 'blocking-memcpy'] as const;

const schema = z.strictObject({
  ...named('copy'),
  ...recorded,
  src: idSchema.describe('Buffer that is read.'),
  srcOffset: offset.describe('Begin in the source.'),
  dst: idSchema.describe('Buffer that is written.'),
  dstOffset: offset.describe('Begin in the destination.'),
  bytes: byteCountSchema.optional().describe('All that fits in both if omitted.'),
  srcStepBytes: step.describe('As stepBytes.'),
  dstStepBytes: step.describe('As stepBytes.'),
  stream: streamRef,
  mode: z
    .enum(copyModes)
    .default('async')
    .describe('cudaMemcpyAsync; the same and a stream synchronise, as Tensor.to(); cudaMemcpy.'),
});
export type Copy = z.infer<typeof schema>;

export const copy: Descriptor<Copy> = {
  schema,
  section: 'In a stream',
  summary: 'cudaMemcpyAsync: H2D, D2H or D2D',
  term: 'copy',
  paint: (operation, find) => directions[copyDirection(operation, find)],
  text: (operation, find) => `${copyDirection(operation, find)} ${formatBytes(copyBytes(operation, find))}`,
  // The part of the source comes first, so that it stays visible in a block too narrow for the whole text.
  detail: (operation, find) => {
    const [from, to] = [operation.src, operation.dst].map((id) => find(id)?.memory ?? 'unknown');
    const ends = `${from} → ${to}`;
    const short = shortCopy(operation, find);
    if (short !== null) return `${short.isMeant ? '' : 'only '}${short.text} · ${ends}`;
    return operation.label === undefined ? ends : `${ends} · ${formatBytes(copyBytes(operation, find))}`;
  },
  make: (maker) => maker.copyFrom(maker.host()),
  quantity: ({ bytes, src, srcOffset, dst, dstOffset }, room) => {
    const most = Math.min(room(src) - srcOffset, room(dst) - dstOffset);
    return { field: ['bytes'], name: 'size', value: bytes ?? Math.max(0, most), most };
  },
  check: ({ src, srcOffset, dst, dstOffset, bytes }, sizes, report) => {
    checkRegion({ buffer: src, offset: srcOffset, bytes }, sizes, report, 'srcOffset');
    checkRegion({ buffer: dst, offset: dstOffset, bytes }, sizes, report, 'dstOffset');
    if (src === dst) report(['dst'], 'a copy needs two different buffers.', 'Name another destination.');
  },
  lower: (operation, { op, thread }, scope, own) => {
    // cudaMemcpy runs in the default stream, whatever stream the operation names.
    const blocking = operation.mode === 'blocking-memcpy';
    const stream = blocking ? scope.streams.resolve('default', thread) : own;
    const made: Instruction = {
      code: 'copy',
      op,
      src: scope.buffer(operation.src),
      srcOffset: operation.srcOffset,
      dst: scope.buffer(operation.dst),
      dstOffset: operation.dstOffset,
      bytes: copyBytes(operation, scope.find),
      ...(operation.srcStepBytes !== undefined && { srcStepBytes: operation.srcStepBytes }),
      ...(operation.dstStepBytes !== undefined && { dstStepBytes: operation.dstStepBytes }),
      stream,
      blocking,
    };
    return operation.mode === 'blocking-to' ? [made, { code: 'synchronizeStream', op, stream }] : [made];
  },
  recordedCost: (operation, find) => {
    const { callNs, deviceNs, bytes, memory } = operation.recorded ?? {};
    const memories = [operation.src, operation.dst].map((id) => find(id)?.memory);
    const isSame =
      (bytes === undefined || bytes === copyBytes(operation, find)) &&
      (memory === undefined || memories.includes(memory));
    return isSame ? { callNs, deviceNs } : undefined;
  },
};

const directions = { H2D: 'h2d', D2H: 'd2h', D2D: 'd2d', H2H: 'h2h' } as const;

export function copyDirection({ src, dst }: Copy, find: BufferFinder): keyof typeof directions {
  const side = (id: string): 'D' | 'H' => (find(id)?.memory === 'device' ? 'D' : 'H');
  return `${side(src)}2${side(dst)}`;
}

/** Returns the bytes that a copy moves: as written, or as much as both buffers allow. Zero if a buffer is missing. */
export function copyBytes({ bytes, src, srcOffset, dst, dstOffset }: Copy, find: BufferFinder): number {
  if (bytes !== undefined) return bytes;
  const size = (id: string): number => {
    const buffer = find(id);
    return buffer === undefined ? 0 : bufferBytes(buffer);
  };
  return Math.max(0, Math.min(size(src) - srcOffset, size(dst) - dstOffset));
}

/** Returns the part of the source that a copy moves: '20.0 of 64.0 MiB'; null if it moves all of it. */
export function shortCopy(
  operation: Copy,
  find: BufferFinder,
): { readonly text: string; readonly isMeant: boolean } | null {
  const [source, target] = [find(operation.src), find(operation.dst)];
  if (source === undefined || target === undefined) return null;
  const [moved, all] = [copyBytes(operation, find), bufferBytes(source)];
  if (moved >= all) return null;
  const [part, whole] = [formatBytes(moved), formatBytes(all)];
  const unit = part.slice(part.indexOf(' '));
  const text = `${whole.endsWith(unit) ? part.slice(0, part.indexOf(' ')) : part} of ${whole}`;
  // A typed size and an offset are intended. A target that is too small may be an oversight.
  return { text, isMeant: operation.bytes !== undefined || moved === all - operation.srcOffset };
}
