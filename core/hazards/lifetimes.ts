/**
 * Buffers that operations allocate and free: is one used while it exists, and is it still in use when it goes?
 *
 * Rules (core/rules): record-stream, stream-ordered-allocation, allocation-waits.
 * - Freed with cudaFree or cudaFreeHost: these synchronise first (order.ts), so only what is not surely issued by then,
 *   or issued later, meets freed memory.
 * - Freed with cudaFreeAsync: every use must be over when the free's turn comes in its stream.
 * - Freed with PyTorch's caching allocator: the block goes back to the stream it was allocated for, and the next one to
 *   ask there gets it. Uses in another stream must be over by then, or announced with record_stream. Its allocator of
 *   page-locked memory needs no announcement for copies: PyTorch records the streams of those, unless a graph copies.
 * - Pageable memory is freed at once.
 */

import { type Call, type Issued, isAfter } from '../order/calls.ts';
import { type Clock, join } from '../order/clock.ts';
import type { Lanes } from '../order/lanes.ts';
import type { Program } from '../program/program.ts';
import type { Touch } from './touches.ts';

export interface LifetimeConflict {
  readonly kind: 'used-before-allocated' | 'used-after-free' | 'freed-in-use' | 'reused-in-use' | 'unordered-threads';
  readonly buffer: number;
  /** Numbers of the operations: the allocate or free, and the use or the other of the two. `first` is earlier in the program. */
  readonly first: number;
  readonly second: number;
}

type Place = Pick<Call, 'thread' | 'position'>;

interface Use {
  readonly op: number;
  readonly lane: number;
  readonly index: number;
}

interface Life {
  state: 'none' | 'live' | 'freed';
  /** Allocations so far, and the operation that freed it last. */
  count: number;
  freed: number;
  /** The call that put it into this state, the one entry of clocks that tells whether that is over, and its value. */
  op: number;
  call: Place | null;
  lane: number;
  index: number;
  /** Device memory of the caching allocator belongs to it; -1 for host memory. */
  stream: number;
  /** Streams that the caching allocator was told of. */
  recorded: (Place & { readonly stream: number })[];
  uses: Use[];
}

export class Lifetimes {
  readonly found = new Map<string, LifetimeConflict>();
  readonly #program: Program;
  readonly #lanes: Lanes;
  /** By buffer; only for those that operations allocate. */
  readonly #lives = new Map<number, Life>();

  constructor(program: Program, lanes: Lanes) {
    this.#program = program;
    this.#lanes = lanes;
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
    // Two threads that bring the memory in no order may both have it, or one free what is the other's.
    if (life.call !== null && !isAfter(call, life.call)) this.#report('unordered-threads', buffer, life.op, op);
    const [lane, index] = issued === null ? [thread, position] : [issued.lane, issued.index];
    const stream = instruction.code === 'pin' || !this.#isDevice(buffer) ? -1 : instruction.stream;
    Object.assign(life, { state: 'live', op, call: { thread, position }, lane, index, stream });
    Object.assign(life, { count: life.count + 1, recorded: [], uses: [] });
  }

  recordStream({ instruction, thread, position }: CallOf<'recordStream'>): void {
    this.#lives.get(instruction.buffer)?.recorded.push({ thread, position, stream: instruction.stream });
  }

  /** How often the buffers that these touch were allocated so far. */
  counts(list: readonly Touch[]): ReadonlyMap<number, number> {
    return new Map(list.flatMap(({ buffer }) => [[buffer, this.#lives.get(buffer)?.count ?? 0]]));
  }

  /**
   * `start` is the clock with which the use begins; `known` says as of which allocations the use means its memory: a
   * graph has the addresses of when it was captured. Returns whether it is the memory that the buffer has now.
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
    life.uses.push({ op: touch.op, lane, index });
    const { thread, position, instruction } = call;
    const isTold = instruction.code === 'copy' && !this.#isDevice(touch.buffer);
    if (isTold) life.recorded.push({ thread, position, stream: instruction.stream });
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
    const by = life.state === 'none' ? null : { thread, position };
    Object.assign(life, { state: 'freed', op, freed: op, call: by, uses: [] });
  }

  /**
   * What is over when the caching allocator hands the block on: it comes after all of its own stream, and after an event
   * in each stream that the allocator was told of.
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
});

/** Memory of cudaMallocAsync exists when its turn comes in its stream, other memory when the call returns. */
function allocatedBy({ lane, index }: Life, { thread, position }: Call, { stream }: Touch, start: Clock): boolean {
  if ((start[lane] ?? 0) >= index) return true;
  return stream < 0 && lane === thread && index <= position;
}

/** Whether what is freed is surely there: what cudaMallocAsync gives when the turn of the free comes, other memory by the call. */
function isAllocated({ lane, index, call }: Life, free: CallOf<'free'>): boolean {
  if (free.issued !== null) return (free.issued.start[lane] ?? 0) >= index;
  return call === null || isAfter(free, call);
}
