/** Places of a block copy's blocks in its buffers. */
import type { BlockCopy } from './operations/blockCopy.ts';

interface Places {
  /** Bytes of each block. */
  readonly sizes: Float64Array;
  readonly offsets: Float64Array;
  /** Bytes that the buffer must have for them. */
  readonly needed: number;
}

type Shape = Pick<BlockCopy, 'blocks' | 'blockBytes' | `${'src' | 'dst'}${'Offset' | 'Layout' | 'PitchBytes'}`>;

/** Returns the places of the blocks in one of the two buffers, which has `room` bytes. */
export function blockPlaces(shape: Shape, end: 'src' | 'dst', room: number): Places {
  const { blocks, blockBytes } = shape;
  const [begin, layout, pitch] = [shape[`${end}Offset`], shape[`${end}Layout`], shape[`${end}PitchBytes`]];
  const each = typeof blockBytes === 'number' ? [blockBytes] : blockBytes;
  const sizes = Float64Array.from({ length: blocks }, (_, block) => each[block % each.length] ?? 0);
  const slotBytes = each.reduce((most, bytes) => Math.max(most, bytes), 0);
  if (pitch !== undefined) {
    const offsets = sizes.map((_, block) => begin + block * pitch);
    return { sizes, offsets, needed: begin + (blocks - 1) * pitch + (sizes.at(-1) ?? 0) };
  }
  if (layout === 'contiguous') {
    let needed = begin;
    const offsets = sizes.map((bytes) => {
      needed += bytes;
      return needed - bytes;
    });
    return { sizes, offsets, needed };
  }
  const slots = Math.max(blocks, Math.floor((room - begin) / slotBytes));
  const step = layout === 'scattered' ? scatterStep(slots) : 0;
  const slotOf = (block: number): number =>
    typeof layout === 'string' ? (block * step) % slots : (layout[block] ?? 0);
  const offsets = sizes.map((_, block) => begin + slotOf(block) * slotBytes);
  const needed = offsets.reduce((most, at, block) => Math.max(most, at + (sizes[block] ?? 0)), 0);
  return { sizes, offsets, needed };
}

/** Returns the distance of two blocks in slots: about the golden section of all, and with no common divisor. */
function scatterStep(slots: number): number {
  let step = Math.max(1, Math.round(slots * 0.618034));
  while (divisor(step, slots) > 1) step += 1;
  return step;
}

const divisor = (a: number, b: number): number => (b === 0 ? a : divisor(b, a % b));
