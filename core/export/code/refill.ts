/** Which buffers get their pattern back before each iteration, so that every iteration does the same. */
import { accesses } from '../../program/accesses.ts';
import type { Instruction } from '../../program/program.ts';
import { bufferOf, isOnDevice, type Subject } from './subject.ts';

/**
 * What is written and read. A buffer that is only written ends every iteration alike, so it is filled once: what a processor
 * has just filled would slow the copies that write over it.
 */
export function needsRefill(subject: Subject, buffer: number): boolean {
  const { written, allocated } = bufferOf(subject, buffer);
  return written && allocated === 'before-run' && usesOf(subject).read.has(buffer);
}

/** Whether only a device writes page-locked memory that is refilled. */
export function isFlushed(subject: Subject, buffer: number): boolean {
  const declared = bufferOf(subject, buffer);
  return !isOnDevice(declared) && declared.memory !== 'pageable' && !usesOf(subject).byHost.has(buffer);
}

interface Uses {
  readonly read: ReadonlySet<number>;
  /** Written by a host thread. */
  readonly byHost: ReadonlySet<number>;
}

const known = new WeakMap<Subject, Uses>();

function usesOf(subject: Subject): Uses {
  const found = known.get(subject) ?? findUses(subject);
  known.set(subject, found);
  return found;
}

function findUses(subject: Subject): Uses {
  const [read, byHost] = [new Set<number>(), new Set<number>()];
  for (const instruction of subject.instructions) {
    for (const { buffer, writes } of accesses(instruction)) {
      if (!writes) read.add(buffer);
      else if (isOfHost(instruction, subject)) byHost.add(buffer);
    }
  }
  return { read, byHost };
}

function isOfHost(instruction: Instruction, subject: Subject): boolean {
  if (instruction.code === 'write' || instruction.code === 'pin') return true;
  if (instruction.code !== 'copy') return false;
  return [instruction.src, instruction.dst].every((buffer) => !isOnDevice(bufferOf(subject, buffer)));
}
