/** Which buffers get their pattern back before each iteration, so that every iteration does the same. */
import { accesses } from '../../program/accesses.ts';
import type { Instruction } from '../../program/program.ts';
import { bufferOf, isOnDevice, type Subject } from './subject.ts';

/** All that is written, as the executor does it. */
export function needsRefill(subject: Subject, buffer: number): boolean {
  const { written, allocated } = bufferOf(subject, buffer);
  return written && allocated === 'before-run';
}

/** Whether only a device writes page-locked memory that is refilled. */
export function isFlushed(subject: Subject, buffer: number): boolean {
  const declared = bufferOf(subject, buffer);
  return !isOnDevice(declared) && declared.memory !== 'pageable' && !writtenByHost(subject).has(buffer);
}

const known = new WeakMap<Subject, ReadonlySet<number>>();

/** What a host thread writes. */
function writtenByHost(subject: Subject): ReadonlySet<number> {
  const found = known.get(subject) ?? findWrittenByHost(subject);
  known.set(subject, found);
  return found;
}

function findWrittenByHost(subject: Subject): Set<number> {
  const found = new Set<number>();
  for (const instruction of subject.instructions) {
    if (!isOfHost(instruction, subject)) continue;
    for (const { buffer, writes } of accesses(instruction)) if (writes) found.add(buffer);
  }
  return found;
}

function isOfHost(instruction: Instruction, subject: Subject): boolean {
  if (instruction.code === 'write' || instruction.code === 'pin') return true;
  if (instruction.code !== 'copy') return false;
  return [instruction.src, instruction.dst].every((buffer) => !isOnDevice(bufferOf(subject, buffer)));
}
