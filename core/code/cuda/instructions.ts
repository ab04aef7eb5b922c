/** Writes an instruction of a host thread as lines of CUDA C++. */
import { cppString } from '../../media.ts';
import { type Instruction, isLibraryKernel } from '../../program/program.ts';
import { isMoving } from '../../program/unroll.ts';
import type { Listing } from '../listing.ts';
import type { Writes } from '../scope.ts';
import { bufferOf, isOnDevice, required, streamOf } from '../subject.ts';
import { blocksCall, kernelLaunch, makeLibrary } from './kernels.ts';
import { writeMultiCopy } from './multiCopy.ts';
import type { CudaScope } from './scope.ts';

const counterAt = (depth: number): string => (depth < 0 ? '' : ('ijklmn'[depth] ?? `i${depth}`));

/** `thread`: number of the host thread with these instructions. */
export function writeInstructions(
  scope: CudaScope,
  listing: Listing,
  thread: number,
  beforeEach: (instruction: Instruction) => void,
): void {
  let depth = 0;
  let preparedUntil = -1;
  const { instructions } = required(scope.subject.program.threads, thread);
  for (const [index, instruction] of instructions.entries()) {
    const { op } = instruction;
    if (instruction.code === 'endRepeat' || instruction.code === 'endRange') {
      if (instruction.code === 'endRange') listing.add('nvtxRangePop();', op);
      listing.dedent();
      listing.add('}', op);
      if (instruction.code === 'endRepeat') scope.round = counterAt(--depth - 1);
      continue;
    }
    beforeEach(instruction);
    if (index > preparedUntil) {
      preparedUntil = instruction.code === 'beginCapture' ? endOfCapture(instructions, index) : index;
      writeLibraries(scope, listing, thread, instructions.slice(index, preparedUntil + 1));
    }
    if (instruction.code === 'repeat') {
      const name = counterAt(depth);
      // Sizes of buffers are more than an int can count.
      const type = instructions.slice(index, instruction.end).some(isMoving) ? 'std::size_t' : 'int';
      listing.add(`for (${type} ${name} = 0; ${name} < ${instruction.count}; ++${name}) {`, op);
      listing.indent();
      scope.round = name;
      depth += 1;
    } else if (instruction.code === 'beginRange') {
      listing.add('{', op);
      listing.indent();
      listing.add(`nvtxRangePushA(${cppString(instruction.name)});`, op);
    } else {
      writeOne(scope, listing, thread, instruction);
    }
  }
}

const endOfCapture = (instructions: readonly Instruction[], begin: number): number =>
  instructions.findIndex(({ code }, index) => index > begin && code === 'endCapture');

/**
 * Makes library handles and plans for kernels that have them from before the run. They are dropped for another kernel's
 * first use, which has a makePlan of its own. For a capture they come before it, because nothing can be allocated
 * inside.
 */
function writeLibraries(scope: CudaScope, listing: Listing, thread: number, work: readonly Instruction[]): void {
  const made = new Set<string>();
  for (const instruction of work) {
    if (instruction.code !== 'kernel' || !isLibraryKernel(instruction.kernel)) continue;
    const { kernel, stream, op } = instruction;
    const library = scope.library(kernel, stream);
    if (kernel.firstUse || made.has(library) || !scope.isMadeInIteration(kernel, stream)) continue;
    made.add(library);
    scope.onDeviceOf(stream, thread, listing, op, () => listing.add(makeLibrary(scope, kernel, stream), op));
  }
}

type Leaf = Exclude<Instruction, Writes<'repeat' | 'endRepeat' | 'beginRange' | 'endRange'>>;

function writeOne(scope: CudaScope, listing: Listing, thread: number, instruction: Leaf): void {
  const { op } = instruction;
  const add = (text: string): void => listing.add(text, op);
  const check = (call: string): void => add(`CHECK(${call});`);
  const there = (stream: number, call: string): void =>
    scope.onDeviceOf(stream, thread, listing, op, () => check(call));
  switch (instruction.code) {
    case 'work':
      scope.use('hostWork');
      add(`work(${scope.ns(instruction.durationNs)});`);
      return;
    case 'write':
      add(
        `std::memset(${scope.at(instruction.buffer, instruction.offset, instruction.stepBytes)}, 2, ${scope.bytes(instruction.bytes)});`,
      );
      return;
    case 'read':
      scope.use('readAll');
      add(
        `readAll(${scope.at(instruction.buffer, instruction.offset, instruction.stepBytes)}, ${scope.bytes(instruction.bytes)});`,
      );
      return;
    case 'pin':
      writePin(scope, listing, instruction);
      return;
    case 'allocate':
      writeAllocate(scope, listing, thread, instruction);
      return;
    case 'free':
      writeFree(scope, listing, thread, instruction);
      return;
    case 'recordStream':
      listing.note(
        `record_stream is PyTorch's: ${scope.name(instruction.buffer)} must not be freed before ${scope.stream(instruction.stream)} is done with it.`,
        op,
      );
      return;
    case 'signal':
    case 'waitSignal': {
      scope.use('signal');
      add(`${required(scope.signals, instruction.signal)}.${instruction.code === 'signal' ? 'set' : 'wait'}();`);
      return;
    }
    case 'copy':
      check(copyCall(scope, instruction));
      return;
    case 'memset': {
      const { buffer, offset, bytes, stepBytes, value, stream } = instruction;
      there(
        stream,
        `cudaMemsetAsync(${scope.at(buffer, offset, stepBytes)}, ${value}, ${scope.bytes(bytes)}, ${scope.stream(stream)})`,
      );
      return;
    }
    case 'prefetch': {
      const { buffer, offset, bytes, stepBytes, toDevice, stream } = instruction;
      scope.use('prefetch');
      const place = toDevice ? scope.ordinal(streamOf(scope.subject, stream).device) : 'cudaCpuDeviceId';
      add(
        `prefetch(${scope.at(buffer, offset, stepBytes)}, ${scope.bytes(bytes)}, ${place}, ${scope.stream(stream)});`,
      );
      return;
    }
    case 'advise': {
      const { buffer, advice } = instruction;
      scope.use('advise');
      const place = advice === 'preferred-host' ? 'cudaCpuDeviceId' : scope.ordinal(0);
      const bytes = scope.bytes(bufferOf(scope.subject, buffer).bytes);
      add(`advise(${scope.name(buffer)}, ${bytes}, ${adviceNames[advice]}, ${place});`);
      return;
    }
    case 'makePlan': {
      const { kernel, stream } = instruction;
      scope.onDeviceOf(stream, thread, listing, op, () => add(makeLibrary(scope, kernel, stream)));
      return;
    }
    case 'kernel': {
      const { kernel, stream } = instruction;
      scope.onDeviceOf(stream, thread, listing, op, () => {
        add(kernelLaunch(scope, instruction));
        if (!isLibraryKernel(kernel)) add('CHECK(cudaGetLastError());');
      });
      return;
    }
    case 'recordEvent':
      there(
        instruction.stream,
        `cudaEventRecord(${required(scope.events, instruction.event)}, ${scope.stream(instruction.stream)})`,
      );
      return;
    case 'waitEvent':
      there(
        instruction.stream,
        `cudaStreamWaitEvent(${scope.stream(instruction.stream)}, ${required(scope.events, instruction.event)}, 0)`,
      );
      return;
    case 'hostFunction': {
      scope.use('hostFunction');
      const { stream, durationNs } = instruction;
      const ns = `reinterpret_cast<void *>(intptr_t{${scope.ns(durationNs)}})`;
      there(stream, `cudaLaunchHostFunc(${scope.stream(stream)}, workOfStream, ${ns})`);
      return;
    }
    case 'packBlocks':
      scope.use('packBlocks');
      add(`packBlocks(${scope.blocks(instruction)});`);
      return;
    case 'blockCopy':
      scope.onDeviceOf(instruction.stream, thread, listing, op, () => add(blocksCall(scope, instruction)));
      return;
    case 'multiCopy':
      writeMultiCopy(scope, listing, instruction);
      return;
    case 'beginCapture':
      there(
        instruction.stream,
        `cudaStreamBeginCapture(${scope.stream(instruction.stream)}, cudaStreamCaptureModeThreadLocal)`,
      );
      return;
    case 'endCapture':
      scope.use('endCapture');
      scope.onDeviceOf(instruction.stream, thread, listing, op, () =>
        add(`endCapture(${scope.stream(instruction.stream)}, &${required(scope.graphs, instruction.graph)});`),
      );
      return;
    case 'launchGraph':
      there(
        instruction.stream,
        `cudaGraphLaunch(${required(scope.graphs, instruction.graph)}, ${scope.stream(instruction.stream)})`,
      );
      return;
    case 'synchronizeStream':
      check(`cudaStreamSynchronize(${scope.stream(instruction.stream)})`);
      return;
    case 'synchronizeEvent':
      check(`cudaEventSynchronize(${required(scope.events, instruction.event)})`);
      return;
    case 'synchronizeDevice':
      writeSynchronizeDevice(scope, listing, thread, instruction);
      return;
    case 'queryStream':
      scope.use('isDone');
      add(`isDone(cudaStreamQuery(${scope.stream(instruction.stream)}));`);
      return;
    case 'queryEvent':
      scope.use('isDone');
      add(`isDone(cudaEventQuery(${required(scope.events, instruction.event)}));`);
      return;
    case 'elapsedTime': {
      const [start, end] = [required(scope.events, instruction.start), required(scope.events, instruction.end)];
      add('{');
      listing.inside(() => {
        add('float ms = 0;');
        check(`cudaEventElapsedTime(&ms, ${start}, ${end})`);
        add(`std::printf("${start} to ${end}: %.3f ms\\n", ms);`);
      });
      add('}');
      return;
    }
    case 'item':
      writeItem(scope, listing, instruction);
      return;
  }
}

const adviceNames = {
  'read-mostly': 'cudaMemAdviseSetReadMostly',
  'preferred-host': 'cudaMemAdviseSetPreferredLocation',
  'preferred-device': 'cudaMemAdviseSetPreferredLocation',
  'accessed-by-device': 'cudaMemAdviseSetAccessedBy',
} as const;

function copyCall(
  scope: CudaScope,
  { src, srcOffset, srcStepBytes, dst, dstOffset, dstStepBytes, bytes, stream, blocking }: Writes<'copy'>,
): string {
  const ends = `${scope.at(dst, dstOffset, dstStepBytes)}, ${scope.at(src, srcOffset, srcStepBytes)}, ${scope.bytes(bytes)}, ${scope.copyKind(src, dst)}`;
  if (!blocking) return `cudaMemcpyAsync(${ends}, ${scope.stream(stream)})`;
  if (streamOf(scope.subject, stream).kind !== 'per-thread-default') return `cudaMemcpy(${ends})`;
  // In the program as compiled, cudaMemcpy uses the legacy stream.
  scope.use('memcpyPerThread');
  return `cudaMemcpy_ptds(${ends})`;
}

function writePin(scope: CudaScope, listing: Listing, { src, dst, bytes, op }: Writes<'pin'>): void {
  if (bufferOf(scope.subject, dst).allocated === 'by-operation') {
    listing.note(
      'PyTorch keeps page-locked blocks for the next time; cudaMallocHost locks pages in each iteration.',
      op,
    );
    listing.add(`CHECK(cudaMallocHost(&${scope.name(dst)}, ${scope.bytes(bytes)}));`, op);
  }
  listing.add(`std::memcpy(${scope.name(dst)}, ${scope.name(src)}, ${scope.bytes(bytes)});`, op);
}

function writeAllocate(scope: CudaScope, listing: Listing, thread: number, allocate: Writes<'allocate'>): void {
  const { buffer, allocator, stream, op } = allocate;
  const declared = bufferOf(scope.subject, buffer);
  const [name, bytes] = [scope.name(buffer), scope.bytes(declared.bytes)];
  if (!isOnDevice(declared)) {
    if (allocator === 'caching') {
      listing.note('PyTorch keeps page-locked blocks for the next time; CUDA has no such allocator.', op);
    }
    listing.add(hostAllocation(declared.memory, name, bytes), op);
    return;
  }
  if (allocator === 'caching') {
    listing.note("PyTorch's caching allocator is not CUDA's: cudaMallocAsync is the nearest.", op);
  }
  scope.onDeviceOf(stream, thread, listing, op, () =>
    listing.add(
      allocator === 'cuda-malloc'
        ? `CHECK(cudaMalloc(&${name}, ${bytes}));`
        : `CHECK(cudaMallocAsync(&${name}, ${bytes}, ${scope.stream(stream)}));`,
      op,
    ),
  );
}

/** Returns lines that allocate host memory of a kind. */
export function hostAllocation(memory: string, name: string, bytes: string): string {
  switch (memory) {
    case 'pinned':
      return `CHECK(cudaMallocHost(&${name}, ${bytes}));`;
    case 'pinned-write-combined':
      return `CHECK(cudaHostAlloc(&${name}, ${bytes}, cudaHostAllocWriteCombined));`;
    case 'mapped':
      return `CHECK(cudaHostAlloc(&${name}, ${bytes}, cudaHostAllocMapped));`;
    case 'managed':
      return `CHECK(cudaMallocManaged(&${name}, ${bytes}));`;
    case 'registered':
      return `${name} = static_cast<uint8_t *>(std::malloc(${bytes}));\nCHECK(cudaHostRegister(${name}, ${bytes}, cudaHostRegisterDefault));`;
    default:
      return `${name} = static_cast<uint8_t *>(std::malloc(${bytes}));`;
  }
}

/** Returns lines that free host memory of a kind. */
export function hostFree(memory: string, name: string): string {
  if (memory === 'pageable') return `std::free(${name});`;
  if (memory === 'registered') return `CHECK(cudaHostUnregister(${name}));\nstd::free(${name});`;
  return `CHECK(${memory === 'managed' ? 'cudaFree' : 'cudaFreeHost'}(${name}));`;
}

function writeFree(scope: CudaScope, listing: Listing, thread: number, free: Writes<'free'>): void {
  const { buffer, allocator, stream, op } = free;
  const declared = bufferOf(scope.subject, buffer);
  const name = scope.name(buffer);
  if (!isOnDevice(declared)) listing.add(hostFree(declared.memory, name), op);
  else {
    scope.onDeviceOf(stream, thread, listing, op, () =>
      listing.add(
        allocator === 'cuda-malloc'
          ? `CHECK(cudaFree(${name}));`
          : `CHECK(cudaFreeAsync(${name}, ${scope.stream(stream)}));`,
        op,
      ),
    );
  }
  listing.add(`${name} = nullptr;`, op);
}

function writeSynchronizeDevice(
  scope: CudaScope,
  listing: Listing,
  thread: number,
  { device, op }: Writes<'synchronizeDevice'>,
): void {
  const own = scope.subject.program.threads[thread]?.device ?? 0;
  if (device !== own) listing.add(`CHECK(cudaSetDevice(${scope.ordinal(device)}));`, op);
  listing.add('CHECK(cudaDeviceSynchronize());', op);
  if (device !== own) listing.add(`CHECK(cudaSetDevice(${scope.ordinal(own)}));`, op);
}

function writeItem(scope: CudaScope, listing: Listing, { buffer, stream, op }: Writes<'item'>): void {
  const bytes = Math.min(4, bufferOf(scope.subject, buffer).bytes);
  listing.add('{', op);
  listing.inside(() => {
    listing.add('uint32_t scalar = 0;', op);
    const kind = scope.copyKind(buffer, buffer).replace(/To\w+$|Default$/, 'ToHost');
    const ends = `&scalar, ${scope.name(buffer)}, ${bytes}, ${kind}`;
    listing.add(`CHECK(cudaMemcpyAsync(${ends}, ${scope.stream(stream)}));`, op);
    listing.add(`CHECK(cudaStreamSynchronize(${scope.stream(stream)}));`, op);
  });
  listing.add('}', op);
}
