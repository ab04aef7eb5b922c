/** Many blocks of one buffer copied to places in another, as a serving program moves blocks of a KV cache. */
import { z } from 'zod';
import type { Blocks, Instruction } from '../../program/instructions.ts';
import type { Scope } from '../../program/scope.ts';
import { formatBytes, KiB } from '../../units.ts';
import { blockPlaces } from '../blockPlaces.ts';
import type { BufferFinder } from '../describe.ts';
import { byteCountSchema, idSchema } from '../resources.ts';
import { type Descriptor, named, offset, streamRef } from './operation.ts';

/** Ways to copy blocks, and last `auto`, which picks one; in the order of native/src/copy/block_copy.h. */
export const blockStrategies = ['loop', 'batch', 'kernel', 'packed', 'auto'] as const;
export type BlockStrategy = (typeof blockStrategies)[number];
/** Ways of an experiment: also those for the rows of a matrix. */
export const blockCopyStrategies = [...blockStrategies, 'pitched', 'tensor'] as const;
export const blockLayouts = ['contiguous', 'scattered'] as const;
export const mostBlocks = 65_536;

const pitch = byteCountSchema.optional();
const layout = z
  .union([z.enum(blockLayouts), z.array(z.number().int().min(0)).min(1).max(mostBlocks)])
  .default('scattered');
const sameThere = 'The same in the destination.';

const schema = z.strictObject({
  ...named('blockCopy'),
  src: idSchema.describe('Buffer that is read.'),
  srcOffset: offset.describe('Begin of the first slot.'),
  srcLayout: layout.describe('Slots: in order, scattered in a fixed order, or listed.'),
  srcPitchBytes: pitch.describe('Instead of a layout: bytes from block to block.'),
  dst: idSchema.describe('Buffer that is written.'),
  dstOffset: offset.describe(sameThere),
  dstLayout: layout.describe(sameThere),
  dstPitchBytes: pitch.describe(sameThere),
  blocks: z.number().int().min(1).max(mostBlocks).describe('Number of blocks.'),
  blockBytes: z
    .union([byteCountSchema, z.array(byteCountSchema).min(1).max(mostBlocks)])
    .describe('Bytes of each, or a repeated list.'),
  strategy: z
    .enum(blockCopyStrategies)
    .default('auto')
    .describe(
      'loop: cudaMemcpyAsync for each. batch: one cudaMemcpyBatchAsync. kernel: one kernel on page-locked memory. packed: the host gathers or scatters, and waits for one copy. pitched: one cudaMemcpy2DAsync. tensor: as Tensor.copy_() of a non-contiguous tensor, and waits. auto: the fastest on an H200.',
    ),
  smShare: z.number().min(0.01).max(1).default(0.25).describe('For a copying kernel.'),
  stream: streamRef,
});
export type BlockCopy = z.infer<typeof schema>;

/**
 * From this size on, `auto` takes one call for all blocks instead of a kernel. On an H200 a kernel moved blocks at 51 to
 * 52 GB/s, and copy engines at 55 GB/s plus 0.55 to 0.95 us a block (2026-11-29): equal at 0.4 to 0.9 MB.
 */
const batchedBytes = 768 * KiB;

export const blockCopy: Descriptor<BlockCopy> = {
  schema,
  section: 'In a stream',
  title: 'Copy blocks',
  summary: 'scattered blocks, as of a KV cache',
  term: 'block-copy',
  paint: (operation, find) => sides(operation, find).toLowerCase() as 'h2d' | 'd2h' | 'd2d' | 'h2h',
  text: (operation, find) => {
    const { blocks, blockBytes, strategy } = operation;
    const each = typeof blockBytes === 'number' ? ` of ${formatBytes(blockBytes)}` : '';
    return `${sides(operation, find)} ${blocks} ${blocks === 1 ? 'block' : 'blocks'}${each}, ${strategy}`;
  },
  make: (maker) => {
    const [src, dst] = [maker.host(), maker.device()];
    const shape = { srcOffset: 0, srcLayout: 'scattered', dstOffset: 0, dstLayout: 'scattered' } as const;
    const amount = { blocks: 16, blockBytes: 4 * KiB, strategy: 'auto', smShare: 0.25 } as const;
    return { op: 'blockCopy', src, dst, ...shape, ...amount, stream: maker.stream };
  },
  quantity: ({ blocks: value }) => ({ field: ['blocks'], name: 'number of blocks', value, most: mostBlocks }),
  check: (operation, sizes, report) => {
    const { src, dst, blocks } = operation;
    if (operation.strategy === 'pitched' && !isMatrix(operation)) {
      const message = 'cudaMemcpy2DAsync copies rows of one size at equal distances.';
      report(['strategy'], message, 'Give one "blockBytes", and a pitch or the layout "contiguous" on both sides.');
    }
    if (src === dst) report(['dst'], 'a copy needs two different buffers.', 'Name another destination.');
    for (const [end, buffer] of [
      ['src', src],
      ['dst', dst],
    ] as const) {
      const room = sizes.get(buffer);
      if (room === undefined) continue;
      const [pitched, places] = [operation[`${end}PitchBytes`], operation[`${end}Layout`]];
      const most = [operation.blockBytes].flat().reduce((a, b) => Math.max(a, b));
      if (pitched !== undefined && pitched < most) {
        report([`${end}PitchBytes`], `blocks of ${most} bytes overlap at ${pitched} bytes.`, `Use at least ${most}.`);
      } else if (pitched === undefined && Array.isArray(places) && places.length !== blocks) {
        const message = `${places.length} slots are listed for ${blocks} blocks.`;
        report([`${end}Layout`], message, `List ${blocks} slots, or set blocks to ${places.length}.`);
      } else if (
        pitched === undefined &&
        end === 'dst' &&
        Array.isArray(places) &&
        new Set(places).size < places.length
      ) {
        report([`${end}Layout`], 'two blocks have one slot.', 'List each slot of the destination once.');
      } else {
        const needed = blockPlaces(operation, end, room).needed;
        if (needed <= room) continue;
        const message = `the blocks need ${needed} bytes, and "${buffer}" has ${room}.`;
        report(['blocks'], message, 'Copy fewer or smaller blocks, or make the buffer larger.');
      }
    }
  },
  lower: (operation, { op }, scope, stream) => {
    const [src, dst] = [scope.buffer(operation.src), scope.buffer(operation.dst)];
    const [from, to] = [blockPlaces(operation, 'src', scope.size(src)), blockPlaces(operation, 'dst', scope.size(dst))];
    const blocks: Blocks = { sizes: from.sizes, srcOffsets: from.offsets, dstOffsets: to.offsets };
    const strategy = chosen(operation, scope, stream);
    const { smShare } = operation;
    const isUpload = sides(operation, scope.find).endsWith('D');
    const isWithin = sides(operation, scope.find) === 'D2D';
    if (strategy !== 'packed' && (strategy !== 'tensor' || isWithin)) {
      const by = strategy === 'tensor' ? 'kernel' : strategy;
      return [{ code: 'blockCopy', op, src, dst, blocks, by, smShare, stream }];
    }
    const [isGathered, isScattered] = (['src', 'dst'] as const).map(
      (end) => strategy === 'packed' || !isContiguous(operation, end),
    );
    const bytes = blocks.sizes.reduce((sum, size) => sum + size, 0);
    const shape = { ...operation, srcLayout: 'contiguous', srcPitchBytes: undefined, srcOffset: 0 } as const;
    const packed = blockPlaces(shape, 'src', bytes).offsets;
    const device = scope.streams.streams[stream]?.device ?? 0;
    const host = strategy === 'packed' ? 'pinned' : 'pageable';
    const staging = (memory: typeof host | 'device'): number =>
      scope.staging(`${operation.id} ${memory}`, bytes, memory === 'device' ? device : -1, memory);
    const near = isGathered ? staging(isUpload ? host : 'device') : src;
    const far = isScattered ? staging(isUpload ? 'device' : host) : dst;
    const gather = { ...blocks, dstOffsets: packed };
    const scatter = { ...blocks, srcOffsets: packed };
    const copy: Instruction = {
      ...{ code: 'copy', op, bytes, stream, blocking: false },
      ...{ src: near, srcOffset: isGathered ? 0 : operation.srcOffset },
      ...{ dst: far, dstOffset: isScattered ? 0 : operation.dstOffset },
    };
    const kernel = { code: 'blockCopy', op, by: 'kernel', smShare, stream } as const;
    const made = (isMade: boolean | undefined, one: Instruction): Instruction[] => (isMade === true ? [one] : []);
    // The next use of the staging memory must not begin before this one has ended.
    const wait: Instruction = { code: 'synchronizeStream', op, stream };
    return isUpload
      ? [
          ...made(isGathered, { code: 'packBlocks', op, src, dst: near, blocks: gather }),
          copy,
          ...made(isScattered, { ...kernel, src: far, dst, blocks: scatter }),
          wait,
        ]
      : [
          ...made(isGathered, { ...kernel, src, dst: near, blocks: gather }),
          copy,
          wait,
          ...made(isScattered, { code: 'packBlocks', op, src: far, dst, blocks: scatter }),
        ];
  },
};

/** Returns whether the blocks follow one another without gaps. */
const isContiguous = (operation: BlockCopy, end: 'src' | 'dst'): boolean =>
  (operation[`${end}PitchBytes`] ?? (operation[`${end}Layout`] === 'contiguous' && operation.blockBytes)) ===
  operation.blockBytes;

const isMatrix = (operation: BlockCopy): boolean =>
  typeof operation.blockBytes === 'number' &&
  (['src', 'dst'] as const).every(
    (end) => operation[`${end}PitchBytes`] !== undefined || operation[`${end}Layout`] === 'contiguous',
  );

type Ends = Pick<BlockCopy, 'src' | 'dst'>;

function sides({ src, dst }: Ends, find: BufferFinder): 'H2D' | 'D2H' | 'D2D' | 'H2H' {
  const side = (id: string): 'D' | 'H' => (find(id)?.memory === 'device' ? 'D' : 'H');
  return `${side(src)}2${side(dst)}`;
}

/** Returns the strategy that is meant, as BlockCopy of native/src/copy does without a table. */
function chosen(
  operation: BlockCopy,
  { find, streams }: Scope,
  stream: number,
): Exclude<BlockCopy['strategy'], 'auto'> {
  const { strategy, src, dst, blockBytes } = operation;
  if (strategy !== 'auto') return strategy;
  if ([src, dst].some((id) => find(id)?.memory === 'pageable')) return 'packed';
  const bytes = typeof blockBytes === 'number' ? blockBytes : blockBytes.reduce((a, b) => a + b, 0) / blockBytes.length;
  // The legacy default stream takes no batches.
  const isBatchable = sides(operation, find) !== 'D2D' && streams.streams[stream]?.kind !== 'legacy-default';
  return bytes < batchedBytes || !isBatchable ? 'kernel' : 'batch';
}
