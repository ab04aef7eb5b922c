/**
 * Memory over time: bytes that operations have allocated, as a step function for each place:
 *
 *   allocated   bytes from before the run, + a buffer's bytes when the call that allocates it returns, - when the call
 *               that frees it returns; for device memory of a pool or a caching allocator, + when the device begins to
 *               use it, - when the last work that was issued before the free has ended, so that concurrent streams
 *               count together and one stream's buffers don't
 *
 * In a trace of PyTorch's profiler the steps are its own memory events, which count what its allocators handed out.
 *
 * A place is a device, or host memory of one kind. Memory cached by an allocator or a pool doesn't count: it isn't the
 * program's. Buffers from before the run count from the start, so that steps are shown on top of them.
 */

import { lowerBound } from '../../lowerBound.ts';
import { payloadOf, pinnedBytes } from '../../machine/multiCopyPlan.ts';
import { accesses } from '../../program/accesses.ts';
import type { Instruction, Program } from '../../program/program.ts';
import { type Iteration, rowStart, rowsOfKind } from '../../trace/iteration.ts';
import { readMemoryEventName } from '../../trace/rangeNames.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { MemoryKind } from '../../trace/trace.ts';
import { hostCalls } from './hostCalls.ts';

/** `bytes[i]` is allocated from `timeNs[i]` on. Times ascend. If several steps have one time, the last one counts. */
export interface MemorySeries {
  /** Id of the device; empty for host memory. */
  readonly device: string;
  readonly memory: MemoryKind;
  readonly timeNs: Float64Array;
  readonly bytes: Float64Array;
  readonly mostBytes: number;
}

interface Step {
  readonly atNs: number;
  readonly bytes: number;
}

interface Place {
  readonly device: string;
  readonly memory: MemoryKind;
  before: number;
  readonly steps: Step[];
}

/** Returns one series for each place with memory in use. `program` is null for an imported trace. */
export function memorySeries(iteration: Iteration, program: Program | null): MemorySeries[] {
  const places = new Places();
  if (program === null) addRecorded(iteration, places);
  else addOperations(iteration, program, places);
  return places.all.map(series).filter(({ mostBytes }) => mostBytes > 0);
}

class Places {
  readonly #places = new Map<string, Place>();

  get all(): Place[] {
    return [...this.#places.values()];
  }

  at(device: string, memory: MemoryKind): Place {
    const key = `${device} ${memory}`;
    const known = this.#places.get(key) ?? { device, memory, before: 0, steps: [] };
    this.#places.set(key, known);
    return known;
  }
}

/** Adds the profiler's own memory events (core/trace/rangeNames.ts). */
function addRecorded(iteration: Iteration, places: Places): void {
  const { columns, names } = iteration.trace;
  const changes = names.map(readMemoryEventName);
  if (changes.every((change) => change === null)) return;
  for (const row of rowsOfKind(iteration, 'host-range')) {
    const change = changes[columns.name[row] ?? -1] ?? null;
    if (change === null) continue;
    // Only allocators of page-locked memory report here, so other host memory is pageable.
    const place = places.at(change.device, change.device === '' ? 'pageable' : 'device');
    const bytes = columns.bytes[row] ?? 0;
    if (change.action === 'before') place.before += bytes;
    else place.steps.push({ atNs: columns.startNs[row] ?? 0, bytes: change.action === 'free' ? -bytes : bytes });
  }
}

function addOperations(iteration: Iteration, program: Program, places: Places): void {
  const placeOf = (buffer: number): Place | undefined => {
    const declared = program.buffers[buffer];
    return declared && places.at(program.devices[declared.device]?.id ?? '', declared.memory);
  };
  program.buffers.forEach((buffer, index) => {
    const place = placeOf(index);
    if (place !== undefined && buffer.allocated === 'before-run') place.before += buffer.bytes;
  });
  if (program.multiCopies.length > 0) addMultiCopies(program, places);
  if (program.buffers.every(({ allocated }) => allocated === 'before-run')) return;
  const ops = bufferChanges(program);
  const { trace } = iteration;
  const uses = new BufferUses(iteration, program);
  const pinned = new Set<number>();
  for (const row of rowsOfKind(iteration, 'host-call', 'host-work')) {
    const change = ops.get(trace.columns.op[row] ?? -1);
    if (change === undefined) continue;
    // The first of a pin's two rows is the allocation.
    const op = trace.columns.op[row] ?? -1;
    if (change.isPin && pinned.delete(op)) continue;
    if (change.isPin) pinned.add(op);
    const calledNs = rowEndNs(trace, row);
    const atNs = change.inOrder ? uses.of(change.buffer).turn(calledNs, change.bytes > 0) : calledNs;
    placeOf(change.buffer)?.steps.push({ atNs, bytes: change.bytes });
  }
}

/** Adds tensors of multi-tensor copies, and the page-locked memory that strategies copy them into. */
function addMultiCopies({ threads, multiCopies, streams, devices }: Program, places: Places): void {
  for (const one of threads.flatMap(({ instructions }) => instructions)) {
    const plan = one.code === 'multiCopy' ? multiCopies[one.plan] : undefined;
    if (one.code !== 'multiCopy' || plan === undefined) continue;
    const { direction, memory } = plan;
    const payload = payloadOf(plan);
    const device = devices[streams[one.stream]?.device ?? 0]?.id ?? '';
    if (direction !== 'd2d') places.at('', memory).before += direction === 'h2h' ? 2 * payload : payload;
    if (direction !== 'h2h') places.at(device, 'device').before += direction === 'd2d' ? 2 * payload : payload;
    places.at('', 'pinned').before += pinnedBytes(plan);
  }
}

interface Work {
  readonly calledNs: number;
  readonly startNs: number;
  /** Latest end of this work and of all that was called before it. */
  endNs: number;
}

/** Work of the device on one buffer. */
class Uses {
  readonly #works: Work[] = [];

  add(work: Work): void {
    this.#works.push(work);
  }

  /** Call it after the last add(). */
  sort(): void {
    let reachedNs = 0;
    for (const work of this.#works.sort((a, b) => a.calledNs - b.calledNs)) {
      reachedNs = Math.max(reachedNs, work.endNs);
      work.endNs = reachedNs;
    }
  }

  /** Returns when the device begins to use memory that a call has allocated, or is done with memory that it freed. */
  turn(calledNs: number, isAllocation: boolean): number {
    const next = lowerBound(0, this.#works.length, (at) => (this.#works[at]?.calledNs ?? 0) < calledNs);
    const turnNs = isAllocation ? this.#works[next]?.startNs : this.#works[next - 1]?.endNs;
    return Math.max(calledNs, turnNs ?? calledNs);
  }
}

/** Finds the work of the device on each buffer on first use. */
class BufferUses {
  readonly #iteration: Iteration;
  readonly #program: Program;
  #found: ReadonlyMap<number, Uses> | null = null;

  constructor(iteration: Iteration, program: Program) {
    this.#iteration = iteration;
    this.#program = program;
  }

  of(buffer: number): Uses {
    this.#found ??= this.#find();
    return this.#found.get(buffer) ?? new Uses();
  }

  #find(): Map<number, Uses> {
    const { trace } = this.#iteration;
    const buffersOf = new Map<number, readonly number[]>();
    for (const one of this.#program.threads.flatMap(({ instructions }) => instructions)) {
      const touched = touchedBuffers(one);
      if (touched.length > 0) buffersOf.set(one.op, touched);
    }
    const found = new Map<number, Uses>();
    for (const [row, call] of hostCalls(this.#iteration)) {
      for (const buffer of buffersOf.get(trace.columns.op[row] ?? -1) ?? []) {
        const uses = found.get(buffer) ?? new Uses();
        found.set(buffer, uses);
        uses.add({ calledNs: rowStart(trace, call), startNs: rowStart(trace, row), endNs: rowEndNs(trace, row) });
      }
    }
    for (const uses of found.values()) uses.sort();
    return found;
  }
}

function touchedBuffers(one: Instruction): readonly number[] {
  const named = one.code === 'kernel' ? [...one.reads, ...one.writes] : [];
  const isOnDevice = one.code === 'kernel' || one.code === 'copy' || one.code === 'memset' || one.code === 'blockCopy';
  return isOnDevice ? [...new Set([...named, ...accesses(one).map(({ buffer }) => buffer)])] : [];
}

interface BufferChange {
  readonly buffer: number;
  /** Negative for a free. */
  readonly bytes: number;
  readonly isPin: boolean;
  /** Whether it takes its turn in a stream. */
  readonly inOrder: boolean;
}

/** Returns how each operation changes memory, by its number. */
function bufferChanges({ threads, buffers }: Program): Map<number, BufferChange> {
  const changes = new Map<number, BufferChange>();
  const sizeOf = (buffer: number): number => buffers[buffer]?.bytes ?? 0;
  for (const one of threads.flatMap(({ instructions }) => instructions)) {
    if (one.code === 'allocate' || one.code === 'free') {
      const { buffer, op } = one;
      const bytes = one.code === 'allocate' ? sizeOf(buffer) : -sizeOf(buffer);
      const inOrder = buffers[buffer]?.memory === 'device' && one.allocator !== 'cuda-malloc';
      changes.set(op, { buffer, bytes, isPin: false, inOrder });
    } else if (one.code === 'pin' && buffers[one.dst]?.allocated === 'by-operation') {
      changes.set(one.op, { buffer: one.dst, bytes: sizeOf(one.dst), isPin: true, inOrder: false });
    }
  }
  return changes;
}

function series({ device, memory, before, steps }: Place): MemorySeries {
  const sorted = [...steps].sort((a, b) => a.atNs - b.atNs);
  const timeNs = Float64Array.from([0, ...sorted.map(({ atNs }) => atNs)]);
  const bytes = new Float64Array(timeNs.length);
  bytes[0] = before;
  for (const [index, step] of sorted.entries()) bytes[index + 1] = Math.max(0, (bytes[index] ?? 0) + step.bytes);
  return { device, memory, timeNs, bytes, mostBytes: bytes.reduce((most, one) => Math.max(most, one), 0) };
}
