/**
 * A byte-level interpreter of programs: every operation completes before the next is issued, every loop runs all its
 * rounds, and every buffer is an array of bytes. Slow and obvious, to check the expectations of lowered programs.
 */

import { type Content, type Instruction, type Program, streamMultiplier } from '../../../core/program/program.ts';
import { contentByte, patternWord } from '../../support/pattern.ts';

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

/** Runs the threads one after another, in the given order. */
export function interpret(program: Program, order = program.threads.map((_, thread) => thread)): Outcome {
  const buffers = program.buffers.map(({ bytes, pattern, allocated }) => {
    if (allocated === 'by-operation') return garbage(bytes);
    const words = Uint32Array.from({ length: Math.ceil(bytes / 4) }, (_, index) => patternWord(pattern, index));
    return new Uint8Array(words.buffer).slice(0, bytes);
  });
  const reads: ReadBytes[] = [];
  const graphs = new Map<number, () => void>();
  for (const thread of order) {
    const list = program.threads[thread]?.instructions ?? [];
    const onRead = (index: number, bytes: Uint8Array) => reads.push({ thread, index, bytes });
    runBlock({ list, buffers, graphs, onRead, takes: () => true }, 0, list.length);
  }
  return { buffers, reads };
}

/** Content of unwritten memory: no pattern, and different each time. */
let garbageSeed = 12_345;
function garbage(bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, () => {
    garbageSeed = (Math.imul(garbageSeed, 1_103_515_245) + 12_345) >>> 0;
    return garbageSeed >>> 24;
  });
}

interface Machine {
  readonly list: readonly Instruction[];
  readonly buffers: Uint8Array[];
  /** Work of each captured graph at a launch. */
  readonly graphs: Map<number, () => void>;
  readonly onRead: (index: number, bytes: Uint8Array) => void;
  readonly takes: (instruction: Instruction) => boolean;
}

const onHost = ({ code }: Instruction): boolean => code === 'write' || code === 'read';

function runBlock(machine: Machine, from: number, to: number): void {
  const { list } = machine;
  for (let index = from; index < to; index += 1) {
    const instruction = list[index];
    if (instruction?.code === 'repeat') {
      for (let round = 0; round < instruction.count; round += 1) runBlock(machine, index + 1, instruction.end);
      index = instruction.end;
    } else if (instruction?.code === 'beginCapture') {
      const begin = index + 1;
      const end = list.findIndex((one, at) => at > index && one.code === 'endCapture');
      runBlock({ ...machine, takes: onHost }, begin, end);
      machine.graphs.set(instruction.graph, () => runBlock({ ...machine, takes: (one) => !onHost(one) }, begin, end));
      index = end;
    } else if (instruction?.code === 'launchGraph') {
      machine.graphs.get(instruction.graph)?.();
    } else if (instruction !== undefined && machine.takes(instruction)) {
      runOne(instruction, index, machine);
    }
  }
}

function runOne(instruction: Instruction, index: number, { buffers, onRead }: Machine): void {
  const buffer = (number: number): Uint8Array => buffers[number] ?? new Uint8Array();
  if (instruction.code === 'write') {
    buffer(instruction.buffer).set(contentBytes(instruction.content, instruction.bytes), instruction.offset);
  } else if (instruction.code === 'read') {
    onRead(index, buffer(instruction.buffer).slice(instruction.offset, instruction.offset + instruction.bytes));
  } else if (instruction.code === 'copy') {
    const { src, srcOffset, bytes } = instruction;
    buffer(instruction.dst).set(buffer(src).subarray(srcOffset, srcOffset + bytes), instruction.dstOffset);
  } else if (instruction.code === 'pin') {
    buffer(instruction.dst).set(buffer(instruction.src));
  } else if (instruction.code === 'memset') {
    buffer(instruction.buffer).fill(instruction.value, instruction.offset, instruction.offset + instruction.bytes);
  } else if (instruction.code === 'allocate' || instruction.code === 'free') {
    buffers[instruction.buffer] = garbage(buffer(instruction.buffer).length);
  } else if (instruction.code === 'kernel' && instruction.kernel.kind === 'stream') {
    const { src, dst, bytes, passes } = instruction.kernel;
    const words = new Uint32Array(buffer(src).slice(0, bytes).buffer);
    for (let pass = 0; pass < passes; pass += 1) {
      for (let word = 0; word < words.length; word += 1) words[word] = Math.imul(words[word] ?? 0, streamMultiplier);
    }
    buffer(dst).set(new Uint8Array(words.buffer));
  }
}
