/**
 * Derives the final content of every written buffer, and the content of each host read, as if each operation completed
 * before the next was issued. A run without races has exactly this result.
 */
import { accesses } from './accesses.ts';
import { capturedWork, executedWork } from './captures.ts';
import { Follower } from './follower.ts';
import {
  type Expectation,
  type Instruction,
  isLibraryKernel,
  type KernelResult,
  type Program,
  type ProgramBuffer,
  type ProgramThread,
} from './program.ts';

type Derived = Pick<Program, 'threads' | 'expectations' | 'results' | 'unverifiable'>;

export function expectations(buffers: readonly ProgramBuffer[], threads: readonly ProgramThread[]): Derived {
  const work = capturedWork(threads);
  const shared = sharedBuffers(threads, work);
  const follower = new Follower(buffers, threads, shared);
  const followed = threads.map((thread) => ({ ...thread, instructions: follower.thread(thread.instructions) }));
  const freed = freedBuffers(threads);
  const found: Expectation[] = [];
  const results: KernelResult[] = [];
  const computed = computedBuffers(threads);
  const unverifiable: { buffer: number; reason: string }[] = [];
  buffers.forEach((buffer, index) => {
    if (!buffer.written) return;
    if (freed.has(index)) {
      unverifiable.push({ buffer: index, reason: 'it is freed before the end' });
      return;
    }
    const result = follower.result(index);
    if (result !== null) results.push(result);
    const pieces = follower.content(index).snapshot();
    if (result === null && pieces.some((piece) => piece.content === null)) {
      unverifiable.push({ buffer: index, reason: unknownReason(buffer, shared.has(index), computed.has(index)) });
    }
    for (const { from, to, content } of pieces) {
      if (content !== null) found.push({ buffer: index, offset: from, bytes: to - from, content });
    }
  });
  return { threads: followed, expectations: found, results, unverifiable };
}

/** Buffers that a library kernel writes. */
const computedBuffers = (threads: readonly ProgramThread[]): Set<number> =>
  new Set(
    threads.flatMap(({ instructions }) =>
      instructions.flatMap((one) => (one.code === 'kernel' && isLibraryKernel(one.kernel) ? [one.kernel.dst] : [])),
    ),
  );

function unknownReason({ allocated }: ProgramBuffer, shared: boolean, computed: boolean): string {
  if (shared) return 'more than one host thread touches it, so its content depends on their order';
  if (computed) {
    return 'what a matmul or fft kernel writes can be worked out if its operands have numbers of its type (pattern "float32", "float16" or "bfloat16") and nothing writes to it afterwards';
  }
  const dynamic = allocated === 'by-operation' ? 'bytes that nothing has written since it was allocated, ' : '';
  return `part of it can't be followed: ${dynamic}a loop that changes it each round, words torn between patterns, or too many operations`;
}

/** Returns buffers that don't exist at the program's end. A loop runs at least once: its last instruction decides. */
function freedBuffers(threads: readonly ProgramThread[]): Set<number> {
  const freed = new Set<number>();
  for (const { instructions } of threads) {
    for (const instruction of instructions) {
      if (instruction.code === 'free') freed.add(instruction.buffer);
      else if (instruction.code === 'allocate') freed.delete(instruction.buffer);
      else if (instruction.code === 'pin') freed.delete(instruction.dst);
    }
  }
  return freed;
}

/** Returns buffers that one host thread writes and another one reads or writes. */
function sharedBuffers(
  threads: readonly ProgramThread[],
  work: ReadonlyMap<number, readonly Instruction[]>,
): Set<number> {
  const users = new Map<number, number>();
  const shared = new Set<number>();
  const written = new Set<number>();
  threads.forEach((thread, index) => {
    for (const instruction of executedWork(thread, work)) {
      for (const { buffer, writes } of accesses(instruction)) {
        if ((users.get(buffer) ?? index) !== index) shared.add(buffer);
        users.set(buffer, index);
        if (writes) written.add(buffer);
      }
    }
  });
  return new Set([...shared].filter((buffer) => written.has(buffer)));
}
