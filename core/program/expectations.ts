/**
 * Derives what every written buffer must hold in the end, and what each host read should find, by following the
 * program as if each operation completed before the next was issued. A run that is free of races ends in just this.
 */
import { BufferContent } from './content.ts';
import {
  type Content,
  type Expectation,
  type Instruction,
  type Program,
  type ProgramBuffer,
  type ProgramKernel,
  type ProgramThread,
  streamMultiplier,
} from './program.ts';

/** A repeat is followed this often; if it still changes something then, what it writes is called unknown. */
const followedRepeats = 64;

type Derived = Pick<Program, 'threads' | 'expectations' | 'unverifiable'>;

export function expectations(buffers: readonly ProgramBuffer[], threads: readonly ProgramThread[]): Derived {
  const shared = sharedBuffers(threads);
  const follower = new Follower(buffers, new Set(shared));
  const followed = threads.map((thread) => ({ ...thread, instructions: follower.thread(thread.instructions) }));
  const found: Expectation[] = [];
  const unverifiable: { buffer: number; reason: string }[] = [];
  buffers.forEach((buffer, index) => {
    if (!buffer.written) return;
    const pieces = follower.content(index).pieces(0, buffer.bytes);
    if (pieces.some((piece) => piece.content === null)) {
      const reason = shared.includes(index)
        ? 'more than one host thread touches it, so its content depends on their order'
        : 'its content depends on a loop, or on data that could not be followed';
      unverifiable.push({ buffer: index, reason });
    }
    for (const { from, to, content } of pieces) {
      if (content !== null) found.push({ buffer: index, offset: from, bytes: to - from, content });
    }
  });
  return { threads: followed, expectations: found, unverifiable };
}

/** Buffers that one host thread writes and another one reads or writes. */
function sharedBuffers(threads: readonly ProgramThread[]): number[] {
  const touchedBy = new Map<number, Set<number>>();
  const written = new Set<number>();
  threads.forEach((thread, index) => {
    for (const instruction of thread.instructions) {
      for (const { buffer, writes } of accesses(instruction)) {
        touchedBy.set(buffer, (touchedBy.get(buffer) ?? new Set()).add(index));
        if (writes) written.add(buffer);
      }
    }
  });
  return [...touchedBy].filter(([buffer, users]) => users.size > 1 && written.has(buffer)).map(([buffer]) => buffer);
}

function accesses(instruction: Instruction): { buffer: number; writes: boolean }[] {
  switch (instruction.code) {
    case 'copy':
      return [
        { buffer: instruction.src, writes: false },
        { buffer: instruction.dst, writes: true },
      ];
    case 'write':
    case 'read':
      return [{ buffer: instruction.buffer, writes: instruction.code === 'write' }];
    case 'kernel':
      return instruction.kernel.kind === 'stream'
        ? [
            { buffer: instruction.kernel.src, writes: false },
            { buffer: instruction.kernel.dst, writes: true },
          ]
        : [];
    default:
      return [];
  }
}

class Follower {
  readonly #contents: readonly BufferContent[];
  readonly #shared: ReadonlySet<number>;

  constructor(buffers: readonly ProgramBuffer[], shared: ReadonlySet<number>) {
    this.#shared = shared;
    this.#contents = buffers.map(
      (buffer) => new BufferContent(buffer.bytes, { pattern: buffer.pattern, patternOffset: 0, multiplier: 1 }),
    );
    for (const buffer of shared) this.#forget(buffer);
  }

  content(buffer: number): BufferContent {
    const content = this.#contents[buffer];
    if (content === undefined) throw new RangeError(`no buffer ${buffer}`);
    return content;
  }

  /** The same instructions with each read's expected content filled in. */
  thread(instructions: readonly Instruction[]): Instruction[] {
    const out = [...instructions];
    this.#block(out, 0, out.length);
    return out;
  }

  #block(instructions: Instruction[], from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const instruction = instructions[index];
      if (instruction?.code === 'repeat') {
        this.#repeat(instructions, index, instruction.end, instruction.count);
        index = instruction.end;
      } else if (instruction !== undefined) {
        instructions[index] = this.#step(instruction);
      }
    }
  }

  #repeat(instructions: Instruction[], start: number, end: number, count: number): void {
    const body = instructions.slice(start + 1, end);
    // Reads inside a loop may find something else each time round, so only explicit expectations are kept there.
    for (let round = 0; round < Math.min(count, followedRepeats); round += 1) {
      this.#block([...instructions], start + 1, end);
    }
    if (count <= followedRepeats) return;
    for (const { buffer, writes } of body.flatMap(accesses)) if (writes) this.#forget(buffer);
  }

  #step(instruction: Instruction): Instruction {
    switch (instruction.code) {
      case 'write':
        this.#write(instruction.buffer, instruction.offset, instruction.bytes, instruction.content);
        return instruction;
      case 'read':
        return instruction.expected === null
          ? { ...instruction, expected: this.content(instruction.buffer).single(instruction.offset, instruction.bytes) }
          : instruction;
      case 'copy': {
        const { src, srcOffset, dst, dstOffset, bytes } = instruction;
        if (this.#shared.has(dst)) return instruction;
        this.content(dst).copyFrom(this.content(src), srcOffset, dstOffset, bytes);
        return instruction;
      }
      case 'kernel':
        this.#kernel(instruction.kernel);
        return instruction;
      default:
        return instruction;
    }
  }

  #kernel(kernel: ProgramKernel): void {
    if (kernel.kind !== 'stream') return;
    let factor = 1;
    for (let pass = 0; pass < kernel.passes; pass += 1) factor = Math.imul(factor, streamMultiplier) >>> 0;
    for (const { from, to, content } of this.content(kernel.src).pieces(0, kernel.bytes)) {
      // Multiplying acts on the buffer's words; it is known only where the pattern's words lie on the same grid.
      const aligned = content !== null && (content.patternOffset - from) % 4 === 0 && from % 4 === 0 && to % 4 === 0;
      const multiplied = aligned ? { ...content, multiplier: Math.imul(content.multiplier, factor) >>> 0 } : null;
      this.#write(kernel.dst, from, to - from, multiplied);
    }
  }

  #write(buffer: number, offset: number, bytes: number, content: Content | null): void {
    if (!this.#shared.has(buffer)) this.content(buffer).write(offset, bytes, content);
  }

  #forget(buffer: number): void {
    this.content(buffer).write(0, this.content(buffer).bytes, null);
  }
}
