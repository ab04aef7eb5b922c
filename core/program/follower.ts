/** Follows a program's data as if each operation completed before the next was issued. */
import { writtenBuffer, writtenBuffers } from './accesses.ts';
import { type Capture, capturedWork, captures, isCapturable } from './captures.ts';
import { BufferContent, multiplyContent, type Piece, sameContent, shiftContent } from './content.ts';
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
import { operandsOfKernel } from './resultBytes.ts';

/**
 * What following all loops together may cost, counted in instructions and in pieces of buffers: about a second. A loop
 * that needs more than half of what is left is given up, and what it writes is unknown from there on.
 */
const loopBudget = 2_000_000;
/** What all of it may cost, so counted: a second or two. Buffers that are written after that are unknown. */
const pieceBudget = 4_000_000;

interface Loop {
  /** What a round costs at the least. */
  readonly length: number;
  readonly writes: readonly number[];
  /** Indices of the reads in it. */
  readonly reads: readonly number[];
  /** It captures a graph, so that a launch in its second round may run what its first one captured. */
  readonly captures: boolean;
}

/** A graph as it was captured last: where its work stands, or several places where that can't be told. */
type Captured = { readonly walk: Walk; readonly from: number; readonly to: number } | 'unclear';

export class Follower {
  readonly #contents: readonly BufferContent[];
  /** Buffers whose content is never known. */
  readonly #unknown: ReadonlySet<number>;
  /** By the buffer that a library kernel wrote last. */
  readonly #results = new Map<number, KernelResult>();
  #loopBudget = loopBudget;
  #pieceBudget = pieceBudget;
  /** Loops that are being followed, one inside another. */
  #nesting = 0;
  readonly #threads: readonly ProgramThread[];
  readonly #captures: readonly Capture[];
  /** Buffers that a launch of each graph may write. */
  readonly #graphWrites: ReadonlyMap<number, ReadonlySet<number>>;
  /** Of the thread that is being followed. */
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

  /** Follows a thread. Returns its instructions with what each read without an expectation of its own should find. */
  thread(instructions: readonly Instruction[]): Instruction[] {
    const found = new Map<number, Content | null>();
    this.#captured.clear();
    this.#block({ instructions, found, loops: new Map(), part: 'all' }, 0, instructions.length);
    return instructions.map((instruction, index) => {
      const expected = found.get(index);
      return instruction.code === 'read' && expected !== undefined ? { ...instruction, expected } : instruction;
    });
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

  /** What the host does in a capture happens now, the rest at each launch. Returns where the capture ends. */
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

  /** A graph that another thread captures: known where there is only one capture of it. */
  #elsewhere(graph: number): Captured {
    const [first, second] = this.#captures.filter((capture) => capture.graph === graph);
    const instructions = this.#threads[first?.thread ?? -1]?.instructions;
    if (first === undefined || second !== undefined || instructions === undefined) return 'unclear';
    return { walk: launchWalk(instructions), from: first.begin + 1, to: first.end };
  }

  /** Follows a loop round by round until a round changes nothing, and so no later one will either. */
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

  /** Returns what the step cost. */
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

  /** A read in a loop has an expectation only where each round finds the same. */
  #read({ found }: Walk, index: number, { buffer, offset, bytes, expected }: InstructionOf<'read'>): number {
    if (expected !== null) return 1;
    const now = this.content(buffer).single(offset, bytes);
    const before = found.get(index);
    found.set(index, before === undefined || sameContent(before, now) ? now : null);
    return 1;
  }

  #kernel(op: number, kernel: ProgramKernel): number {
    if (isLibraryKernel(kernel)) return this.#library(op, kernel);
    if (kernel.kind !== 'stream') return 1;
    const factor = power(streamMultiplier, kernel.passes);
    const pieces = this.content(kernel.src).pieces(0, kernel.bytes);
    return pieces.length + this.content(kernel.dst).replace(pieces.flatMap((piece) => multiplyPiece(piece, factor)));
  }

  /** No pattern says what it writes; what it should have written follows from what its operands hold now. */
  #library(op: number, kernel: LibraryKernel): number {
    const pieces = this.#forget(kernel.dst);
    const operands = operandsOfKernel(kernel).map(({ buffer, bytes }) => this.content(buffer).single(0, bytes));
    const known = operands.filter((content) => content !== null && holdsNumbers(content, kernel)) as Content[];
    if (known.length === operands.length) this.#results.set(kernel.dst, { op, kernel, operands: known });
    return pieces;
  }

  /** What a library kernel has written into the buffer, if nothing else has since, and it can be worked out. */
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
  /** What each read found; null where it can't be known, or differs from round to round. */
  readonly found: Map<number, Content | null>;
  readonly loops: Map<number, Loop>;
  /** What is followed: everything, or of a capture what the host does, or what a launch does. */
  readonly part: 'all' | 'host' | 'launch';
}

/** A walk over the captured work of a thread; the host's reads are no part of it. */
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
 * A kernel multiplies the buffer's words. A piece is known afterwards where its pattern's words lie on the buffer's;
 * words that a piece shares with its neighbours are not.
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

/** Whether it begins with a number of the type that the kernel works on. Other bits may be no number at all. */
function holdsNumbers({ pattern, patternOffset, multiplier }: Content, kernel: LibraryKernel): boolean {
  const kind = kernel.kind === 'fft' ? 'float32' : kernel.dtype;
  return pattern.kind === kind && patternOffset % 4 === 0 && multiplier === 1;
}

/** base^exponent modulo 2^32, by squaring. */
function power(base: number, exponent: number): number {
  let [result, square] = [1, base];
  for (let rest = exponent; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) result = Math.imul(result, square);
    square = Math.imul(square, square);
  }
  return result >>> 0;
}
