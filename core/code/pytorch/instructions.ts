/** Writes an instruction of a host thread as lines of Python. */
import { pythonString } from '../../media.ts';
import { type Instruction, isLibraryKernel, type LibraryKernel } from '../../program/program.ts';
import { isMoving } from '../../program/unroll.ts';
import type { Listing } from '../listing.ts';
import type { Writes } from '../scope.ts';
import { bufferOf, isOnDevice, required, streamOf } from '../subject.ts';
import { writeMultiCopy } from './multiCopy.ts';
import type { PyTorchScope } from './scope.ts';

/** `thread`: number of the host thread with these instructions. */
export function writeInstructions(
  scope: PyTorchScope,
  listing: Listing,
  thread: number,
  beforeEach: (instruction: Instruction) => void,
): void {
  const writer = new InstructionWriter(scope, listing, thread);
  const { instructions } = required(scope.subject.program.threads, thread);
  if (instructions.length === 0) listing.add('pass');
  for (const instruction of instructions) {
    beforeEach(instruction);
    writer.write(instruction);
  }
}

const depthChanges: ReadonlySet<Instruction['code']> = new Set([
  ...['repeat', 'endRepeat', 'beginRange', 'endRange', 'beginCapture', 'endCapture'],
] as Instruction['code'][]);

type Leaf = Exclude<
  Instruction,
  Writes<'repeat' | 'endRepeat' | 'beginRange' | 'endRange' | 'beginCapture' | 'endCapture'>
>;

class InstructionWriter {
  readonly #scope: PyTorchScope;
  readonly #listing: Listing;
  readonly #thread: number;
  /** Stream and end of the last block at this depth. */
  #block: { readonly stream: number; readonly end: number } | null = null;
  /** Counters of the open loops. */
  readonly #rounds: string[] = [];
  /** Number of open captures. */
  #capturing = 0;

  constructor(scope: PyTorchScope, listing: Listing, thread: number) {
    this.#scope = scope;
    this.#listing = listing;
    this.#thread = thread;
  }

  write(instruction: Instruction): void {
    const { op } = instruction;
    if (depthChanges.has(instruction.code)) this.#block = null;
    switch (instruction.code) {
      case 'repeat': {
        const { instructions } = required(this.#scope.subject.program.threads, this.#thread);
        const isCounted = instructions.slice(0, instruction.end).some((one) => one.op > op && isMoving(one));
        this.#rounds.push(isCounted ? 'ijklmn'.charAt(this.#rounds.length) || `i${this.#rounds.length}` : '_');
        this.#listing.add(`for ${this.#rounds.at(-1)} in range(${instruction.count}):`, op);
        this.#listing.indent();
        this.#scope.round = this.#rounds.at(-1) ?? '';
        return;
      }
      case 'beginRange':
        this.#listing.add(`with torch.profiler.record_function(${pythonString(instruction.name)}):`, op);
        this.#listing.indent();
        return;
      case 'endRepeat':
        this.#rounds.pop();
        this.#scope.round = this.#rounds.at(-1) ?? '';
        this.#listing.dedent();
        return;
      case 'endRange':
        this.#listing.dedent();
        return;
      case 'beginCapture':
        this.#beginCapture(instruction);
        return;
      case 'endCapture':
        this.#listing.add(`${required(this.#scope.graphs, instruction.graph)}.capture_end()`, op);
        this.#capturing -= 1;
        this.#listing.dedent();
        return;
      default:
        this.#leaf(instruction);
        return;
    }
  }

  #beginCapture({ graph, stream, op }: Writes<'beginCapture'>): void {
    const name = required(this.#scope.graphs, graph);
    this.#listing.add(`${name} = torch.cuda.CUDAGraph()`, op);
    this.#listing.add(`with torch.cuda.stream(${this.#scope.stream(stream)}):`, op);
    this.#listing.indent();
    this.#listing.add(`${name}.capture_begin(capture_error_mode="thread_local")`, op);
    this.#capturing += 1;
  }

  #leaf(instruction: Leaf): void {
    const { op } = instruction;
    const scope = this.#scope;
    const add = (text: string): void => this.#listing.add(text, op);
    switch (instruction.code) {
      case 'work':
        scope.use('work');
        add(`work(${scope.ns(instruction.durationNs)})`);
        return;
      case 'write':
        add(
          `${scope.region(instruction.buffer, instruction.offset, instruction.bytes, instruction.stepBytes)}.fill_(2)`,
        );
        return;
      case 'read':
        add(
          `${scope.region(instruction.buffer, instruction.offset, instruction.bytes, instruction.stepBytes)}.clone()`,
        );
        return;
      case 'pin':
        this.#pin(instruction);
        return;
      case 'allocate':
        this.#allocate(instruction);
        return;
      case 'free':
        this.#free(instruction);
        return;
      case 'recordStream':
        this.#recordStream(instruction);
        return;
      case 'signal':
        add(`${required(scope.signals, instruction.signal)}.put(None)`);
        return;
      case 'waitSignal':
        add(`${required(scope.signals, instruction.signal)}.get()`);
        return;
      case 'copy':
        this.#copy(instruction);
        return;
      case 'memset': {
        const { buffer, offset, bytes, stepBytes, value, stream } = instruction;
        this.#note('fill_ launches a kernel where cudaMemsetAsync is meant.', op);
        this.#in(stream, op, [`${scope.region(buffer, offset, bytes, stepBytes)}.fill_(${value})`]);
        return;
      }
      case 'prefetch':
      case 'advise':
        this.#note(
          `PyTorch has no managed memory: ${instruction.code} of ${scope.name(instruction.buffer)} is left out.`,
          op,
        );
        add('pass');
        return;
      case 'makePlan': {
        const made = instruction.kernel.kind === 'matmul' ? 'cuBLAS gets a work space' : 'cuFFT makes a plan';
        this.#listing.comment(`If it is the first of its kind in this iteration, ${made}.`, op);
        return;
      }
      case 'kernel':
        this.#kernel(instruction);
        return;
      case 'recordEvent':
        add(`${required(scope.events, instruction.event)}.record(${scope.stream(instruction.stream)})`);
        return;
      case 'waitEvent':
        add(`${scope.stream(instruction.stream)}.wait_event(${required(scope.events, instruction.event)})`);
        return;
      case 'hostFunction': {
        const text = `PyTorch has no host functions: ${scope.ns(instruction.durationNs)} ns of one in ${scope.stream(instruction.stream)} are left out.`;
        this.#note(text, op);
        add('pass');
        return;
      }
      case 'packBlocks':
        for (const line of oneLine(scope, instruction) ?? blockLines(scope, instruction, '')) add(line);
        return;
      case 'blockCopy': {
        const { by } = instruction;
        const line = oneLine(scope, instruction);
        if (by !== 'loop' && line === null) {
          const meant = meantCalls[by];
          this.#note(`PyTorch issues a copy for each block, where ${meant} is meant.`, op);
        }
        this.#in(instruction.stream, op, line ?? blockLines(scope, instruction, ', non_blocking=True'));
        return;
      }
      case 'multiCopy':
        writeMultiCopy(scope, this.#listing, instruction);
        return;
      case 'launchGraph':
        this.#in(instruction.stream, op, [`${required(scope.graphs, instruction.graph)}.replay()`]);
        return;
      case 'synchronizeStream':
        add(`${scope.stream(instruction.stream)}.synchronize()`);
        return;
      case 'synchronizeEvent':
        add(`${required(scope.events, instruction.event)}.synchronize()`);
        return;
      case 'synchronizeDevice':
        add(`torch.cuda.synchronize(${scope.device(instruction.device)})`);
        return;
      case 'queryStream':
        add(`${scope.stream(instruction.stream)}.query()`);
        return;
      case 'queryEvent':
        add(`${required(scope.events, instruction.event)}.query()`);
        return;
      case 'elapsedTime': {
        const [start, end] = [required(scope.events, instruction.start), required(scope.events, instruction.end)];
        add(`print(f"${start} to ${end}: {${start}.elapsed_time(${end}):.3f} ms")`);
        return;
      }
      case 'item': {
        const { buffer, stream } = instruction;
        const words = bufferOf(scope.subject, buffer).bytes >= 4 ? '[:4].view(torch.int32)' : '[0]';
        this.#in(stream, op, [`${scope.name(buffer)}${words}.item()`]);
        return;
      }
    }
  }

  #note(text: string, op: number): void {
    this.#listing.note(text, op);
  }

  /** Writes lines that run while a stream is the current one. */
  #in(stream: number, op: number, lines: readonly string[]): void {
    if (this.#isCurrent(stream)) {
      for (const line of lines) this.#listing.add(line, op);
      return;
    }
    if (!this.#goesOn(stream)) this.#listing.add(`with torch.cuda.stream(${this.#scope.stream(stream)}):`, op);
    this.#listing.inside(() => {
      for (const line of lines) this.#listing.add(line, op);
    });
    this.#block = { stream, end: this.#listing.lines.length };
  }

  /** Returns whether the last block was of this stream and only comments follow it: entering a block takes time. */
  #goesOn(stream: number): boolean {
    const { lines } = this.#listing;
    return this.#block?.stream === stream && lines.slice(this.#block.end).every((line) => line.trim().startsWith('#'));
  }

  /** A thread begins in the default stream of its device, and returns to it after each `with`. */
  #isCurrent(stream: number): boolean {
    const { kind, device } = streamOf(this.#scope.subject, stream);
    const own = required(this.#scope.subject.program.threads, this.#thread).device;
    return kind === 'legacy-default' && device === own && this.#capturing === 0;
  }

  #pin({ src, dst, op }: Writes<'pin'>): void {
    const [from, to] = [this.#scope.name(src), this.#scope.name(dst)];
    const isNew = bufferOf(this.#scope.subject, dst).allocated === 'by-operation';
    this.#listing.add(isNew ? `${to} = ${from}.pin_memory()` : `${to}[: ${from}.numel()].copy_(${from})`, op);
  }

  #allocate({ buffer, allocator, stream, op }: Writes<'allocate'>): void {
    const declared = bufferOf(this.#scope.subject, buffer);
    const [name, bytes] = [this.#scope.name(buffer), this.#scope.bytes(declared.bytes)];
    if (allocator !== 'caching') {
      this.#note(`PyTorch allocates from its caching allocator, where ${wordsOf[allocator]} is meant.`, op);
    }
    if (!isOnDevice(declared)) {
      const pinned = declared.memory === 'pageable' ? '' : ', pin_memory=True';
      this.#listing.add(`${name} = torch.empty(${bytes}, dtype=torch.uint8${pinned})`, op);
      return;
    }
    const device = this.#scope.device(declared.device);
    this.#in(stream, op, [`${name} = torch.empty(${bytes}, dtype=torch.uint8, device=${device})`]);
  }

  #free({ buffer, allocator, op }: Writes<'free'>): void {
    if (allocator !== 'caching') {
      this.#note(`PyTorch gives it back to its caching allocator, where ${wordsOf[allocator]} is meant.`, op);
    }
    this.#listing.add(`${this.#scope.name(buffer)} = None`, op);
  }

  #recordStream({ buffer, stream, op }: Writes<'recordStream'>): void {
    const name = this.#scope.name(buffer);
    if (!isOnDevice(bufferOf(this.#scope.subject, buffer))) {
      this.#note(`PyTorch itself records the streams of copies of page-locked memory, also of ${name}.`, op);
      this.#listing.add('pass', op);
      return;
    }
    this.#listing.add(`${name}.record_stream(${this.#scope.stream(stream)})`, op);
  }

  #copy(instruction: Writes<'copy'>): void {
    const { src, srcOffset, srcStepBytes, dst, dstOffset, dstStepBytes, bytes, stream, blocking, op } = instruction;
    const { subject } = this.#scope;
    const [from, to] = [bufferOf(subject, src), bufferOf(subject, dst)];
    const [onDeviceFrom, onDeviceTo] = [isOnDevice(from), isOnDevice(to)];
    if (!onDeviceFrom && !onDeviceTo) this.#note('PyTorch copies between host tensors at once, in no stream.', op);
    if (onDeviceFrom && onDeviceTo && from.device !== to.device) {
      this.#note('PyTorch makes the current streams of both devices wait for a copy between them.', op);
    }
    if (blocking) this.#note('copy_ issues an asynchronous copy and then synchronises, where cudaMemcpy is meant.', op);
    const how = blocking ? '' : ', non_blocking=True';
    const [target, source] = [
      this.#scope.region(dst, dstOffset, bytes, dstStepBytes),
      this.#scope.region(src, srcOffset, bytes, srcStepBytes),
    ];
    const line = `${target}.copy_(${source}${how})`;
    if (!onDeviceFrom && !onDeviceTo) {
      this.#listing.add(line, op);
      return;
    }
    this.#in(stream, op, [line]);
  }

  #kernel({ kernel, smShare, stream, op }: Writes<'kernel'>): void {
    const scope = this.#scope;
    if (smShare < 1)
      this.#note(`PyTorch does not say how much of the device a kernel fills (${smShare} is meant).`, op);
    if (kernel.kind === 'spin') {
      scope.use('spin');
      this.#in(stream, op, [`spin(${scope.ns(kernel.durationNs)})`]);
      return;
    }
    if (kernel.kind === 'arithmetic') {
      scope.use('arithmetic');
      this.#note('A matrix product stands for the operations: it reads and writes memory as well.', op);
      this.#in(stream, op, [`arithmetic(${scope.ns(kernel.flops)}, ${scope.deviceOfStream(stream)})`]);
      return;
    }
    if (isLibraryKernel(kernel)) {
      this.#library(kernel, stream, op);
      return;
    }
    const { src, dst, bytes, passes } = kernel;
    const onHost = [src, dst].find((buffer) => !isOnDevice(bufferOf(scope.subject, buffer)));
    if (onHost !== undefined) {
      this.#note(`A kernel of PyTorch takes no host memory: the one on ${scope.name(onHost)} is left out.`, op);
      this.#listing.add('pass', op);
      return;
    }
    scope.use('multiply');
    if (passes > 1) this.#note(`PyTorch launches a kernel for each of the ${passes} passes, where one is meant.`, op);
    const ends = `${scope.region(dst, 0, bytes)}, ${scope.region(src, 0, bytes)}`;
    this.#in(stream, op, [`multiply(${ends}, passes=${passes})`]);
  }

  #library(kernel: LibraryKernel, stream: number, op: number): void {
    const scope = this.#scope;
    const [output, input] = [scope.name(kernel.dst), scope.name(kernel.src)];
    if (kernel.kind === 'fft') {
      scope.use('fft');
      const shape = `${kernel.batch}, ${kernel.size}`;
      this.#note('torch.fft.fft puts its result into memory of its own, and copies it from there.', op);
      this.#in(stream, op, [`torch.fft.fft(transforms(${input}, ${shape}), out=transforms(${output}, ${shape}))`]);
      return;
    }
    scope.use('matmul');
    const { m, n, k, dtype, tf32 } = kernel;
    const matrix = (buffer: number, rows: number, columns: number): string =>
      `matrix(${scope.name(buffer)}, torch.${dtype}, ${rows}, ${columns})`;
    this.#in(stream, op, [
      'matmul(',
      `    ${matrix(kernel.dst, m, n)},`,
      `    ${matrix(kernel.src, m, k)},`,
      `    ${matrix(kernel.other, k, n)},`,
      ...(tf32 ? ['    tf32=True,'] : []),
      ')',
    ]);
  }
}

/**
 * Returns the line that copies blocks as the rows of matrices, by one kernel or by the host; null if they aren't rows, or go
 * over the link.
 */
export function oneLine(scope: PyTorchScope, instruction: Writes<'blockCopy' | 'packBlocks'>): string[] | null {
  const { src, dst, blocks } = instruction;
  const isWithin = [src, dst].every((buffer) => isOnDevice(bufferOf(scope.subject, buffer)));
  if (instruction.code === 'blockCopy' && !(isWithin && instruction.by === 'kernel')) return null;
  const [size = 0] = blocks.sizes;
  const rows = blocks.sizes.length;
  const matrix = (buffer: number, offsets: Float64Array): string | null => {
    const [begin = 0, next = begin + size] = offsets;
    const isEven = offsets.every((at, row) => at === begin + row * (next - begin)) && next - begin >= size;
    const shape = `(${rows}, ${scope.bytes(size)}), (${scope.bytes(next - begin)}, 1), ${scope.bytes(begin)}`;
    return isEven ? `torch.as_strided(${scope.name(buffer)}, ${shape})` : null;
  };
  const [from, to] = [matrix(src, blocks.srcOffsets), matrix(dst, blocks.dstOffsets)];
  if (from === null || to === null || blocks.sizes.some((one) => one !== size)) return null;
  return [`${to}.copy_(${from})`];
}

const blockLines = (
  scope: PyTorchScope,
  { src, dst, blocks }: Writes<'blockCopy' | 'packBlocks'>,
  how: string,
): string[] => [
  `for begin_from, begin_to, size in ${scope.tables.get(blocks)}:`,
  `    ${scope.name(dst)}[begin_to : begin_to + size].copy_(${scope.name(src)}[begin_from : begin_from + size]${how})`,
];

const meantCalls = { batch: 'cudaMemcpyBatchAsync', pitched: 'cudaMemcpy2DAsync', kernel: 'one kernel' } as const;
const wordsOf = { 'cuda-malloc': 'cudaMalloc', pool: 'cudaMallocAsync' } as const;
