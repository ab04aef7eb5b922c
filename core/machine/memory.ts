/**
 * Costs of allocating and freeing, and the state that allocators keep between iterations. Rules (core/rules):
 * allocation-waits, pin-memory-blocks, record-stream.
 */
import { CopyscopeError } from '../errors.ts';
import type { Program } from '../program/program.ts';
import type { AllocatorState } from '../trace/run.ts';
import { formatBytes } from '../units.ts';
import { AllocatorUsage } from './allocatorUsage.ts';
import { type CachedBlock, CachingAllocator, type PendingUse } from './cachingAllocator.ts';
import type { CostModel, MemoryCallName } from './costModel.ts';
import type { Step } from './step.ts';
import { PendingWork } from './streams.ts';

/** Effect of a call on its thread. `call` is empty if no CUDA call is made. */
export interface MemoryCall {
  readonly call: string;
  readonly ns: number;
  /** Whether it first waits for all work of the device. */
  readonly synchronises: boolean;
}

/** Returns the pending work of a stream. */
export type UseOf = (stream: number) => PendingWork;
/** Makes the next work of a stream wait for pending work. */
export type HoldBack = (stream: number, work: PendingWork) => void;

/** Memory of a pool that was freed in a stream's order, which may not have come to it. */
interface PoolFree {
  readonly bytes: number;
  readonly stream: number;
  readonly use: PendingWork;
}

/** A pool of stream-ordered memory, with what was freed in the order of streams that may not have come to it. */
class Pool extends AllocatorUsage {
  freed: PoolFree[] = [];

  allocate(bytes: number, growth: number): void {
    this.use(bytes);
    this.reserve(growth);
  }

  /** Gives back what is free beyond `keptBytes`. Returns its size. */
  trim(keptBytes: number): number {
    this.freed = this.freed.filter(({ use }) => !use.isOver);
    const held = this.freed.reduce((sum, { bytes }) => sum + bytes, this.allocatedBytes);
    const released = Math.max(0, this.reservedBytes - Math.max(held, keptBytes));
    this.reserve(-released);
    return released;
  }
}

interface PinnedBlock {
  readonly bytes: number;
  /** 0 if it isn't allocated. */
  requestedBytes: number;
  /** Streams that copy to or from it, and after its release the work that they still had. */
  readonly uses: Set<number>;
  pending: readonly PendingUse[];
}

const waits = ({ pending }: PinnedBlock): boolean => pending.some((use) => !use.isOver);

/** PyTorch's caching host allocator: blocks of a power of two, reused when the streams that used them have finished. */
class PinnedBlocks extends AllocatorUsage {
  readonly #blocks: PinnedBlock[] = [];
  readonly #ofBuffer = new Map<number, PinnedBlock>();

  /** Returns the bytes that it takes from the system; 0 if a block serves. */
  allocate(buffer: number, requestedBytes: number): number {
    const bytes = 2 ** Math.ceil(Math.log2(Math.max(1, requestedBytes)));
    const free = this.#blocks.find((block) => block.bytes === bytes && block.requestedBytes === 0 && !waits(block));
    const block = free ?? { bytes, requestedBytes: 0, uses: new Set(), pending: [] };
    if (free === undefined) {
      this.#blocks.push(block);
      this.segmentsAllocated += 1;
      this.reserve(bytes);
    }
    this.use(bytes);
    block.requestedBytes = requestedBytes;
    this.#ofBuffer.set(buffer, block);
    return free === undefined ? bytes : 0;
  }

  /** Records that a stream copies to or from a buffer. */
  record(buffer: number, stream: number): void {
    this.#ofBuffer.get(buffer)?.uses.add(stream);
  }

  /** Returns whether the buffer was one of its blocks. */
  release(buffer: number, useOf: UseOf): boolean {
    const block = this.#ofBuffer.get(buffer);
    if (block === undefined) return false;
    this.#ofBuffer.delete(buffer);
    this.allocatedBytes -= block.bytes;
    block.pending = [...block.uses].map(useOf);
    block.requestedBytes = 0;
    block.uses.clear();
    return true;
  }

  blocks(): AllocatorState['blocks'] {
    return this.#blocks.map((block, segment) => {
      const { bytes, requestedBytes } = block;
      const state = requestedBytes > 0 ? 'allocated' : waits(block) ? 'pending-free' : 'inactive';
      return { segment, offset: 0, bytes, requestedBytes, stream: '', state };
    });
  }
}

export class Memory {
  readonly #program: Program;
  readonly #costs: CostModel;
  readonly #capacity: number;
  /** Caching allocator of each device. */
  readonly #caching: readonly CachingAllocator[];
  readonly #used: number[];
  readonly #pools: readonly Pool[];
  readonly #pinned = new PinnedBlocks();
  readonly #allocators: readonly AllocatorUsage[];
  readonly #cached = new Map<number, CachedBlock>();
  readonly #live = new Map<number, Step>();

  constructor(program: Program, costs: CostModel) {
    this.#program = program;
    this.#costs = costs;
    this.#capacity = costs.facts.memoryBytes;
    this.#caching = program.devices.map(() => new CachingAllocator());
    this.#pools = program.devices.map(() => new Pool());
    this.#allocators = [...this.#caching, this.#pinned, ...this.#pools];
    this.#used = program.devices.map((_, device) =>
      program.buffers.reduce(
        (sum, one) => sum + (one.device === device && one.allocated === 'before-run' ? one.bytes : 0),
        0,
      ),
    );
    this.#requireManaged();
  }

  /** Pages that the device has no room for go back and forth. That is left out, so all of them must fit. */
  #requireManaged(): void {
    const managed = this.#program.buffers.filter(({ memory }) => memory === 'managed');
    const [first] = managed;
    const bytes = managed.reduce((sum, one) => sum + one.bytes, this.#used[0] ?? 0);
    if (first === undefined || bytes <= this.#capacity) return;
    throw new CopyscopeError({
      code: 'run.out-of-memory',
      field: `buffers.${first.id}`,
      message: `managed and device memory take ${formatBytes(bytes)}, and the device has ${formatBytes(this.#capacity)}. Pages that it must give back to make room are not simulated.`,
      remedy: 'Make the buffers smaller.',
    });
  }

  /** `op`: number of the operation that allocates. */
  allocate(step: Step, op: number, holdBack: HoldBack): MemoryCall {
    this.#live.set(step.buffer, step);
    if (step.dst !== 'device') return this.#allocateHost(step);
    if (step.allocator === 'pool') return this.#allocatePool(step, op, holdBack);
    if (step.allocator === 'cuda-malloc') {
      this.#take(step.device, step.bytes, step, op);
      return this.#call('cudaMalloc', step.bytes, this.#costs.facts.mallocSynchronizes);
    }
    const allocator = this.#allocator(step.device);
    let freeNs = 0;
    // PyTorch frees its cache and tries again before it fails. cudaFree waits for the device.
    const makeRoom = (bytes: number): void => {
      if (this.#room(step.device) >= bytes) return;
      allocator.retries += 1;
      for (const size of allocator.releaseCached()) {
        this.#used[step.device] = (this.#used[step.device] ?? 0) - size;
        freeNs += this.#costs.memoryNs('cudaFree', size);
      }
    };
    const { block, segmentBytes } = allocator.allocate(step.bytes, step.stream, makeRoom);
    this.#cached.set(step.buffer, block);
    if (segmentBytes === 0) return this.#fromCache();
    this.#take(step.device, segmentBytes, step, op);
    const { call, ns, synchronises } = this.#call('cudaMalloc', segmentBytes, this.#costs.facts.mallocSynchronizes);
    return { call, ns: ns + freeNs, synchronises: synchronises || freeNs > 0 };
  }

  free(step: Step, workOf: UseOf): MemoryCall {
    this.#live.delete(step.buffer);
    if (step.dst !== 'device') return this.#freeHost(step, workOf);
    if (step.allocator === 'pool') {
      const pool = this.#pools[step.device];
      if (pool !== undefined) pool.allocatedBytes -= step.bytes;
      pool?.freed.push({ bytes: step.bytes, stream: step.stream, use: workOf(step.stream) });
      return { call: 'cudaFreeAsync', ns: this.#costs.callNs('cudaFreeAsync'), synchronises: false };
    }
    if (step.allocator === 'cuda-malloc') {
      this.#used[step.device] = (this.#used[step.device] ?? 0) - step.bytes;
      return this.#call('cudaFree', step.bytes, true);
    }
    const block = this.#cached.get(step.buffer);
    if (block !== undefined) this.#allocator(step.device).release(block, workOf);
    this.#cached.delete(step.buffer);
    return this.#fromCache();
  }

  recordStream(step: Step): void {
    this.used(step.buffer, step.stream);
    const block = this.#cached.get(step.buffer);
    const device = this.#program.buffers[step.buffer]?.device ?? 0;
    if (block !== undefined) this.#allocator(device).recordStream(block, step.stream);
  }

  /** Records that a stream copies to or from a buffer of the caching host allocator. */
  used(buffer: number, stream: number): void {
    this.#pinned.record(buffer, stream);
  }

  /** Ends an iteration, with the device idle: frees whatever operations allocated and didn't free. */
  endIteration(): void {
    const over = new PendingWork();
    over.isOver = true;
    for (const step of [...this.#live.values()]) this.free(step, () => over);
    this.synchronized();
    for (const one of this.#allocators) one.forgetSteps();
  }

  /** Called when a synchronise has waited: pools give back what they hold beyond their threshold. Returns its cost. */
  synchronized(): number {
    return this.#pools.reduce((ns, pool, device) => {
      const released = pool.reservedBytes === 0 ? 0 : pool.trim(this.#program.poolReleaseThreshold);
      if (released === 0) return ns;
      this.#used[device] = (this.#used[device] ?? 0) - released;
      return ns + this.#costs.memoryNs('cudaFree', released);
    }, 0);
  }

  /** Notes what the allocators hold from a time on. */
  note(timeNs: number): void {
    for (const one of this.#allocators) one.note(timeNs);
  }

  /** Returns the state of the allocators that were used. */
  states(): AllocatorState[] {
    const { devices, streams } = this.#program;
    const nameOf = (device: number): string => devices[device]?.id ?? '';
    return [
      ...this.#caching.map((one, device) => one.state('caching', nameOf(device), one.blocks(streams))),
      this.#pinned.state('caching-host', '', this.#pinned.blocks()),
      ...this.#pools.map((one, device) => one.state('pool', nameOf(device), [])),
    ].filter(({ allocations }) => allocations > 0);
  }

  #allocator(device: number): CachingAllocator {
    const allocator = this.#caching[device];
    if (allocator === undefined) throw new RangeError(`no device ${device}: lower() made a damaged program`);
    return allocator;
  }

  #call(call: MemoryCallName, bytes: number, synchronises: boolean): MemoryCall {
    return { call, ns: this.#costs.memoryNs(call, bytes), synchronises };
  }

  #fromCache(): MemoryCall {
    return { call: '', ns: this.#costs.callNs('cached memory'), synchronises: false };
  }

  /**
   * Allocates from a pool: it grows like cudaMalloc, and reuses what its stream freed or other streams are done with. If the device has no more, the stream waits for memory that another stream has
   * freed in its order (cudaMemPoolReuseAllowInternalDependencies).
   */
  #allocatePool(step: Step, op: number, holdBack: HoldBack): MemoryCall {
    const pool = this.#pools[step.device];
    if (pool === undefined) return this.#fromCache();
    pool.freed = pool.freed.filter(({ stream, use }) => stream !== step.stream && !use.isOver);
    const pending = pool.freed.reduce((sum, { bytes }) => sum + bytes, 0);
    const unused = Math.max(0, pool.reservedBytes - pool.allocatedBytes - pending);
    let growth = Math.max(0, step.bytes - unused);
    while (growth > this.#room(step.device) && pool.freed.length > 0) {
      const [first] = pool.freed.splice(0, 1) as [PoolFree];
      holdBack(step.stream, first.use);
      growth = Math.max(0, growth - first.bytes);
    }
    pool.allocate(step.bytes, growth);
    this.#take(step.device, growth, step, op);
    const growthNs = growth === 0 ? 0 : this.#costs.memoryNs('cudaMalloc', growth);
    return { call: 'cudaMallocAsync', ns: this.#costs.callNs('cudaMallocAsync') + growthNs, synchronises: false };
  }

  #allocateHost(step: Step): MemoryCall {
    const { bytes, buffer } = step;
    if (step.dst === 'managed')
      return { call: 'cudaMallocManaged', ns: this.#costs.memoryNs('cudaMalloc', bytes), synchronises: false };
    if (step.dst === 'pageable') return this.#fromCache();
    if (step.dst === 'registered') return this.#call('cudaHostRegister', bytes, false);
    if (step.allocator !== 'caching') return this.#call('cudaHostAlloc', bytes, false);
    const taken = this.#pinned.allocate(buffer, bytes);
    return taken === 0 ? this.#fromCache() : this.#call('cudaHostAlloc', taken, false);
  }

  #freeHost(step: Step, useOf: UseOf): MemoryCall {
    const { bytes } = step;
    if (this.#pinned.release(step.buffer, useOf)) return this.#fromCache();
    if (step.dst === 'managed') return this.#call('cudaFree', bytes, true);
    if (step.dst === 'pageable') return this.#fromCache();
    return this.#call(step.dst === 'registered' ? 'cudaHostUnregister' : 'cudaFreeHost', bytes, true);
  }

  #room(device: number): number {
    return this.#capacity - (this.#used[device] ?? 0);
  }

  #take(device: number, bytes: number, { buffer }: Step, op: number): void {
    const used = this.#used[device] ?? 0;
    if (bytes > this.#room(device)) {
      throw new CopyscopeError({
        code: 'run.out-of-memory',
        op,
        field: `buffers.${this.#program.buffers[buffer]?.id ?? ''}`,
        message: `the program allocates ${formatBytes(bytes)}, and ${formatBytes(this.#capacity - used)} of ${formatBytes(this.#capacity)} are free.`,
        remedy: 'Make the buffers smaller, or free some first.',
      });
    }
    this.#used[device] = used + bytes;
  }
}
