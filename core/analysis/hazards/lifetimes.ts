/**
 * Buffers that operations allocate and free: is one used while it exists, and is it still in use when it goes?
 *
 * Rules (core/rules): record-stream, stream-ordered-allocation, free-synchronises.
 * - Freed with cudaFree or cudaFreeHost: these synchronise first (order.ts), so only what is not surely issued by then,
 *   or issued later, meets freed memory.
 * - Freed with cudaFreeAsync: every use must be over when the free's turn comes in its stream.
 * - Freed with PyTorch's caching allocator: the block goes back to the stream it was allocated for, and the next one to
 *   ask there gets it. Uses in another stream must be over by then, or announced with record_stream. Its allocator of
 *   page-locked memory needs no announcement for copies: PyTorch records the streams of those.
 * - Pageable memory is freed at once.
 */
import type { InstructionOf, Program } from '../../program/program.ts';
import type { Clock } from './clock.ts';
import type { Call, Order } from './order.ts';
import type { Touch } from './touches.ts';

export interface LifetimeConflict {
  readonly kind: 'used-before-allocated' | 'used-after-free' | 'freed-in-use' | 'reused-in-use';
  readonly buffer: number;
  /** Numbers of the operations: the allocate or free, and the use. `first` is earlier in the program. */
  readonly first: number;
  readonly second: number;
}

interface Use {
  readonly touch: Touch;
  readonly thread: number;
  readonly position: number;
  readonly lane: number;
  readonly index: number;
}

interface Life {
  state: 'none' | 'live' | 'freed';
  /** The operation that put it into this state, the one entry of clocks that tells whether that is over, and its value. */
  op: number;
  lane: number;
  index: number;
  stream: number;
  allocator: InstructionOf<'allocate'>['allocator'];
  recorded: Set<number>;
  uses: Use[];
}

export class Lifetimes {
  readonly found = new Map<string, LifetimeConflict>();
  readonly #program: Program;
  readonly #order: Order;
  /** By buffer; only for those that operations allocate. */
  readonly #lives = new Map<number, Life>();

  constructor(program: Program, order: Order) {
    this.#program = program;
    this.#order = order;
    for (const [index, buffer] of program.buffers.entries()) {
      if (buffer.allocated === 'by-operation') this.#lives.set(index, unborn());
    }
  }

  allocate({ instruction, position, thread, issued }: CallOf<'allocate' | 'pin'>): void {
    const buffer = instruction.code === 'pin' ? instruction.dst : instruction.buffer;
    const life = this.#lives.get(buffer);
    if (life === undefined) return;
    const { op } = instruction;
    const [lane, index] = issued === null ? [thread, position] : [issued.lane, issued.index];
    const [stream, allocator] =
      instruction.code === 'pin' ? [-1, 'caching' as const] : [instruction.stream, instruction.allocator];
    Object.assign(life, { state: 'live', op, lane, index, stream, allocator, recorded: new Set(), uses: [] });
  }

  recordStream({ instruction }: CallOf<'recordStream'>): void {
    this.#lives.get(instruction.buffer)?.recorded.add(instruction.stream);
  }

  /** `start` is the clock with which the use begins. */
  use(touch: Touch, call: Call, lane: number, index: number, start: Clock): void {
    const life = this.#lives.get(touch.buffer);
    if (life === undefined) return;
    if (life.state === 'none') this.#report('used-before-allocated', touch.buffer, touch.op, touch.op);
    else if (life.state === 'freed') this.#report('used-after-free', touch.buffer, life.op, touch.op);
    else if (!allocatedBy(life, call, touch, start))
      this.#report('used-before-allocated', touch.buffer, life.op, touch.op);
    life.uses.push({ touch, thread: call.thread, position: call.position, lane, index });
  }

  free(call: CallOf<'free'>): void {
    const { instruction, host, issued } = call;
    const life = this.#lives.get(instruction.buffer);
    if (life === undefined) return;
    const isDevice = this.#program.buffers[instruction.buffer]?.memory === 'device';
    if (life.state === 'freed') this.#report('used-after-free', instruction.buffer, life.op, instruction.op);
    const start =
      instruction.allocator === 'caching' && isDevice
        ? this.#order.startIn(call.thread, life.stream, host)
        : (issued?.start ?? host);
    const kind = instruction.allocator === 'caching' ? 'reused-in-use' : 'freed-in-use';
    for (const use of life.uses) {
      if ((start[use.lane] ?? 0) >= use.index) continue;
      if (instruction.allocator === 'caching' && this.#isAnnounced(life, use, isDevice, call)) continue;
      this.#report(kind, instruction.buffer, use.touch.op, instruction.op);
    }
    Object.assign(life, { state: 'freed', op: instruction.op, uses: [] });
  }

  /** Whether the allocator knows of the stream, and of the use: it had been issued by then. */
  #isAnnounced(
    life: Life,
    { touch, thread, position }: Use,
    isDevice: boolean,
    { host, thread: caller }: Call,
  ): boolean {
    const isIssued = thread === caller || (host[thread] ?? 0) >= position;
    const isKnown = isDevice ? life.recorded.has(touch.stream) : touch.code === 'copy';
    return isIssued && isKnown;
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
  op: -1,
  lane: -1,
  index: 0,
  stream: -1,
  allocator: 'caching',
  recorded: new Set(),
  uses: [],
});

/** Memory of cudaMallocAsync exists when its turn comes in its stream, other memory when the call returns. */
function allocatedBy({ lane, index }: Life, { thread, position }: Call, { stream }: Touch, start: Clock): boolean {
  if ((start[lane] ?? 0) >= index) return true;
  return stream < 0 && lane === thread && index <= position;
}
