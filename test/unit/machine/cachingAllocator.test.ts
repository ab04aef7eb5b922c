import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CachedBlock, CachingAllocator } from '../../../core/machine/cachingAllocator.ts';

const MiB = 2 ** 20;
const over = () => ({ isOver: true });

describe('the caching allocator', () => {
  it.each([
    ['up to 1 MiB', 1, 2 * MiB],
    ['up to 1 MiB', MiB, 2 * MiB],
    ['below 10 MiB', MiB + 1, 20 * MiB],
    ['from 10 MiB on, in steps of 2 MiB', 11 * MiB, 12 * MiB],
  ])('asks for segments as PyTorch does: %s (%i bytes)', (_, bytes, segment) => {
    expect(new CachingAllocator().allocate(bytes, 0).segmentBytes).toBe(segment);
  });

  it('splits a segment, merges what is free again, and serves each stream apart', () => {
    const allocator = new CachingAllocator();
    const first = allocator.allocate(512 * 1024, 0);
    const second = allocator.allocate(512 * 1024, 0);
    expect([first.segmentBytes, second.segmentBytes]).toEqual([2 * MiB, 0]);
    expect(allocator.allocate(512, 1).segmentBytes).toBe(2 * MiB);
    allocator.release(first.block, over);
    allocator.release(second.block, over);
    // Both halves and the rest are one block again.
    const whole = allocator.allocate(MiB, 0);
    expect(whole.segmentBytes).toBe(0);
    expect(allocator.reservedBytes).toBe(4 * MiB);
  });

  it('keeps a block back while another stream uses it', () => {
    const allocator = new CachingAllocator();
    const { block } = allocator.allocate(12 * MiB, 0);
    allocator.recordStream(block, 1);
    const use = { isOver: false };
    allocator.release(block, () => use);
    expect(allocator.allocate(12 * MiB, 0).segmentBytes).toBe(12 * MiB);
    use.isOver = true;
    expect(allocator.allocate(12 * MiB, 0).block).toBe(block);
  });

  it('never reserves less than it has given out, and reuses all of it', () => {
    const action = fc.tuple(fc.integer({ min: 1, max: 30 * MiB }), fc.nat({ max: 2 }), fc.nat());
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const allocator = new CachingAllocator();
        const live: CachedBlock[] = [];
        for (const [bytes, stream, pick] of actions) {
          if (pick % 3 === 0 && live.length > 0) {
            const [block] = live.splice(pick % live.length, 1);
            if (block !== undefined) allocator.release(block, over);
          } else {
            const { block } = allocator.allocate(bytes, stream);
            expect(block.bytes).toBeGreaterThanOrEqual(bytes);
            expect(live).not.toContain(block);
            live.push(block);
          }
          expect(allocator.allocatedBytes).toBe(live.reduce((sum, block) => sum + block.bytes, 0));
          expect(allocator.reservedBytes).toBeGreaterThanOrEqual(allocator.allocatedBytes);
        }
        const { reservedBytes } = allocator;
        for (const block of live.splice(0)) allocator.release(block, over);
        expect(allocator.allocatedBytes).toBe(0);
        // The same requests fit into the existing segments.
        for (const [bytes, stream, pick] of actions) {
          if (pick % 3 === 0) continue;
          const { block } = allocator.allocate(bytes, stream);
          allocator.release(block, over);
        }
        expect(allocator.reservedBytes).toBe(reservedBytes);
      }),
    );
  });
});
