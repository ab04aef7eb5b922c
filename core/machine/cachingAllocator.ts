/**
 * PyTorch's caching allocator for device memory, with its rules (c10/cuda/CUDACachingAllocator.cpp): sizes, segments,
 * best fit among the free blocks of the same stream, splitting, merging, and blocks that other streams still use.
 */
import type { AllocatorState } from '../trace/run.ts';
import { AllocatorUsage } from './allocatorUsage.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const leastBlock = 512;
/** Limit of blocks from the small pool, whose segments all have one size. */
const mostSmall = MiB;
const smallSegment = 2 * MiB;
const largeSegment = 20 * MiB;
/** From this size on, a segment has the size of the block, rounded up. */
const leastOwnSegment = 10 * MiB;
const segmentRounding = 2 * MiB;

/** Work of a stream that may still use a block. */
export interface PendingUse {
  readonly isOver: boolean;
}

interface Block {
  readonly stream: number;
  readonly small: boolean;
  /** Number of its segment, and its first byte in it. */
  readonly segment: number;
  offset: number;
  bytes: number;
  requestedBytes: number;
  free: boolean;
  previous: Block | null;
  next: Block | null;
  readonly uses: Set<number>;
}

/** Result of an allocation: an existing block, or a new segment of this size from cudaMalloc. */
export interface Found {
  readonly block: Block;
  readonly segmentBytes: number;
}

export class CachingAllocator extends AllocatorUsage {
  readonly #blocks = new Set<Block>();
  readonly #free: Block[] = [];
  #pending: { readonly block: Block; readonly uses: readonly PendingUse[] }[] = [];

  /** `makeRoom` is called before a new segment of that size. */
  allocate(bytes: number, stream: number, makeRoom: (segmentBytes: number) => void = () => {}): Found {
    this.#takeBack();
    const size = Math.max(leastBlock, Math.ceil(bytes / leastBlock) * leastBlock);
    const small = size <= mostSmall;
    const found = this.#bestFit(size, stream, small);
    const segmentBytes = found === null ? segmentFor(size) : 0;
    if (found === null) makeRoom(segmentBytes);
    const block = found ?? this.#newSegment(stream, small, segmentBytes);
    this.#remove(block);
    block.free = false;
    block.requestedBytes = bytes;
    this.#split(block, size);
    this.use(block.bytes);
    return { block, segmentBytes };
  }

  /** Marks the block as used by another stream. */
  recordStream(block: Block, stream: number): void {
    if (stream !== block.stream) block.uses.add(stream);
  }

  /** `useOf` returns a stream's pending work. */
  release(block: Block, useOf: (stream: number) => PendingUse): void {
    this.allocatedBytes -= block.bytes;
    block.requestedBytes = 0;
    if (block.uses.size === 0) this.#give(block);
    else this.#pending.push({ block, uses: [...block.uses].map(useOf) });
    block.uses.clear();
  }

  /** Frees all segments that hold no block in use, once the device is done. Returns their sizes. */
  releaseCached(): number[] {
    for (const { block } of this.#pending.splice(0)) this.#give(block);
    const whole = this.#free.filter(({ previous, next }) => previous === null && next === null);
    for (const block of whole) {
      this.#remove(block);
      this.#blocks.delete(block);
      this.segmentsFreed += 1;
      this.reserve(-block.bytes);
    }
    return whole.map(({ bytes }) => bytes);
  }

  /** Returns all blocks by segment, with the ids of their streams. */
  blocks(streams: readonly { readonly id: string }[]): AllocatorState['blocks'] {
    const all = [...this.#blocks].sort((a, b) => a.segment - b.segment || a.offset - b.offset);
    const segments = [...new Set(all.map(({ segment }) => segment))];
    return all.map(({ segment, offset, bytes, requestedBytes, stream, free }) => ({
      ...{ segment: segments.indexOf(segment), offset, bytes, requestedBytes, stream: streams[stream]?.id ?? '' },
      state: free ? 'inactive' : requestedBytes > 0 ? 'allocated' : 'pending-free',
    }));
  }

  /** Frees blocks that other streams no longer use. Called at each allocation. */
  #takeBack(): void {
    if (this.#pending.length === 0) return;
    const over = this.#pending.filter(({ uses }) => uses.every((use) => use.isOver));
    this.#pending = this.#pending.filter(({ uses }) => !uses.every((use) => use.isOver));
    for (const { block } of over) this.#give(block);
  }

  #bestFit(size: number, stream: number, small: boolean): Block | null {
    let best: Block | null = null;
    for (const block of this.#free) {
      if (block.stream !== stream || block.small !== small || block.bytes < size) continue;
      if (best === null || block.bytes < best.bytes) best = block;
    }
    return best;
  }

  #newSegment(stream: number, small: boolean, bytes: number): Block {
    this.segmentsAllocated += 1;
    this.reserve(bytes);
    const alone = { free: true, previous: null, next: null, uses: new Set<number>() };
    const block = { stream, small, segment: this.segmentsAllocated, offset: 0, bytes, requestedBytes: 0, ...alone };
    this.#blocks.add(block);
    return block;
  }

  #split(block: Block, size: number): void {
    const rest = block.bytes - size;
    if (block.small ? rest < leastBlock : rest <= mostSmall) return;
    const other: Block = {
      ...block,
      bytes: rest,
      offset: block.offset + size,
      requestedBytes: 0,
      free: true,
      uses: new Set(),
    };
    this.#blocks.add(other);
    [other.previous, other.next] = [block, block.next];
    if (block.next !== null) block.next.previous = other;
    block.next = other;
    block.bytes = size;
    this.#free.push(other);
  }

  #give(block: Block): void {
    block.free = true;
    for (const neighbour of [block.previous, block.next]) {
      if (neighbour?.free !== true) continue;
      this.#remove(neighbour);
      this.#merge(block, neighbour);
    }
    this.#free.push(block);
  }

  #merge(block: Block, neighbour: Block): void {
    this.#blocks.delete(neighbour);
    block.bytes += neighbour.bytes;
    block.offset = Math.min(block.offset, neighbour.offset);
    if (block.previous === neighbour) {
      block.previous = neighbour.previous;
      if (block.previous !== null) block.previous.next = block;
    } else {
      block.next = neighbour.next;
      if (block.next !== null) block.next.previous = block;
    }
  }

  #remove(block: Block): void {
    const index = this.#free.indexOf(block);
    if (index < 0) return;
    const last = this.#free.pop();
    if (last !== undefined && index < this.#free.length) this.#free[index] = last;
  }
}

export type CachedBlock = Block;

function segmentFor(size: number): number {
  if (size <= mostSmall) return smallSegment;
  return size < leastOwnSegment ? largeSegment : Math.ceil(size / segmentRounding) * segmentRounding;
}
