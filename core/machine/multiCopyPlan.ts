/**
 * How a multi-tensor copy is cut up: the steps of the strategies that loop over tensors, and for those with threads of
 * their own the chunks that cross the link. Follows the native engine (native/src/copy: tuning, packing, transfers).
 */
import { packedTensorBytes } from '../experiment/multiCopyOptions.ts';
import type { MultiCopyPlan } from '../program/program.ts';
import type { CopyEnds } from './costModel.ts';
import type { Step } from './step.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const defaultSlotBytes = 4 * MiB;
const ringBytes = 64 * MiB;
/** Memory copies of more threads than this no longer gain on the link. */
const mostThreads = 8;
/** Less than this isn't worth another thread. */
const bytesPerThread = 256 * KiB;
const leastChunkBytes = 256 * KiB;
const leastUnitBytes = 64 * KiB;
/** Small tensors that lie apart on the device are moved by one kernel where there are as many as this. */
const leastGathered = 4;
/** A payload is cut into this many chunks at least, so that packing and link overlap. */
const leastChunks = 4;

const number = (plan: MultiCopyPlan, name: string): number | null => {
  const value = plan.options[name];
  return typeof value === 'number' ? value : null;
};
const flag = (plan: MultiCopyPlan, name: string): boolean => plan.options[name] !== false;

/** Bytes of all its tensors. */
export const payloadOf = ({ sizes }: MultiCopyPlan): number => sizes.reduce((sum, bytes) => sum + bytes, 0);

/** Whether other threads than the calling one take part. */
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
  /** A kernel that copies many small tensors of `bytes` in all within the device. */
  pieces(bytes: number): Step;
  /** What a block of page-locked memory costs: more where no earlier iteration has left one behind. */
  blockNs(bytes: number): number;
  /** A host thread's copy of so many bytes. */
  memcpyNs(bytes: number): number;
}

/** One step after another in the calling thread. Tensors of one size share their steps. */
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

/** Whether a kernel moves what is small within the device. */
export const movesPieces = ({ strategy, direction, sizes }: MultiCopyPlan): boolean =>
  strategy === 'pipelined' &&
  direction === 'd2d' &&
  sizes.filter((bytes) => bytes <= packedTensorBytes).length >= leastGathered;

/** Without pinned staging, `packed` still puts small tensors together. */
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

/** What crosses the link at once, or passes from one place in host memory to another. */
export interface Chunk {
  /** Bytes of each part that one thread copies on the host. */
  readonly units: readonly number[];
  /** What crosses between the page-locked memory and the device, a copy each. */
  readonly runs: readonly Run[];
}

export interface Run {
  readonly bytes: number;
  /** A kernel gathers it on the device first. */
  readonly isGathered: boolean;
}

const plainRun = (bytes: number): Run => ({ bytes, isGathered: false });

export interface ThreadedPlan {
  readonly threads: number;
  /** Chunks that may be under way at once. */
  readonly slots: number;
  readonly chunks: readonly Chunk[];
  /** to-device: threads fill what then crosses. from-device: they empty it. after: the same, once all has arrived. host: neither. */
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

/** Small tensors of `packed` put together up to the limit of a chunk, in the place of the first; the others alone. */
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

/** What is page-locked already and not packed crosses as it is. */
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
 * Tensors one after another in chunks of one size. Small ones beside each other cross in one copy: on their way to the
 * device they lie beside each other there too, and on their way back a kernel gathers them, where there are enough.
 */
function ringChunks({ sizes, direction }: MultiCopyPlan, chunkBytes: number, unitBytes: number): Chunk[] {
  const chunks: Chunk[] = [];
  /** Bytes of the parts of each run. */
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
