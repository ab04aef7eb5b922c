/**
 * Checks buffers that operations allocate and free: is a buffer used only while it exists, and is it still in use when
 * it is freed?
 *
 * Rules (core/rules): record-stream, stream-ordered-allocation, allocation-waits.
 * - cudaFree and cudaFreeHost synchronise first (order.ts). Only a use that isn't certainly issued by then, or is
 *   issued later, meets freed memory.
 * - cudaFreeAsync: every use must be complete when the free's turn comes in its stream.
 * - PyTorch's caching allocator returns the block to the stream it was allocated for, and the next allocation in that
 *   stream gets it. Uses in another stream must be complete by then, or announced with record_stream. Its allocator of
 *   page-locked memory needs no announcement for copies: PyTorch records their streams, unless a graph copies.
 * - The block that it hands out again is free in its own stream's order only: another stream that uses the new buffer
 *   must wait for what that stream still does with the old one.
 * - Pageable memory is freed at once.
 */

import type { BufferMemory } from '../../experiment/resources.ts';
import { type CachedBlock, CachingAllocator } from '../../machine/cachingAllocator.ts';
import type { Program } from '../../program/program.ts';
import { type Call, type Issued, isAfter } from '../order/calls.ts';
import { type Clock, join } from '../order/clock.ts';
import type { Lanes } from '../order/lanes.ts';
import type { Touch } from './touches.ts';

export interface LifetimeConflict {
  readonly kind:
    | 'used-before-allocated'
    | 'used-after-free'
    | 'freed-in-use'
    | 'reused-in-use'
    | 'reused-unordered'
    | 'unordered-threads';
  readonly buffer: number;
  /** Numbers of the allocate or free, and of the use or other allocation. `first` is earlier in the program. */
  readonly first: number;
  readonly second: number;
}

type Place = Pick<Call, 'thread' | 'position'>;

interface Use {
  readonly op: number;
  readonly lane: number;
  readonly index: number;
  readonly writes: boolean;
}

/** Bytes of a freed block, and the work of its own stream that may still use them. */
interface Remains {
  readonly segment: number;
  readonly from: number;
  readonly to: number;
  readonly uses: readonly Use[];
  readonly freed: Place;
}

interface Life {
  state: 'none' | 'live' | 'freed';
  /** Number of allocations so far. */
  count: number;
  freed: number;
  /** Call that led to this state. It is complete if clock entry `lane` is at least `index`. */
  op: number;
  call: Place | null;
  lane: number;
  index: number;
  /** Stream that the caching allocator allocated device memory for; -1 for host memory. */
  stream: number;
  /** Streams announced to the caching allocator. */
  recorded: (Place & { readonly stream: number })[];
  uses: Use[];
  /** Block of the caching allocator for device memory, and pending work of buffers that had it before. */
  block: CachedBlock | null;
  inherited: readonly Use[];
}

export class Lifetimes {
  readonly found = new Map<string, LifetimeConflict>();
  readonly #program: Program;
  readonly #lanes: Lanes;
  /** State of each buffer that operations allocate. */
  readonly #lives = new Map<number, Life>();
  /** By device. The allocator finds the same blocks as in a run if no block waits for other streams. */
  readonly #caching: readonly CachingAllocator[];
  readonly #remains: Remains[][];

  constructor(program: Program, lanes: Lanes) {
    this.#program = program;
    this.#lanes = lanes;
    this.#caching = program.devices.map(() => new CachingAllocator());
    this.#remains = program.devices.map(() => []);
    for (const [index, buffer] of program.buffers.entries()) {
      if (buffer.allocated === 'by-operation') this.#lives.set(index, unborn());
    }
  }

  allocate(call: CallOf<'allocate' | 'pin'>): void {
    const { instruction, position, thread, issued } = call;
    const buffer = instruction.code === 'pin' ? instruction.dst : instruction.buffer;
    const life = this.#lives.get(buffer);
    if (life === undefined) return;
    const { op } = instruction;
    // If two threads allocate the buffer in no fixed order, both may get memory, or one may free the other's.
    if (life.call !== null && !isAfter(call, life.call)) this.#report('unordered-threads', buffer, life.op, op);
    const [lane, index] = issued === null ? [thread, position] : [issued.lane, issued.index];
    const stream = instruction.code === 'pin' || !this.#isDevice(buffer) ? -1 : instruction.stream;
    Object.assign(life, { state: 'live', op, call: { thread, position }, lane, index, stream });
    const isCached = instruction.code === 'allocate' && instruction.allocator === 'caching' && stream >= 0;
    Object.assign(life, { count: life.count + 1, recorded: [], uses: [], block: null, inherited: [] });
    if (isCached) this.#takeBlock(life, buffer, call, stream);
  }

  #takeBlock(life: Life, buffer: number, call: Call, stream: number): void {
    const { bytes, device } = this.#program.buffers[buffer] ?? { bytes: 0, device: 0 };
    const block = this.#caching[device]?.allocate(bytes, stream).block ?? null;
    const remains = this.#remains[device] ?? [];
    const isInBlock = ({ segment, from, to }: Remains): boolean =>
      block !== null && segment === block.segment && from < block.offset + block.bytes && block.offset < to;
    life.block = block;
    // A free of another thread that may come later gives its block to nobody here.
    const certain = remains.filter((one) => isInBlock(one) && isAfter(call, one.freed));
    life.inherited = certain.flatMap(({ uses }) => uses);
    this.#remains[device] = remains.filter((one) => !isInBlock(one));
  }

  /** Gives the block back. Its stream is in order with its own uses; other streams must wait for those. */
  #giveBlock(life: Life, buffer: number, { thread, position, host }: Call): void {
    const { block, stream } = life;
    const device = this.#program.buffers[buffer]?.device ?? 0;
    if (block === null) return;
    const own = this.#lanes.startIn(thread, stream, host);
    const isPending = ({ lane, index }: Use): boolean => (host[lane] ?? 0) < index && (own[lane] ?? 0) >= index;
    const uses = lastOfLanes([...life.inherited, ...life.uses].filter(isPending));
    const place = { segment: block.segment, from: block.offset, to: block.offset + block.bytes };
    if (uses.length > 0) this.#remains[device]?.push({ ...place, uses, freed: { thread, position } });
    this.#caching[device]?.release(block, () => ({ isOver: true }));
    life.block = null;
  }

  recordStream({ instruction, thread, position }: CallOf<'recordStream'>): void {
    this.#lives.get(instruction.buffer)?.recorded.push({ thread, position, stream: instruction.stream });
  }

  /** Returns how often each of these buffers was allocated so far. */
  counts(list: readonly Touch[]): ReadonlyMap<number, number> {
    return new Map(list.flatMap(({ buffer }) => [[buffer, this.#lives.get(buffer)?.count ?? 0]]));
  }

  /**
   * Records a use and returns whether it uses the buffer's current memory. `start` is the clock at which the use
   * begins. `known` is the allocation count that the use refers to: a graph uses the addresses from its capture.
   */
  use(touch: Touch, call: Call, { lane, index, start }: Issued, known: ReadonlyMap<number, number>): boolean {
    const life = this.#lives.get(touch.buffer);
    if (life === undefined) return true;
    if (life.state === 'live' && (known.get(touch.buffer) ?? life.count) < life.count) {
      this.#report('used-after-free', touch.buffer, life.freed, touch.op);
      return false;
    }
    if (life.state === 'none') this.#report('used-before-allocated', touch.buffer, touch.op, touch.op);
    else if (life.state === 'freed') this.#report('used-after-free', touch.buffer, life.op, touch.op);
    else if (!allocatedBy(life, call, touch, start))
      this.#report('used-before-allocated', touch.buffer, life.op, touch.op);
    for (const before of life.inherited) {
      const isOver = (start[before.lane] ?? 0) >= before.index || before.lane === lane;
      if (!isOver && (touch.writes || before.writes))
        this.#report('reused-unordered', touch.buffer, before.op, touch.op);
    }
    life.uses.push({ op: touch.op, lane, index, writes: touch.writes });
    const { thread, position, instruction } = call;
    const isRecorded = instruction.code === 'copy' && !isUncached(this.#program.buffers[touch.buffer]?.memory);
    if (isRecorded) life.recorded.push({ thread, position, stream: instruction.stream });
    return true;
  }

  free(call: CallOf<'free'>): void {
    const { instruction, thread, position, host, issued } = call;
    const { buffer, op } = instruction;
    const life = this.#lives.get(buffer);
    if (life === undefined) return;
    if (life.state === 'freed') this.#report('used-after-free', buffer, life.op, op);
    else if (life.state === 'none') this.#report('used-before-allocated', buffer, op, op);
    else if (!isAllocated(life, call)) this.#report('used-before-allocated', buffer, life.op, op);
    const over = instruction.allocator === 'caching' ? this.#handedOn(life, call) : (issued?.start ?? host);
    const kind = instruction.allocator === 'caching' ? 'reused-in-use' : 'freed-in-use';
    for (const use of life.uses) {
      if ((over[use.lane] ?? 0) < use.index) this.#report(kind, buffer, use.op, op);
    }
    if (life.state === 'live') this.#giveBlock(life, buffer, call);
    const by = life.state === 'none' ? null : { thread, position };
    Object.assign(life, { state: 'freed', op, freed: op, call: by, uses: [] });
  }

  /**
   * Returns the clock at which the caching allocator hands the block on: after all work of its own stream, and after an
   * event in each announced stream.
   */
  #handedOn({ stream, recorded }: Life, free: Call): Clock {
    const { thread, host } = free;
    const over = stream < 0 ? host.slice() : this.#lanes.startIn(thread, stream, host);
    const told = new Set(recorded.flatMap((record) => (isAfter(free, record) ? record.stream : [])));
    for (const other of told) join(over, this.#lanes.startIn(thread, other, host));
    return over;
  }

  #isDevice(buffer: number): boolean {
    return this.#program.buffers[buffer]?.memory === 'device';
  }

  #report(kind: LifetimeConflict['kind'], buffer: number, first: number, second: number): void {
    this.found.set(`${kind} ${buffer} ${first} ${second}`, { kind, buffer, first, second });
  }
}

type CallOf<Code extends Call['instruction']['code']> = Call & {
  readonly instruction: Extract<Call['instruction'], { code: Code }>;
};

const unborn = (): Life => ({
  state: 'none',
  count: 0,
  freed: -1,
  op: -1,
  call: null,
  lane: -1,
  index: 0,
  stream: -1,
  recorded: [],
  uses: [],
  block: null,
  inherited: [],
});

/** Keeps the last use and the last write of each lane: what comes after them comes after the others. */
function lastOfLanes(uses: readonly Use[]): Use[] {
  const last = new Map<string, Use>();
  for (const use of uses) {
    for (const key of [`${use.lane}`, ...(use.writes ? [`${use.lane} writes`] : [])]) {
      if ((last.get(key)?.index ?? -1) < use.index) last.set(key, use);
    }
  }
  return [...new Set(last.values())];
}

/** Copies announce their streams to the caching host allocator, which has neither of these kinds. */
const isUncached = (memory: BufferMemory | undefined): boolean => memory === 'device' || memory === 'pageable';

/** Memory from cudaMallocAsync exists when its turn comes in the stream, other memory when the call returns. */
function allocatedBy({ lane, index }: Life, { thread, position }: Call, { stream }: Touch, start: Clock): boolean {
  if ((start[lane] ?? 0) >= index) return true;
  return stream < 0 && lane === thread && index <= position;
}

/** Returns whether the memory certainly exists at its free: in stream order for cudaFreeAsync, else at the call. */
function isAllocated({ lane, index, call }: Life, free: CallOf<'free'>): boolean {
  if (free.issued !== null) return (free.issued.start[lane] ?? 0) >= index;
  return call === null || isAfter(free, call);
}
