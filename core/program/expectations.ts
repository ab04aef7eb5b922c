/**
 * Derives what every written buffer must hold in the end, and what each host read should find, by following the
 * program as if each operation completed before the next was issued. A run that is free of races ends in just this.
 */
import { accesses } from './accesses.ts';
import { Follower } from './follower.ts';
import type { Expectation, Program, ProgramBuffer, ProgramThread } from './program.ts';

type Derived = Pick<Program, 'threads' | 'expectations' | 'unverifiable'>;

export function expectations(buffers: readonly ProgramBuffer[], threads: readonly ProgramThread[]): Derived {
  const shared = sharedBuffers(threads);
  const follower = new Follower(buffers, shared);
  const followed = threads.map((thread) => ({ ...thread, instructions: follower.thread(thread.instructions) }));
  const found: Expectation[] = [];
  const unverifiable: { buffer: number; reason: string }[] = [];
  buffers.forEach((buffer, index) => {
    if (!buffer.written) return;
    const pieces = follower.content(index).snapshot();
    if (pieces.some((piece) => piece.content === null)) {
      const reason = shared.has(index)
        ? 'more than one host thread touches it, so its content depends on their order'
        : "part of it can't be followed: a loop that changes it each round, words torn between patterns, or too many operations";
      unverifiable.push({ buffer: index, reason });
    }
    for (const { from, to, content } of pieces) {
      if (content !== null) found.push({ buffer: index, offset: from, bytes: to - from, content });
    }
  });
  return { threads: followed, expectations: found, unverifiable };
}

/** Buffers that one host thread writes and another one reads or writes. */
function sharedBuffers(threads: readonly ProgramThread[]): Set<number> {
  const users = new Map<number, number>();
  const shared = new Set<number>();
  const written = new Set<number>();
  threads.forEach((thread, index) => {
    for (const instruction of thread.instructions) {
      for (const { buffer, writes } of accesses(instruction)) {
        if ((users.get(buffer) ?? index) !== index) shared.add(buffer);
        users.set(buffer, index);
        if (writes) written.add(buffer);
      }
    }
  });
  return new Set([...shared].filter((buffer) => written.has(buffer)));
}
