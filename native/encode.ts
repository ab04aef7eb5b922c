/** Encodes a program as the numeric tables of the addon (native/src/executor/tables.h reads them and checks ranges and checksum). */
import { CopyscopeError } from '../core/errors.ts';
import { multiCopyOptions } from '../core/experiment/multiCopyOptions.ts';
import { copyStrategies } from '../core/experiment/operations.ts';
import type { Pattern } from '../core/experiment/resources.ts';
import { callsForEach, frontendCalls, frontendNs } from '../core/program/frontend.ts';
import {
  type Blocks,
  bytesOfBlocks,
  type Content,
  type Instruction,
  type InstructionOf,
  isLibraryKernel,
  type KernelResult,
  type LibraryKernel,
  type MultiCopyPlan,
  managedAdvice,
  type Program,
  type ProgramKernel,
  type ProgramThread,
} from '../core/program/program.ts';
import { copyDirections, memoryKinds } from '../core/trace/trace.ts';
import type { AddonRequest } from './addon.ts';
import {
  allocators,
  type Code,
  codes,
  engines,
  fields,
  libraryTypes,
  patternKinds,
  streamKinds,
  type TableName,
  type TableRow,
} from './layout.ts';

export type TimingOption = 'cupti' | 'events';

export interface EncodeOptions {
  readonly engine: 'cpu' | 'cuda';
  readonly timing: TimingOption;
}

/** Throws a CopyscopeError `engine.no-device` if a device is not among the visible ones. */
export function encodeProgram(program: Program, options: EncodeOptions): AddonRequest {
  const calls = libraryCallsOf(program);
  const tablesOf = blockTablesOf(program);
  const tables = {
    devices: Float64Array.from(program.devices, ({ index }, device) => devicePosition(program, device, index)),
    buffers: table('buffers', program.buffers, (buffer) => ({
      memory: memoryKinds.indexOf(buffer.memory),
      bytes: buffer.bytes,
      ...patternNumbers(buffer.pattern),
      written: buffer.written ? 1 : 0,
      device: Math.max(0, buffer.device),
      byOperation: buffer.allocated === 'by-operation' ? 1 : 0,
    })),
    streams: table('streams', program.streams, ({ kind, thread, device, priority }) => ({
      kind: streamKinds.indexOf(kind),
      thread,
      device,
      priority,
    })),
    events: Float64Array.from(program.events, (event) => (event.timing ? 1 : 0)),
    signals: Float64Array.from(program.signals, (signal) => signal.capacity),
    threadDevices: Float64Array.from(program.threads, (thread) => thread.device),
    expectations: table('expectations', program.expectations, ({ buffer, offset, bytes, content }) => ({
      buffer,
      offset,
      bytes,
      ...contentNumbers(content),
    })),
    libraryCalls: table('libraryCalls', [...calls.keys()], libraryCallNumbers),
    results: table('results', program.results, (result) => resultNumbers(result, calls)),
    multiCopies: table('multiCopies', program.multiCopies, multiCopyNumbers),
  };
  const threads = program.threads.map((thread) =>
    table('instructions', executed(thread, program), (instruction) => instructionNumbers(instruction, calls, tablesOf)),
  );
  const blockTables = tablesOf.map(({ sizes, srcOffsets, dstOffsets }) =>
    Float64Array.from(
      { length: 3 * sizes.length },
      (_, at) => [srcOffsets, dstOffsets, sizes][at % 3]?.[Math.floor(at / 3)] ?? 0,
    ),
  );
  const multiCopySizes = program.multiCopies.map(({ sizes }) => Float64Array.from(sizes));
  return {
    engine: engines.indexOf(options.engine),
    eventTiming: options.timing === 'events' ? 1 : 0,
    iterations: program.iterations,
    warmups: program.warmups,
    launchBlocking: program.launchBlocking ? 1 : 0,
    peerAccess: program.peerAccess ? 1 : 0,
    poolReleaseThreshold: program.poolReleaseThreshold,
    bufferIds: program.buffers.map((buffer) => buffer.id),
    streamIds: program.streams.map((stream) => stream.id),
    signalIds: program.signals.map((signal) => signal.id),
    graphIds: program.graphs.map((graph) => graph.id),
    ...tables,
    threads,
    multiCopySizes,
    blockTables,
    checksum: checksumOf([...Object.values(tables), ...threads, ...multiCopySizes, ...blockTables]),
  };
}

/** `ns`: PyTorch's own time of each call of a multi-tensor loop. */
type Executed = Instruction | (InstructionOf<'multiCopy'> & { readonly ns: number });

/** Replaces each loop over blocks by its copies, and adds PyTorch's own time as work of no operation. */
function executed(thread: ProgramThread, program: Program): readonly Executed[] {
  const { instructions } = thread;
  const calls = frontendCalls(thread, program);
  const isEach = (one: Instruction): boolean =>
    program.frontend === 'pytorch' && callsForEach(one, program.multiCopies);
  const places: number[] = [];
  const flat: Executed[] = [];
  const spend = (durationNs: number): void => {
    if (durationNs > 0) flat.push({ code: 'work', op: -1, durationNs });
  };
  instructions.forEach((one, index) => {
    places.push(flat.length);
    spend((calls[index] ?? []).reduce((sum, call) => sum + frontendNs[call], 0));
    if (one.code !== 'blockCopy' || one.by !== 'loop') {
      flat.push(one.code === 'multiCopy' && isEach(one) ? { ...one, ns: frontendNs.tensor } : one);
    } else {
      const { op, src, dst, stream, blocks } = one;
      const { sizes, srcOffsets, dstOffsets } = blocks;
      sizes.forEach((bytes, at) => {
        const [srcOffset = 0, dstOffset = 0] = [srcOffsets[at], dstOffsets[at]];
        spend(isEach(one) ? frontendNs.tensor : 0);
        flat.push({ code: 'copy', op, src, srcOffset, dst, dstOffset, bytes, stream, blocking: false });
      });
    }
  });
  const placeOf = (index: number): number => places[index] ?? index;
  return flat.map((one) => {
    if (one.code === 'repeat') return { ...one, end: placeOf(one.end) };
    return one.code === 'endRepeat' ? { ...one, start: placeOf(one.start) } : one;
  });
}

/** FNV-1a over the 32-bit words of all tables, as checksumOf() of native/src/executor/tables.cpp takes it. */
function checksumOf(tables: readonly Float64Array[]): number {
  let hash = 2166136261;
  for (const { buffer } of tables) for (const word of new Uint32Array(buffer)) hash = Math.imul(hash ^ word, 16777619);
  return hash >>> 0;
}

/** Returns the tables of the block copies that aren't loops, each once. */
const blockTablesOf = ({ threads }: Program): readonly Blocks[] => [
  ...new Set(
    threads.flatMap(({ instructions }) =>
      instructions.flatMap((one) =>
        one.code === 'packBlocks' || (one.code === 'blockCopy' && one.by !== 'loop') ? [one.blocks] : [],
      ),
    ),
  ),
];

/** Returns the number of each cuBLAS or cuFFT kernel. A makePlan and its launch share their kernel. */
function libraryCallsOf({ threads }: Program): ReadonlyMap<ProgramKernel, number> {
  const calls = new Map<ProgramKernel, number>();
  for (const { instructions } of threads) {
    for (const one of instructions) {
      const isCall = one.code === 'makePlan' || (one.code === 'kernel' && isLibraryKernel(one.kernel));
      if (isCall && !calls.has(one.kernel)) calls.set(one.kernel, calls.size);
    }
  }
  return calls;
}

function libraryCallNumbers(kernel: ProgramKernel): TableRow<'libraryCalls'> {
  if (kernel.kind === 'fft') {
    const { size: m, batch: n, firstUse } = kernel;
    return { dtype: libraryTypes.indexOf('complex64'), m, n, k: 1, tf32: 0, firstUse: firstUse ? 1 : 0, other: -1 };
  }
  const { m, n, k, dtype, tf32, firstUse, other } = kernel as Extract<LibraryKernel, { kind: 'matmul' }>;
  return {
    ...{ dtype: libraryTypes.indexOf(dtype), m, n, k, other },
    ...{ tf32: tf32 ? 1 : 0, firstUse: firstUse ? 1 : 0 },
  };
}

function resultNumbers(
  { kernel, operands }: KernelResult,
  calls: ReadonlyMap<ProgramKernel, number>,
): TableRow<'results'> {
  const [first, second] = operands.map(contentNumbers);
  return {
    ...{ call: calls.get(kernel) ?? -1, buffer: kernel.dst },
    patternKind: first?.patternKind ?? 0,
    patternValue: first?.patternValue ?? 0,
    patternOffset: first?.patternOffset ?? 0,
    otherKind: second?.patternKind ?? 0,
    otherValue: second?.patternValue ?? 0,
    otherOffset: second?.patternOffset ?? 0,
  };
}

/** For a number of 0, the engine chooses. */
function multiCopyNumbers({ direction, memory, strategy, options }: MultiCopyPlan): TableRow<'multiCopies'> {
  const known = multiCopyOptions[strategy];
  const option = (name: string, other: number): number => {
    const value = options[name] ?? known[name]?.default ?? other;
    return Number(value);
  };
  return {
    direction: copyDirections.indexOf(direction),
    pinned: memory === 'pinned' ? 1 : 0,
    strategy: copyStrategies.indexOf(strategy),
    usePinnedStaging: option('use_pinned_staging', 1),
    packCpuTensors: option('pack_cpu_tensors', 1),
    useBackgroundThread: option('use_background_thread', 0),
    minPackedAlignmentBytes: option('min_packed_alignment_bytes', 16),
    maxPackedChunkBytes: option('max_packed_chunk_bytes', 2 ** 25),
    threads: option('threads', 0),
    slotsPerThread: option('slotsPerThread', 0),
    slotBytes: option('slotBytes', 0),
    chunkBytes: option('chunkBytes', 0),
  };
}

/** Returns a device's position among those of the process, through the experiment's mask (CUDA_VISIBLE_DEVICES). */
function devicePosition({ visibleDevices }: Program, device: number, index: number): number {
  if (visibleDevices === null) return index;
  const position = visibleDevices[index];
  if (position !== undefined) return position;
  throw new CopyscopeError({
    code: 'engine.no-device',
    field: `devices[${device}].index`,
    message: `Device ${index} is not among the ${visibleDevices.length} that environment.visibleDevices leaves visible.`,
    remedy: 'Devices are counted among the visible ones: give it a smaller index, or make more of them visible.',
  });
}

function table<Table extends TableName, Item>(
  name: Table,
  items: readonly Item[],
  row: (item: Item) => TableRow<Table>,
): Float64Array {
  const order: readonly (typeof fields)[Table][number][] = fields[name];
  const numbers = new Float64Array(order.length * items.length);
  let next = 0;
  for (const item of items) {
    const values = row(item);
    for (const field of order) {
      numbers[next] = values[field];
      next += 1;
    }
  }
  return numbers;
}

/** Fields of an instruction; its row has neutral values for missing ones. */
interface InstructionFields {
  readonly code: Code;
  readonly stream?: number;
  readonly event?: number;
  readonly src?: number;
  readonly srcOffset?: number;
  readonly dst?: number;
  readonly dstOffset?: number;
  readonly bytes?: number;
  /**
   * Nanoseconds of work, spin and host function, and of PyTorch before each call of a multi-tensor loop, passes of a stream
   * kernel, operations of an arithmetic one, rounds of a repeat, the byte of a memset, the allocator of an allocate and a
   * free, 1 for a pitched block copy or a prefetch to the device, the number of an advice.
   */
  readonly amount?: number;
  /** Index of a group's other end. */
  readonly jump?: number;
  readonly content?: Content | null;
  /** A block copy with this is one call for all blocks. */
  readonly blocking?: boolean;
  /** A signal, graph, multi-tensor copy, library call or device; the later event of an elapsedTime. */
  readonly index?: number;
  /** Share of the device's multiprocessors, for a kernel. */
  readonly share?: number;
}

function instructionNumbers(
  instruction: Executed,
  calls: ReadonlyMap<ProgramKernel, number>,
  tables: readonly Blocks[],
): TableRow<'instructions'> {
  const said = instructionFields(instruction, calls, tables);
  return {
    code: codes.indexOf(said.code),
    op: instruction.op,
    stream: said.stream ?? -1,
    event: said.event ?? -1,
    src: said.src ?? -1,
    srcOffset: said.srcOffset ?? 0,
    dst: said.dst ?? -1,
    dstOffset: said.dstOffset ?? 0,
    bytes: said.bytes ?? 0,
    amount: said.amount ?? 0,
    jump: said.jump ?? -1,
    ...contentNumbers(said.content ?? null),
    blocking: said.blocking === true ? 1 : 0,
    index: said.index ?? -1,
    share: said.share ?? 1,
  };
}

function instructionFields(
  instruction: Executed,
  calls: ReadonlyMap<ProgramKernel, number>,
  tables: readonly Blocks[],
): InstructionFields {
  switch (instruction.code) {
    case 'work':
      return { code: 'work', amount: instruction.durationNs };
    case 'write':
    case 'read': {
      const { code, buffer: src, offset: srcOffset, bytes } = instruction;
      return { code, src, srcOffset, bytes, content: code === 'write' ? instruction.content : instruction.expected };
    }
    case 'kernel':
      return kernelFields(instruction, calls);
    case 'makePlan':
      return { code: 'makePlan', stream: instruction.stream, index: calls.get(instruction.kernel) ?? -1 };
    case 'memset': {
      const { code, buffer: dst, offset: dstOffset, bytes, value: amount, stream } = instruction;
      return { code, dst, dstOffset, bytes, amount, stream };
    }
    case 'prefetch': {
      const { code, buffer: src, offset: srcOffset, bytes, toDevice, stream } = instruction;
      return { code, src, srcOffset, bytes, amount: toDevice ? 1 : 0, stream };
    }
    case 'advise':
      return { code: 'advise', src: instruction.buffer, amount: managedAdvice.indexOf(instruction.advice) };
    case 'hostFunction':
      return { code: 'hostFunction', stream: instruction.stream, amount: instruction.durationNs };
    case 'allocate':
    case 'free': {
      const { code, buffer: src, allocator, stream } = instruction;
      return { code, src, stream, amount: allocators.indexOf(allocator) };
    }
    case 'recordStream':
      return { code: 'recordStream', src: instruction.buffer, stream: instruction.stream };
    case 'signal':
    case 'waitSignal':
      return { code: instruction.code, index: instruction.signal };
    case 'beginCapture':
    case 'endCapture':
    case 'launchGraph':
      return { code: instruction.code, index: instruction.graph, stream: instruction.stream };
    case 'elapsedTime':
      return { code: 'elapsedTime', event: instruction.start, index: instruction.end };
    case 'item':
      return { code: 'item', src: instruction.buffer, stream: instruction.stream };
    case 'multiCopy':
      return {
        ...{ code: 'multiCopy', index: instruction.plan, stream: instruction.stream },
        amount: 'ns' in instruction ? instruction.ns : 0,
      };
    case 'blockCopy': {
      const { code, src, dst, stream, smShare: share, blocks, by } = instruction;
      return {
        code,
        src,
        dst,
        stream,
        share,
        index: tables.indexOf(blocks),
        bytes: bytesOfBlocks(blocks),
        blocking: by === 'batch',
        amount: by === 'pitched' ? 1 : 0,
      };
    }
    case 'packBlocks': {
      const { code, src, dst, blocks } = instruction;
      return { code, src, dst, index: tables.indexOf(blocks), bytes: bytesOfBlocks(blocks) };
    }
    case 'repeat':
      return { code: 'repeat', amount: instruction.count, jump: instruction.end };
    case 'endRepeat':
      return { code: 'endRepeat', jump: instruction.start };
    case 'synchronizeDevice':
      return { code: 'synchronizeDevice', index: instruction.device };
    case 'beginRange':
    case 'endRange':
      return { code: instruction.code };
    default:
      return instruction;
  }
}

function kernelFields(
  { stream, kernel, smShare: share }: InstructionOf<'kernel'>,
  calls: ReadonlyMap<ProgramKernel, number>,
): InstructionFields {
  switch (kernel.kind) {
    case 'matmul':
    case 'fft': {
      const { kind: code, src, dst } = kernel;
      return { code, stream, src, dst, index: calls.get(kernel) ?? -1 };
    }
    case 'spin':
      return { code: 'spin', stream, share, amount: kernel.durationNs };
    case 'arithmetic':
      return { code: 'arithmetic', stream, share, amount: kernel.flops };
    default:
      return {
        code: 'stream',
        stream,
        share,
        src: kernel.src,
        dst: kernel.dst,
        bytes: kernel.bytes,
        amount: kernel.passes,
      };
  }
}

function patternNumbers(pattern: Pattern): { patternKind: number; patternValue: number } {
  return {
    patternKind: patternKinds.indexOf(pattern.kind),
    patternValue: pattern.kind === 'constant' ? pattern.value : pattern.seed,
  };
}

type ContentField = 'patternKind' | 'patternValue' | 'patternOffset' | 'multiplier';

function contentNumbers(content: Content | null): Readonly<Record<ContentField, number>> {
  return content === null
    ? { patternKind: 0, patternValue: 0, patternOffset: 0, multiplier: 1 }
    : {
        ...patternNumbers(content.pattern),
        patternOffset: content.patternOffset,
        multiplier: content.multiplier,
      };
}
