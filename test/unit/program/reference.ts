/**
 * A byte-level interpreter of programs: every operation completes before the next is issued, every loop runs all its
 * rounds, and every buffer is an array of bytes. Slow and obvious, to hold the follower of descriptions to.
 */
import { contentByte, patternWord } from '../../../core/program/pattern.ts';
import { type Content, type Instruction, type Program, streamMultiplier } from '../../../core/program/program.ts';

export interface ReadBytes {
  readonly thread: number;
  readonly index: number;
  readonly bytes: Uint8Array;
}

export interface Outcome {
  readonly buffers: readonly Uint8Array[];
  readonly reads: readonly ReadBytes[];
}

export const contentBytes = (content: Content, length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => contentByte(content, index));

/** Runs the threads one after another, in the order given. */
export function interpret(program: Program, order = program.threads.map((_, thread) => thread)): Outcome {
  const buffers = program.buffers.map(({ bytes, pattern }) => {
    const words = Uint32Array.from({ length: Math.ceil(bytes / 4) }, (_, index) => patternWord(pattern, index));
    return new Uint8Array(words.buffer).slice(0, bytes);
  });
  const reads: ReadBytes[] = [];
  for (const thread of order) {
    const instructions = program.threads[thread]?.instructions ?? [];
    runBlock(instructions, 0, instructions.length, buffers, (index, bytes) => reads.push({ thread, index, bytes }));
  }
  return { buffers, reads };
}

type OnRead = (index: number, bytes: Uint8Array) => void;

function runBlock(list: readonly Instruction[], from: number, to: number, buffers: Uint8Array[], onRead: OnRead): void {
  for (let index = from; index < to; index += 1) {
    const instruction = list[index];
    if (instruction?.code === 'repeat') {
      for (let round = 0; round < instruction.count; round += 1) {
        runBlock(list, index + 1, instruction.end, buffers, onRead);
      }
      index = instruction.end;
    } else if (instruction !== undefined) {
      runOne(instruction, index, buffers, onRead);
    }
  }
}

function runOne(instruction: Instruction, index: number, buffers: Uint8Array[], onRead: OnRead): void {
  const buffer = (number: number): Uint8Array => buffers[number] ?? new Uint8Array();
  if (instruction.code === 'write') {
    buffer(instruction.buffer).set(contentBytes(instruction.content, instruction.bytes), instruction.offset);
  } else if (instruction.code === 'read') {
    onRead(index, buffer(instruction.buffer).slice(instruction.offset, instruction.offset + instruction.bytes));
  } else if (instruction.code === 'copy') {
    const { src, srcOffset, bytes } = instruction;
    buffer(instruction.dst).set(buffer(src).subarray(srcOffset, srcOffset + bytes), instruction.dstOffset);
  } else if (instruction.code === 'kernel' && instruction.kernel.kind === 'stream') {
    const { src, dst, bytes, passes } = instruction.kernel;
    const words = new Uint32Array(buffer(src).slice(0, bytes).buffer);
    for (let pass = 0; pass < passes; pass += 1) {
      for (let word = 0; word < words.length; word += 1) words[word] = Math.imul(words[word] ?? 0, streamMultiplier);
    }
    buffer(dst).set(new Uint8Array(words.buffer));
  }
}
