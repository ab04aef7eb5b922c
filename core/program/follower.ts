/** Follows a program's data as if each operation completed before the next was issued. */
import { operandsOfKernel, writtenBuffer, writtenBuffers } from './accesses.ts';
import { linked } from './background.ts';
import { type Capture, capturedWork, captures, isCapturable } from './captures.ts';
import { BufferContent, multiplyContent, type Piece, samePieces, shiftContent } from './content.ts';
import {
  type Content,
  type Instruction,
  type InstructionOf,
  isLibraryKernel,
  type KernelResult,
  type LibraryKernel,
  type ProgramBuffer,
  type ProgramKernel,
  type ProgramThread,
  streamMultiplier,
} from './program.ts';

/**
 * Limit for following all loops, counted in instructions and pieces of buffers: about a second. A loop that needs more
 * than half of the rest is skipped, and the content it writes is unknown.
 */
const loopBudget = 2_000_000;
/** Limit for everything, counted the same way: a second or two. Buffers written afterwards are unknown. */
const pieceBudget = 4_000_000;
/** A read of more patterns than this isn't compared. */
const mostPieces = 64;

interface Loop {
  /** Minimum cost of a round. */
  readonly length: number;
  readonly writes: readonly number[];
  /** Indices of the reads in it. */
  readonly reads: readonly number[];
  /** Whether it captures a graph, so that a launch in its second round may run the first round's capture. */
  readonly captures: boolean;
}

/** Latest capture of a graph: where its work is, or 'unclear' if there are several candidates. */
type Captured = { readonly walk: Walk; readonly from: number; readonly to: number } | 'unclear';

export class Follower {
  readonly #contents: readonly BufferContent[];
  /** Buffers whose content is never known. */
  readonly #unknown: ReadonlySet<number>;
  /** Last result of a library kernel, by its buffer. */
  readonly #results = new Map<number, KernelResult>();
  #loopBudget = loopBudget;
  #pieceBudget = pieceBudget;
  /** Depth of nested loops that are being followed. */
  #nesting = 0;
  readonly #threads: readonly ProgramThread[];
  readonly #captures: readonly Capture[];
  /** Buffers that a launch of each graph may write. */
  readonly #graphWrites: ReadonlyMap<number, ReadonlySet<number>>;
  /** Captures of the current thread. */
  readonly #captured = new Map<number, Captured>();

  constructor(buffers: readonly ProgramBuffer[], threads: readonly ProgramThread[], unknown: ReadonlySet<number>) {
    this.#threads = threads;
    this.#captures = captures(threads);
    this.#graphWrites = new Map([...capturedWork(threads)].map(([graph, work]) => [graph, writtenBuffers(work)]));
    this.#unknown = unknown;
    this.#contents = buffers.map(
      (buffer) => new BufferContent(buffer.bytes, { pattern: buffer.pattern, patternOffset: 0, multiplier: 1 }),
    );
    for (const buffer of unknown) this.#forget(buffer);
    buffers.forEach((buffer, index) => {
      if (buffer.allocated === 'by-operation') this.#forget(index);
    });
  }

  content(buffer: number): BufferContent {
    const content = this.#contents[buffer];
    if (content === undefined) throw new RangeError(`no buffer ${buffer}`);
    return content;
  }

  /**
   * Follows a thread. Returns its instructions, with expected content added to reads without their own expectation. A
   * read of several patterns becomes one for each.
   */
  thread(instructions: readonly Instruction[]): Instruction[] {
    const found = new Map<number, readonly Piece[] | null>();
    this.#captured.clear();
    this.#block({ instructions, found, loops: new Map(), part: 'all' }, 0, instructions.length);
    const made = instructions.flatMap((instruction, index): Instruction[] => {
      const pieces = found.get(index) ?? null;
      if (instruction.code !== 'read' || pieces === null) return [instruction];
      return pieces.map(({ from, to, content }) => ({
        ...instruction,
        offset: from,
        bytes: to - from,
        expected: content,
      }));
    });
    return made.length === instructions.length ? made : linked(made);
  }

  #block(walk: Walk, from: number, to: number): void {
    for (let index = from; index < to; index += 1) {
      const instruction = walk.instructions[index];
      if (instruction?.code === 'repeat') {
        this.#repeat(walk, index, instruction);
        index = instruction.end;
      } else if (instruction?.code === 'beginCapture') {
        index = this.#capture(walk, index, instruction.graph);
      } else if (instruction?.code === 'launchGraph') {
        this.#launch(instruction.graph);
      } else if (instruction !== undefined && belongs(instruction, walk.part)) {
        this.#spend(this.#step(walk, index, instruction));
      }
    }
  }

  /** Host instructions in a capture happen now, others at each launch. Returns where the capture ends. */
  #capture(walk: Walk, begin: number, graph: number): number {
    const { instructions } = walk;
    let end = begin;
    while (end < instructions.length && instructions[end]?.code !== 'endCapture') end += 1;
    this.#block({ ...walk, part: 'host', loops: new Map() }, begin + 1, end);
    this.#captured.set(graph, { walk: launchWalk(instructions), from: begin + 1, to: end });
    return end;
  }

  #launch(graph: number): void {
    const captured = this.#captured.get(graph) ?? this.#elsewhere(graph);
    this.#captured.set(graph, captured);
    this.#spend(1);
    if (captured !== 'unclear') this.#block(captured.walk, captured.from, captured.to);
    else for (const buffer of this.#graphWrites.get(graph) ?? []) this.#spend(this.#forget(buffer));
  }

  /** Returns a graph that another thread captures; known only if there is one capture of it. */
  #elsewhere(graph: number): Captured {
    const [first, second] = this.#captures.filter((capture) => capture.graph === graph);
    const instructions = this.#threads[first?.thread ?? -1]?.instructions;
    if (first === undefined || second !== undefined || instructions === undefined) return 'unclear';
    return { walk: launchWalk(instructions), from: first.begin + 1, to: first.end };
  }

  /** Follows a loop until a round changes nothing, because later rounds won't either. */
  #repeat(walk: Walk, start: number, { end, count }: InstructionOf<'repeat'>): void {
    const loop = loopAt(walk, start, end, this.#graphWrites);
    const least = this.#loopBudget / 2;
    this.#nesting += 1;
    for (let round = 0; round < count; round += 1) {
      if (this.#loopBudget - loop.length < least) {
        this.#giveUp(walk, loop);
        break;
      }
      const before = loop.writes.map((buffer) => this.content(buffer).snapshot());
      this.#spend(before.reduce((sum, pieces) => sum + pieces.length, 0));
      this.#block(walk, start + 1, end);
      if (this.#isAsBefore(loop, before) && (round > 0 || !loop.captures)) break;
    }
    this.#nesting -= 1;
  }

  #spend(cost: number): void {
    this.#pieceBudget -= cost;
    if (this.#nesting > 0) this.#loopBudget -= cost;
  }

  #isAsBefore(loop: Loop, before: readonly (readonly Piece[])[]): boolean {
    return loop.writes.every((buffer, index) => this.content(buffer).equals(before[index] ?? []));
  }

  #giveUp(walk: Walk, loop: Loop): void {
    this.#spend(1 + loop.writes.length + loop.reads.length);
    for (const buffer of loop.writes) this.#forget(buffer);
    for (const index of loop.reads) walk.found.set(index, null);
  }

  /** Returns the cost of the step. */
  #step(walk: Walk, index: number, instruction: Instruction): number {
    if (instruction.code === 'read') return this.#read(walk, index, instruction);
    const dst = writtenBuffer(instruction);
    if (dst === null || this.#unknown.has(dst)) return 1;
    if (this.#pieceBudget <= 0) return this.#forget(dst);
    this.#results.delete(dst);
    return this.#followWrite(instruction);
  }

  #followWrite(instruction: Instruction): number {
    switch (instruction.code) {
      case 'write':
        return this.content(instruction.buffer).write(instruction.offset, instruction.bytes, instruction.content);
      case 'copy': {
        const { src, srcOffset, dst, dstOffset, bytes } = instruction;
        return this.content(dst).copyFrom(this.content(src), srcOffset, dstOffset, bytes);
      }
      case 'blockCopy':
      case 'packBlocks': {
        const [from, to] = [this.content(instruction.src), this.content(instruction.dst)];
        const { sizes, srcOffsets, dstOffsets } = instruction.blocks;
        return sizes.reduce(
          (cost, bytes, at) => cost + to.copyFrom(from, srcOffsets[at] ?? 0, dstOffsets[at] ?? 0, bytes),
          0,
        );
      }
      case 'pin':
        return this.content(instruction.dst).copyFrom(this.content(instruction.src), 0, 0, instruction.bytes);
      case 'memset': {
        const word = Math.imul(instruction.value, 0x01010101) >>> 0;
        const content: Content = { pattern: { kind: 'constant', value: word }, patternOffset: 0, multiplier: 1 };
        return this.content(instruction.buffer).write(instruction.offset, instruction.bytes, content);
      }
      case 'allocate':
      case 'free':
        return this.#forget(instruction.buffer);
      case 'kernel':
        return this.#kernel(instruction.op, instruction.kernel);
      default:
        return 1;
    }
  }

  /** A read in a loop has an expectation only if each round reads the same. */
  #read({ found }: Walk, index: number, { buffer, offset, bytes, expected }: InstructionOf<'read'>): number {
    if (expected !== null) return 1;
    const pieces = this.content(buffer).pieces(offset, bytes);
    const isKnown = pieces.length <= mostPieces && pieces.every(({ content }) => content !== null);
    const before = found.get(index);
    const isAsBefore = before === undefined || (before !== null && samePieces(before, pieces));
    found.set(index, isKnown && isAsBefore ? pieces : null);
    return pieces.length;
  }

  #kernel(op: number, kernel: ProgramKernel): number {
    if (isLibraryKernel(kernel)) return this.#library(op, kernel);
    if (kernel.kind !== 'stream') return 1;
    const factor = power(streamMultiplier, kernel.passes);
    const pieces = this.content(kernel.src).pieces(0, kernel.bytes);
    return pieces.length + this.content(kernel.dst).replace(pieces.flatMap((piece) => multiplyPiece(piece, factor)));
  }

  /** No pattern describes its output. The expected output follows from the present content of its operands. */
  #library(op: number, kernel: LibraryKernel): number {
    const pieces = this.#forget(kernel.dst);
    const operands = operandsOfKernel(kernel).map(({ buffer, bytes }) => this.content(buffer).single(0, bytes));
    const known = operands.filter((content) => content !== null && holdsNumbers(content, kernel)) as Content[];
    if (known.length === operands.length) this.#results.set(kernel.dst, { op, kernel, operands: known });
    return pieces;
  }

  /** Returns a library kernel's result in the buffer, if it is still there and can be computed. */
  result(buffer: number): KernelResult | null {
    return this.#results.get(buffer) ?? null;
  }

  #forget(buffer: number): number {
    this.#results.delete(buffer);
    return this.content(buffer).write(0, this.content(buffer).bytes, null);
  }
}

interface Walk {
  readonly instructions: readonly Instruction[];
  /** Content of each read; null if it is unknown or differs between rounds. */
  readonly found: Map<number, readonly Piece[] | null>;
  readonly loops: Map<number, Loop>;
  /** Followed part: everything, only host instructions of a capture, or only those of a launch. */
  readonly part: 'all' | 'host' | 'launch';
}

/** Returns a walk over the captured work of a thread, without the host's reads. */
const launchWalk = (instructions: readonly Instruction[]): Walk => ({
  instructions,
  found: new Map(),
  loops: new Map(),
  part: 'launch',
});

const belongs = (instruction: Instruction, part: Walk['part']): boolean =>
  part === 'all' || isCapturable(instruction) === (part === 'launch');

function loopAt(
  { instructions, loops, part }: Walk,
  start: number,
  end: number,
  graphWrites: ReadonlyMap<number, ReadonlySet<number>>,
): Loop {
  const known = loops.get(start);
  if (known !== undefined) return known;
  const body = instructions.slice(start + 1, end);
  const launched = body.flatMap((one) => (one.code === 'launchGraph' ? [...(graphWrites.get(one.graph) ?? [])] : []));
  const loop: Loop = {
    length: body.length,
    writes: [...new Set([...writtenBuffers(body), ...launched])],
    reads: body.flatMap((instruction, index) =>
      instruction.code === 'read' && instruction.expected === null && part !== 'launch' ? [start + 1 + index] : [],
    ),
    captures: body.some(({ code }) => code === 'beginCapture'),
  };
  loops.set(start, loop);
  return loop;
}

/**
 * Multiplies the buffer's words. A piece stays known if its pattern's words are aligned with the buffer's; words shared
 * with neighbouring pieces don't.
 */
function multiplyPiece({ from, to, content }: Piece, factor: number): Piece[] {
  const first = Math.min(to, Math.ceil(from / 4) * 4);
  const last = Math.max(first, Math.floor(to / 4) * 4);
  const inside = content && shiftContent(content, first - from);
  if (inside === null || inside.patternOffset % 4 !== 0) return [{ from, to, content: null }];
  const pieces = [
    { from, to: first, content: null },
    { from: first, to: last, content: multiplyContent(inside, factor) },
    { from: last, to, content: null },
  ];
  return pieces.filter((piece) => piece.from < piece.to);
}

/** Returns whether it begins with a number of the kernel's type. Other bits may not be a number at all. */
function holdsNumbers({ pattern, patternOffset, multiplier }: Content, kernel: LibraryKernel): boolean {
  const kind = kernel.kind === 'fft' ? 'float32' : kernel.dtype;
  return pattern.kind === kind && patternOffset % 4 === 0 && multiplier === 1;
}

/** Returns base^exponent modulo 2^32, by squaring. */
function power(base: number, exponent: number): number {
  let [result, square] = [1, base];
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result >>> 0;
}
