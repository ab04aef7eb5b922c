/**
 * Splits a multi-tensor copy: into steps for strategies that loop over tensors, or into chunks that cross the link for
 * those with their own threads. Follows the native engine (native/src/copy: tuning, packing, transfers).
 */
import { packedTensorBytes } from '../experiment/multiCopyOptions.ts';
import type { MultiCopyPlan } from '../program/program.ts';
import type { CopyEnds } from './costModel.ts';
import type { Step } from './step.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const defaultSlotBytes = 4 * MiB;
const ringBytes = 64 * MiB;
/** Limit of threads; more memory copies at once don't fill the link better. */
const mostThreads = 8;
/** Fewer bytes aren't worth another thread. */
const bytesPerThread = 256 * KiB;
const leastChunkBytes = 256 * KiB;
const leastUnitBytes = 64 * KiB;
/** Smallest number of separate small tensors on the device that one kernel moves. */
const leastGathered = 4;
/** Smallest number of chunks of a payload, so that packing and transfer overlap. */
const leastChunks = 4;

const number = (plan: MultiCopyPlan, name: string): number | null => {
  const value = plan.options[name];
  return typeof value === 'number' ? value : null;
};
const flag = (plan: MultiCopyPlan, name: string): boolean => plan.options[name] !== false;

/** Returns the bytes of all tensors. */
export const payloadOf = ({ sizes }: MultiCopyPlan): number => sizes.reduce((sum, bytes) => sum + bytes, 0);

/** Returns the bytes of the page-locked blocks that hold whole tensors: one block, or one for each tensor. */
export function pinnedBytes(plan: MultiCopyPlan): number {
  const { strategy, direction, sizes } = plan;
  if (direction === 'd2d' || direction === 'h2h') return 0;
  if (strategy === 'pin-then-copy') return sizes.reduce((most, bytes) => Math.max(most, bytes), 0);
  return strategy === 'pin-then-copy-non-blocking' || strategy === 'threaded-pinning' ? payloadOf(plan) : 0;
}

/** Returns whether threads other than the calling one take part. */
export function isThreaded(plan: MultiCopyPlan): boolean {
  const { strategy, direction } = plan;
  if (direction === 'd2d') return false;
  if (strategy === 'threaded-pinning') return true;
  if (strategy === 'pipelined') return direction === 'h2h' || plan.memory === 'pageable';
  return strategy === 'packed' && (direction === 'h2h' || flag(plan, 'use_pinned_staging'));
}

// Loops

export interface LoopParts {
  readonly base: Step;
  readonly synchronize: Step;
  copy(bytes: number, ends: CopyEnds): Step;
  /** Returns a kernel that copies many small tensors of `bytes` in total within the device. */
  pieces(bytes: number): Step;
  /** Returns the cost of a block of page-locked memory; higher if no earlier iteration has left one. */
  blockNs(bytes: number): number;
  /** Returns the time of a host thread's copy. */
  memcpyNs(bytes: number): number;
}

/** Returns the steps of the calling thread. Tensors of one size share their steps. */
export function loopSteps(plan: MultiCopyPlan, parts: LoopParts): Step[] {
  if (plan.direction === 'h2h')
    return Array.from(
      plan.sizes,
      sharedBySize((bytes) => memcpyStep(parts, bytes)),
    );
  const each = plan.strategy === 'blocking-loop' || plan.strategy === 'pin-then-copy';
  const pins = plan.direction !== 'd2d' && plan.strategy.startsWith('pin-then-copy');
  const ends = endsOf(plan, pins, parts.base.device);
  const copy = sharedBySize((bytes) => parts.copy(bytes, ends));
  // The pipelined strategy waits for an event behind its own work.
  const wait =
    plan.strategy === 'pipelined' ? { ...parts.synchronize, call: 'cudaEventSynchronize' } : parts.synchronize;
  if (movesPieces(plan)) {
    const isSmall = (bytes: number): boolean => bytes <= packedTensorBytes;
    const small = plan.sizes.filter(isSmall).reduce((sum, bytes) => sum + bytes, 0);
    const large = Array.from(
      plan.sizes.filter((bytes) => !isSmall(bytes)),
      copy,
    );
    return [...large, parts.pieces(small), wait];
  }
  const arrived = sharedBySize((bytes) => memcpyStep(parts, bytes));
  const pin = sharedBySize((bytes) => memcpyStep(parts, bytes, parts.blockNs(bytes)));
  const steps: Step[] = [];
  const after: Step[] = [];
  for (const bytes of bytesOf(plan)) {
    if (pins && plan.direction === 'h2d') steps.push(pin(bytes));
    steps.push(copy(bytes));
    if (each) steps.push(parts.synchronize);
    if (pins && plan.direction === 'd2h') (each ? steps : after).push(arrived(bytes));
  }
  return each ? steps : [...steps, wait, ...after];
}

/** Returns whether a kernel moves small tensors within the device. */
export const movesPieces = ({ strategy, direction, sizes }: MultiCopyPlan): boolean =>
  strategy === 'pipelined' &&
  direction === 'd2d' &&
  sizes.filter((bytes) => bytes <= packedTensorBytes).length >= leastGathered;

/** Without pinned staging, `packed` still joins small tensors. */
function bytesOf(plan: MultiCopyPlan): readonly number[] | Float64Array {
  return plan.strategy === 'packed' && plan.direction === 'h2d' ? groups(plan).map(({ bytes }) => bytes) : plan.sizes;
}

function endsOf({ direction, memory }: MultiCopyPlan, pins: boolean, device: number): CopyEnds {
  const host = pins ? 'pinned' : memory;
  if (direction === 'd2d') return { src: 'device', dst: 'device', from: device, to: device };
  return direction === 'h2d'
    ? { src: host, dst: 'device', from: -1, to: device }
    : { src: 'device', dst: host, from: device, to: -1 };
}

const memcpyStep = ({ base, memcpyNs }: LoopParts, bytes: number, moreNs = 0): Step => ({
  ...base,
  code: 'work',
  bytes,
  callNs: memcpyNs(bytes) + moreNs,
});

function sharedBySize(make: (bytes: number) => Step): (bytes: number) => Step {
  const made = new Map<number, Step>();
  return (bytes) => {
    const known = made.get(bytes);
    if (known !== undefined) return known;
    const step = make(bytes);
    made.set(bytes, step);
    return step;
  };
}

// Threads

/** One transfer over the link, or from one place in host memory to another. */
export interface Chunk {
  /** Bytes of each part that one thread copies on the host. */
  readonly units: readonly number[];
  /** Copies between the page-locked memory and the device. */
  readonly runs: readonly Run[];
}

export interface Run {
  readonly bytes: number;
  /** Whether a kernel first gathers it on the device. */
  readonly isGathered: boolean;
}

const plainRun = (bytes: number): Run => ({ bytes, isGathered: false });

export interface ThreadedPlan {
  readonly threads: number;
  /** Limit of chunks in progress. */
  readonly slots: number;
  readonly chunks: readonly Chunk[];
  /**
   * to-device: threads fill chunks, which then cross. from-device: chunks cross, and threads empty them. after: like
   * from-device, but only once all have arrived. host: host to host.
   */
  readonly order: 'to-device' | 'from-device' | 'after' | 'host';
}

/** `cores` of the machine. */
export function threadedPlan(plan: MultiCopyPlan, cores: number): ThreadedPlan {
  const payload = payloadOf(plan);
  const slotBytes = number(plan, 'slotBytes') ?? defaultSlotBytes;
  const standard = plan.strategy === 'threaded-pinning' ? 4 : threadsFor(payload, cores);
  const threads = number(plan, 'threads') ?? standard;
  const share = Math.ceil(Math.max(1, payload / leastChunks) / leastUnitBytes) * leastUnitBytes;
  const chunkBytes = Math.min(number(plan, 'chunkBytes') ?? Math.max(share, leastChunkBytes), slotBytes);
  if (plan.direction === 'h2h')
    return { threads, slots: Infinity, chunks: pieces(plan.sizes, chunkBytes), order: 'host' };
  if (plan.strategy !== 'pipelined') {
    const order = plan.direction === 'h2d' ? 'to-device' : 'after';
    const packs = plan.strategy === 'packed' && plan.direction === 'h2d';
    const chunks = packs ? packedChunks(plan) : Array.from(plan.sizes, stagedChunk);
    return { threads, slots: Infinity, chunks, order };
  }
  const many = payload / chunkBytes >= 2 * threads;
  const unitBytes = many ? chunkBytes : Math.max(leastUnitBytes, chunkBytes / threads);
  const perThread = number(plan, 'slotsPerThread');
  const slots =
    perThread === null ? Math.min(1024, Math.max(2, Math.floor(ringBytes / slotBytes))) : perThread * threads;
  const order = plan.direction === 'h2d' ? 'to-device' : 'from-device';
  return { threads, slots, chunks: ringChunks(plan, chunkBytes, unitBytes), order };
}

function threadsFor(payload: number, cores: number): number {
  const most = Math.min(mostThreads, cores < 4 ? cores : Math.floor(cores / 2));
  return Math.max(1, Math.min(most, Math.floor(payload / bytesPerThread)));
}

interface Packed {
  bytes: number;
  members: number;
}

/** Packs small tensors of `packed` into chunks, in the place of the first; other tensors stay single. */
function groups(plan: MultiCopyPlan): Packed[] {
  const packs = flag(plan, 'pack_cpu_tensors');
  const alignment = number(plan, 'min_packed_alignment_bytes') ?? 16;
  const most = number(plan, 'max_packed_chunk_bytes') ?? 32 * MiB;
  const found: Packed[] = [];
  let group: Packed | null = null;
  for (const bytes of plan.sizes) {
    const isSmall = packs && bytes <= packedTensorBytes;
    const start = Math.ceil((group?.bytes ?? 0) / alignment) * alignment;
    if (isSmall && group !== null && start + bytes <= most) {
      group.bytes = start + bytes;
      group.members += 1;
      continue;
    }
    const own = { bytes, members: 1 };
    found.push(own);
    if (isSmall) group = own;
  }
  return found;
}

const stagedChunk = (bytes: number): Chunk => ({ units: [bytes], runs: [plainRun(bytes)] });

/** Page-locked tensors that aren't packed cross without staging. */
const packedChunks = (plan: MultiCopyPlan): Chunk[] =>
  groups(plan).map(({ bytes, members }) =>
    members === 1 && plan.memory === 'pinned' ? { units: [0], runs: [plainRun(bytes)] } : stagedChunk(bytes),
  );

const pieces = (sizes: Float64Array, most: number): Chunk[] =>
  Array.from(sizes).flatMap((bytes) =>
    Array.from({ length: Math.ceil(bytes / most) }, (_, piece) => ({
      units: [Math.min(most, bytes - piece * most)],
      runs: [],
    })),
  );

/**
 * Lays tensors out in chunks of one size. Adjacent small tensors cross in one copy. To the device they are adjacent
 * there too; from the device a kernel first gathers them if there are enough.
 */
function ringChunks({ sizes, direction }: MultiCopyPlan, chunkBytes: number, unitBytes: number): Chunk[] {
  const chunks: Chunk[] = [];
  /** Sizes of the parts of each run. */
  let runs: number[][] = [];
  let packed = false;
  let filled = 0;
  const crossing = (parts: readonly number[]): Run[] => {
    const bytes = parts.reduce((sum, part) => sum + part, 0);
    if (direction === 'h2d') return [plainRun(bytes)];
    return parts.length < leastGathered ? parts.map(plainRun) : [{ bytes, isGathered: true }];
  };
  const close = (): void => {
    if (filled > 0) chunks.push({ units: units(filled, unitBytes), runs: runs.flatMap(crossing) });
    [runs, packed, filled] = [[], false, 0];
  };
  for (const bytes of sizes) {
    for (let done = 0; done < bytes; ) {
      const part = Math.min(bytes - done, chunkBytes - filled);
      const small = (direction === 'd2h' ? part : bytes) <= packedTensorBytes;
      const last = runs.length - 1;
      if (small && packed) runs[last]?.push(part);
      else runs.push([part]);
      packed = small;
      filled += part;
      done += part;
      if (filled >= chunkBytes) close();
    }
  }
  close();
  return chunks;
}

const units = (bytes: number, most: number): number[] =>
  Array.from({ length: Math.ceil(bytes / most) }, (_, unit) => Math.min(most, bytes - unit * most));
