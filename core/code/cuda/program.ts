/** Writes a whole CUDA C++ program that does what an experiment does. */
import { cppComment } from '../../media.ts';
import { pooledDevices } from '../../program/capabilities.ts';
import type { Instruction, ProgramBuffer } from '../../program/program.ts';
import { tableOf } from '../blocks.ts';
import { Listing } from '../listing.ts';
import { commentsOf, fillByte, isOnDevice, required, type Subject } from '../subject.ts';
import { type CudaHelper, cudaHeaders, cudaHelpers, cudaNeeds } from './helpers.ts';
import { hostAllocation, hostFree, writeInstructions } from './instructions.ts';
import { makeLibrary } from './kernels.ts';
import { tensorsExpression } from './multiCopy.ts';
import { CudaScope } from './scope.ts';

export function cudaProgram(subject: Subject): Listing {
  const scope = new CudaScope(subject);
  const body = new Listing('  ', cppComment);
  new Main(scope, body).write();
  const whole = new Listing('  ', cppComment);
  const helpers = inOrder(scope.used);
  writeHead(scope, helpers, whole);
  helpers.forEach((helper, index) => {
    // Constants have no empty line in between, functions do.
    if (index === 0 || !isConstant(helper)) whole.add('');
    whole.add(cudaHelpers[helper]);
  });
  whole.add('');
  whole.append(body);
  return whole;
}

function writeHead({ subject, used }: CudaScope, helpers: readonly CudaHelper[], listing: Listing): void {
  const { experiment, instructions } = subject;
  const hasRanges = instructions.some(({ code }) => code === 'beginRange');
  listing.comment(experiment.name);
  if (experiment.description !== '') {
    listing.add('//');
    listing.comment(experiment.description);
  }
  listing.add('//');
  const libraries = [used.has('cublas') ? ' -lcublas' : '', used.has('cufft') ? ' -lcufft' : ''].join('');
  listing.comment(`nvcc -std=c++17 -O3 -o program program.cu${libraries} && ./program`);
  const headers = new Set(['chrono', 'cstdint', 'cstdio', 'cstdlib', 'cstring']);
  for (const header of helpers.flatMap((helper) => cudaHeaders[helper] ?? [])) headers.add(header);
  for (const header of [...headers].sort()) listing.add(`#include <${header}>`);
  listing.add('');
  if (used.has('cublas')) listing.add('#include <cublas_v2.h>');
  listing.add('#include <cuda_runtime.h>');
  if (used.has('cufft')) listing.add('#include <cufft.h>');
  if (hasRanges) listing.add('#include <nvtx3/nvToolsExt.h>');
}

/** Returns helpers with their dependencies, in the order of their file. */
function inOrder(used: ReadonlySet<CudaHelper>): CudaHelper[] {
  const all = new Set<CudaHelper>(['check']);
  const take = (helper: CudaHelper): void => {
    for (const needed of cudaNeeds[helper] ?? []) take(needed);
    all.add(helper);
  };
  for (const helper of used) take(helper);
  return (Object.keys(cudaHelpers) as CudaHelper[]).filter((helper) => all.has(helper));
}

const isConstant = (helper: CudaHelper): boolean => helper.endsWith('iB');

class Main {
  readonly #scope: CudaScope;
  readonly #subject: Subject;
  readonly #listing: Listing;

  constructor(scope: CudaScope, listing: Listing) {
    this.#scope = scope;
    this.#subject = scope.subject;
    this.#listing = listing;
  }

  write(): void {
    const { environment } = this.#subject.experiment;
    const { warmups, iterations } = environment;
    this.#add('int main() {');
    this.#listing.inside(() => {
      this.#environment();
      this.#buffers();
      this.#add('');
      this.#handles();
      this.#libraries();
      this.#tensors();
      this.#tables();
      const kernels = this.#listing.lines.length;
      this.#add('');
      this.#comment(`${warmups} warm-ups, then ${iterations} iterations that are timed.`);
      this.#add(`for (int iteration = ${-warmups}; iteration < ${iterations}; ++iteration) {`);
      this.#listing.inside(() => this.#iteration());
      this.#add('}');
      this.#add('return 0;');
      this.#kernelShapes(kernels);
    });
    this.#add('}');
  }

  #add(text: string): void {
    this.#listing.add(text);
  }

  #comment(text: string): void {
    this.#listing.comment(text);
  }

  #environment(): void {
    const { program } = this.#subject;
    if (program.launchBlocking) this.#add('setenv("CUDA_LAUNCH_BLOCKING", "1", 1);');
    if (program.visibleDevices !== null) {
      this.#add(`setenv("CUDA_VISIBLE_DEVICES", "${program.visibleDevices.join(',')}", 1);`);
    }
    this.#pools();
    if (!program.peerAccess || program.devices.length < 2) return;
    for (const { index } of program.devices) {
      this.#add(`CHECK(cudaSetDevice(${index}));`);
      for (const other of program.devices) {
        if (other.index !== index) this.#add(`CHECK(cudaDeviceEnablePeerAccess(${other.index}, 0));`);
      }
    }
  }

  /** Raises the release threshold for what stands for PyTorch's caching allocator, or as the experiment sets it. */
  #pools(): void {
    const { program } = this.#subject;
    const caching = pooledDevices(program, 'caching');
    const { poolReleaseThreshold: set } = program;
    for (const device of pooledDevices(program, 'caching', ...(set > 0 ? ['pool'] : []))) {
      const kept = caching.includes(device) ? 'UINT64_MAX' : String(set);
      this.#comment('The pool keeps freed memory. By default each synchronise gives it back to the device.');
      this.#add('{');
      this.#listing.inside(() => {
        this.#add('cudaMemPool_t pool;');
        this.#add(`CHECK(cudaDeviceGetDefaultMemPool(&pool, ${this.#scope.ordinal(device)}));`);
        this.#add(`uint64_t kept = ${kept};`);
        this.#add('CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept));');
      });
      this.#add('}');
    }
  }

  /** Selects the device before each declaration if there are several. */
  #onDevice(device: number, write: () => void): void {
    const isOne = this.#subject.program.devices.every(({ index }) => index === 0);
    if (!isOne && device >= 0) this.#add(`CHECK(cudaSetDevice(${this.#scope.ordinal(device)}));`);
    write();
  }

  #buffers(): void {
    const { program, marks } = this.#subject;
    program.buffers.forEach((buffer, index) => {
      this.#listing.markedAs(marks.declared.buffers.get(buffer.id), () => this.#buffer(buffer, index));
    });
  }

  #buffer(buffer: ProgramBuffer, index: number): void {
    const [name, bytes] = [this.#scope.name(index), this.#scope.bytes(buffer.bytes)];
    this.#add(`uint8_t *${name} = nullptr;`);
    if (buffer.allocated === 'by-operation') return;
    this.#onDevice(buffer.device, () => {
      if (isOnDevice(buffer)) this.#add(`CHECK(cudaMalloc(&${name}, ${bytes}));`);
      else this.#add(hostAllocation(buffer.memory, name, bytes));
      const ends = `${name}, ${fillByte(buffer)}, ${bytes}`;
      this.#add(isOnDevice(buffer) ? `CHECK(cudaMemset(${ends}));` : `std::memset(${ends});`);
    });
  }

  #handles(): void {
    const { experiment, marks } = this.#subject;
    experiment.streams.forEach(({ id }, index) => {
      this.#listing.markedAs(marks.declared.streams.get(id), () => this.#stream(index));
    });
    experiment.events.forEach(({ id }, index) => {
      this.#listing.markedAs(marks.declared.events.get(id), () => this.#event(index));
    });
    for (const name of this.#scope.graphs) this.#add(`cudaGraphExec_t ${name} = nullptr;`);
  }

  #stream(index: number): void {
    const { kind, device, priority } = required(this.#subject.program.streams, index);
    const name = this.#scope.stream(index);
    const flags = kind === 'blocking' ? 'cudaStreamDefault' : 'cudaStreamNonBlocking';
    this.#onDevice(device, () => {
      this.#add(`cudaStream_t ${name};`);
      this.#add(
        priority === 0
          ? `CHECK(cudaStreamCreateWithFlags(&${name}, ${flags}));`
          : `CHECK(cudaStreamCreateWithPriority(&${name}, ${flags}, ${priority}));`,
      );
    });
  }

  #event(index: number): void {
    const { timing } = required(this.#subject.program.events, index);
    const name = required(this.#scope.events, index);
    this.#onDevice(this.#deviceOfEvent(index), () => {
      this.#add(`cudaEvent_t ${name};`);
      this.#add(
        timing
          ? `CHECK(cudaEventCreate(&${name}));`
          : `CHECK(cudaEventCreateWithFlags(&${name}, cudaEventDisableTiming));`,
      );
    });
  }

  /** Makes cuBLAS and cuFFT handles and plans here, or in each iteration at first use. */
  #libraries(): void {
    for (const { name, kernel, stream, firstUse } of this.#scope.libraries.values()) {
      this.#scope.use(kernel.kind === 'matmul' ? 'cublas' : 'cufft');
      this.#add(`${kernel.kind === 'matmul' ? 'Cublas' : 'Cufft'} ${name};`);
      if (firstUse) continue;
      const { device } = required(this.#subject.program.streams, stream);
      this.#onDevice(device, () => this.#add(makeLibrary(this.#scope, kernel, stream)));
    }
  }

  /** An event is recorded on the device that it was made on. */
  #deviceOfEvent(event: number): number {
    const record = this.#subject.instructions.find((one) => one.code === 'recordEvent' && one.event === event);
    return record?.code === 'recordEvent' ? required(this.#subject.program.streams, record.stream).device : 0;
  }

  #tensors(): void {
    this.#subject.program.multiCopies.forEach((copy, index) => {
      this.#add(`const Tensors ${required(this.#scope.tensors, index)} = ${tensorsExpression(this.#scope, copy)};`);
    });
  }

  #tables(): void {
    const calls = new Set(
      this.#subject.instructions.flatMap((one) =>
        one.code === 'blockCopy' && one.by === 'pitched' ? [one.blocks] : [],
      ),
    );
    for (const [blocks, name] of this.#scope.tables) {
      if (calls.has(blocks)) continue;
      this.#scope.use('blockTable');
      const { count, from, to, bytes } = tableOf(
        blocks,
        this.#scope,
        (values) => `std::vector<size_t>{${values.join(', ')}}[i]`,
      );
      this.#add(
        `const Block *${name} = blockTable(${count}, [](size_t i) { return Block{${from}, ${to}, ${bytes}}; });`,
      );
    }
  }

  /** Known once all launches are written. */
  #kernelShapes(at: number): void {
    const end = this.#listing.lines.length;
    for (const { name, value, device } of this.#scope.shapes) {
      this.#onDevice(device, () => this.#add(`const int ${name} = ${value};`));
    }
    this.#listing.lines.splice(at, 0, ...this.#listing.lines.splice(end));
    this.#listing.ops.splice(at, 0, ...this.#listing.ops.splice(end));
  }

  #iteration(): void {
    const { program } = this.#subject;
    this.#leftovers();
    this.#onDevice(program.threads[0]?.device ?? 0, () => {});
    this.#signals();
    for (const { name, firstUse } of this.#scope.libraries.values()) if (firstUse) this.#add(`${name}.drop();`);
    const others = program.threads.length - 1;
    if (others > 0) {
      this.#scope.use('gate');
      this.#add('Gate gate;');
    }
    program.threads.forEach((_, thread) => {
      if (thread > 0) this.#thread(thread);
    });
    this.#add('CHECK(cudaDeviceSynchronize());');
    if (others > 0) this.#add(`gate.open(${others});`);
    this.#add('');
    this.#add('const auto begin = std::chrono::steady_clock::now();');
    this.#operations(0);
    for (const name of this.#scope.threads.slice(1)) this.#add(`${name}.join();`);
    for (const [device] of program.devices.entries()) {
      this.#onDevice(device, () => this.#add('CHECK(cudaDeviceSynchronize());'));
    }
    this.#add('const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;');
    this.#add('if (iteration >= 0) std::printf("%.3f ms\\n", took.count());');
  }

  /** Makes signals anew in each iteration, because one may end with signals that nobody has waited for. */
  #signals(): void {
    this.#subject.program.signals.forEach(({ capacity }, index) => {
      this.#scope.use('signal');
      this.#add(`Signal ${required(this.#scope.signals, index)}(${capacity});`);
    });
  }

  #thread(thread: number): void {
    const name = required(this.#scope.threads, thread);
    this.#add(`std::thread ${name}([&] {`);
    this.#listing.inside(() => {
      this.#add(`CHECK(cudaSetDevice(${this.#scope.ordinal(this.#subject.program.threads[thread]?.device ?? 0)}));`);
      this.#add('gate.pass();');
      this.#operations(thread);
    });
    this.#add('});');
  }

  #operations(thread: number): void {
    let last = -1;
    writeInstructions(this.#scope, this.#listing, thread, (instruction: Instruction) => {
      const comments = instruction.op === last ? [] : commentsOf(this.#subject, instruction.op);
      last = instruction.op;
      for (const comment of comments) this.#listing.comment(comment, instruction.op);
    });
  }

  /** Memory that an iteration allocates and doesn't free is freed as the next one begins. */
  #leftovers(): void {
    this.#subject.program.buffers.forEach((buffer, index) => {
      if (buffer.allocated !== 'by-operation') return;
      const name = this.#scope.name(index);
      this.#add(`if (${name} != nullptr) {`);
      this.#listing.inside(() => {
        this.#add(isOnDevice(buffer) ? `CHECK(cudaFree(${name}));` : hostFree(buffer.memory, name));
        this.#add(`${name} = nullptr;`);
      });
      this.#add('}');
    });
  }
}
