/**
 * Turns each instruction into simulator steps, with costs on host and device from a cost model. Rules (core/rules):
 * launch-cost, launch-blocking, and those of copies.ts.
 */
import { accesses } from '../program/accesses.ts';
import { aloneOn } from '../program/aloneCopies.ts';
import { callsForEach, callsOfTo, type FrontendCall } from '../program/frontend.ts';
import {
  bytesOfBlocks,
  type Instruction,
  type InstructionCode,
  type InstructionOf,
  isLibraryKernel,
  type LibraryKernel,
  type Program,
} from '../program/program.ts';
import type { MemoryKind } from '../trace/trace.ts';
import { Copies } from './copies.ts';
import { accessOf, type CopyEnds, type CostModel } from './costModel.ts';
import { engineIndex, functionEngine } from './engines.ts';
import { pieceStep } from './multiCopies.ts';
import { isThreaded, type LoopParts, loopSteps } from './multiCopyPlan.ts';
import { blankStep, type PageUse, type Step } from './step.ts';

const calls: Partial<Record<InstructionCode, string>> = {
  kernel: 'cudaLaunchKernel',
  memset: 'cudaMemsetAsync',
  prefetch: 'cudaMemPrefetchAsync',
  advise: 'cudaMemAdvise',
  hostFunction: 'cudaLaunchHostFunc',
  recordEvent: 'cudaEventRecord',
  waitEvent: 'cudaStreamWaitEvent',
  synchronizeStream: 'cudaStreamSynchronize',
  synchronizeEvent: 'cudaEventSynchronize',
  synchronizeDevice: 'cudaDeviceSynchronize',
  queryStream: 'cudaStreamQuery',
  queryEvent: 'cudaEventQuery',
  elapsedTime: 'cudaEventElapsedTime',
  beginCapture: 'cudaStreamBeginCapture',
  endCapture: 'cudaStreamEndCapture',
  launchGraph: 'cudaGraphLaunch',
};

/** CUDA calls that issue a library's kernel; the first in a stream also makes a plan or work space. */
export const libraryCalls = { matmul: 'cublasGemmEx', fft: 'cufftExecC2C' } as const;
export const planCalls = { matmul: 'cublasCreate', fft: 'cufftMakePlanMany' } as const;

/** Line of a processor's cache, on x86-64 and most others. */
const lineBytes = 64;

/** A stream has one work space for all products, and a plan for each shape of transforms. */
const planName = (kernel: LibraryKernel, stream: number): string =>
  kernel.kind === 'matmul' ? `${stream}` : `${stream} ${kernel.batch}×${kernel.size}`;

/** Mutable while it is built: each edit makes thousands of steps, and copies would cost more than the pricing. */
type StepDraft = { -readonly [Field in keyof Step]: Step[Field] };

export class InstructionSteps {
  readonly #program: Program;
  readonly #costs: CostModel;
  readonly #copies: Copies;
  readonly #isManaged: boolean;

  constructor(program: Program, costs: CostModel) {
    this.#program = program;
    this.#costs = costs;
    this.#copies = new Copies(costs, program);
    this.#isManaged = program.buffers.some(({ memory }) => memory === 'managed');
  }

  /** `captured`: it becomes part of a graph instead of running. `calls`: calls into PyTorch before it. */
  of(instruction: Instruction, captured: boolean, calls: readonly FrontendCall[]): readonly Step[] {
    const steps = this.#of(instruction, captured);
    if (this.#program.frontend !== 'pytorch') return steps;
    const before = calls.length === 0 ? [] : [this.#frontend(calls)];
    if (!callsForEach(instruction, this.#program.multiCopies)) return [...before, ...steps];
    const one = this.#frontend(['tensor']);
    const to = { ...one, callNs: callsOfTo * one.callNs };
    const each = (step: Step): Step | Step[] =>
      step.code === 'synchronizeStream'
        ? step
        : [step.code === 'copy' && instruction.code === 'multiCopy' ? to : one, step];
    return [...before, ...steps.flatMap(each)];
  }

  #frontend(calls: readonly FrontendCall[]): Step {
    const callNs = calls.reduce((sum, call) => sum + this.#costs.callNs(`PyTorch ${call}`), 0);
    return { ...blankStep, code: 'frontend', callNs };
  }

  #of(instruction: Instruction, captured: boolean): readonly Step[] {
    switch (instruction.code) {
      case 'item':
        return this.#item(instruction);
      case 'pin':
        return this.#pin(instruction);
      case 'endCapture': {
        const base = this.blank(instruction);
        const call = 'cudaGraphInstantiate';
        const upload = { ...base, code: 'uploadGraph', call: 'cudaGraphUpload' } as const;
        return [base, { ...base, code: 'instantiateGraph', call }, upload];
      }
      case 'multiCopy':
        return this.#multiCopy(instruction);
      case 'blockCopy':
        return this.#blocks(instruction).map((step) => this.#issuing(step, false));
      case 'packBlocks': {
        const bytes = bytesOfBlocks(instruction.blocks);
        // Memory comes in whole lines, so narrow rows take longer than their bytes.
        const lines = instruction.blocks.sizes.reduce((sum, size) => sum + Math.ceil(size / lineBytes), 0);
        const callNs = this.#costs.hostNs({ kind: 'copy' }, Math.max(bytes, lines * lineBytes));
        return [{ ...this.blank(instruction), code: 'work', bytes, callNs }];
      }
      default:
        return [this.#issuing(this.#step(instruction, captured), captured)];
    }
  }

  /** With launch blocking, each call waits for the work that it put into a stream. */
  #issuing(step: Step, captured: boolean): Step {
    if (captured) return { ...step, captured, callNs: this.#costs.callNs('captured') };
    const blocks = this.#program.launchBlocking && step.route !== 'none' && step.route !== 'mark';
    return blocks ? { ...step, blocking: true } : step;
  }

  #step(instruction: Instruction, captured: boolean): Step {
    const base = this.blank(instruction);
    switch (instruction.code) {
      case 'work':
        base.callNs = instruction.durationNs;
        return base;
      case 'write':
      case 'read': {
        const { bytes } = instruction;
        return {
          ...base,
          bytes,
          pages: this.#pages(instruction),
          callNs: this.#costs.hostNs(accessOf(instruction, this.#memory(instruction.buffer)), bytes),
        };
      }
      case 'copy':
        return this.#copy(base, instruction, captured);
      case 'memset':
        return { ...base, ...this.#memset(instruction), pages: this.#pages(instruction) };
      case 'prefetch':
        return { ...base, ...this.#prefetch(instruction) };
      case 'advise':
        return { ...base, name: instruction.advice, buffer: instruction.buffer };
      case 'kernel':
        return this.#kernel(base, instruction, captured);
      case 'makePlan': {
        const { kernel, stream } = instruction;
        const name = planName(kernel, stream);
        return { ...base, name, call: planCalls[kernel.kind], callNs: this.#costs.planNs(kernel) };
      }
      case 'hostFunction': {
        return { ...base, route: 'function', engine: functionEngine, deviceNs: instruction.durationNs };
      }
      case 'recordEvent':
      case 'waitEvent':
        base.route = 'mark';
        return base;
      case 'synchronizeStream':
      case 'synchronizeEvent':
      case 'queryStream':
      case 'queryEvent':
        return base;
      case 'synchronizeDevice':
        return { ...base, device: instruction.device };
      case 'elapsedTime':
        return { ...base, event: instruction.start, index: instruction.end };
      case 'allocate':
      case 'free':
        return { ...base, ...this.#buffer(instruction.buffer), allocator: instruction.allocator };
      case 'recordStream':
        return { ...base, buffer: instruction.buffer };
      case 'signal':
      case 'waitSignal':
        return { ...base, index: instruction.signal, callNs: this.#costs.callNs('signal') };
      case 'beginCapture':
        return { ...base, index: instruction.graph };
      case 'launchGraph':
        return { ...base, index: instruction.graph, route: 'graph' };
      case 'repeat':
        return { ...base, count: instruction.count };
      case 'beginRange':
        return { ...base, name: instruction.name };
      default:
        return base;
    }
  }

  blank(instruction: Instruction): StepDraft {
    const stream = 'stream' in instruction ? instruction.stream : -1;
    const call = calls[instruction.code] ?? '';
    return {
      ...blankStep,
      code: instruction.code,
      call,
      callNs: call === '' ? 0 : this.#costs.callNs(call),
      stream,
      event: 'event' in instruction ? instruction.event : -1,
      device: this.#device(stream),
      index: 'graph' in instruction ? instruction.graph : -1,
    };
  }

  #kernel(step: StepDraft, launch: InstructionOf<'kernel'>, captured: boolean): Step {
    const { kernel, smShare, stream } = launch;
    const cost = this.#costs.kernel(kernel, smShare, this.#program);
    if (isLibraryKernel(kernel)) {
      step.call = libraryCalls[kernel.kind];
      step.callNs = this.#costs.callNs(step.call);
    }
    step.pages = this.#pages(launch);
    step.route = 'engine';
    step.engine = engineIndex(this.#device(stream), 'compute');
    step.deviceNs = captured ? cost.nodeNs : cost.deviceNs;
    step.share = cost.share;
    step.exclusive = cost.exclusive;
    step.isSingle = cost.isSingle;
    step.memoryPart = cost.memoryPart;
    step.arithmeticPart = cost.arithmeticPart;
    step.linkIn = cost.linkIn;
    step.linkOut = cost.linkOut;
    step.bytes = cost.bytes;
    return step;
  }

  #memset({ bytes, buffer, stream }: InstructionOf<'memset'>): Partial<Step> {
    const engine = engineIndex(this.#device(stream), 'compute');
    return { route: 'engine', engine, ...this.#costs.memset(bytes), bytes, dst: this.#memory(buffer) };
  }

  #prefetch({ buffer, offset, bytes, toDevice, stream }: InstructionOf<'prefetch'>): Partial<Step> {
    return {
      route: 'engine',
      engine: engineIndex(this.#device(stream), toDevice ? 'h2d' : 'd2h'),
      ...{ deviceNs: this.#costs.managed('prefetchNs'), bytes, pages: [{ buffer, offset, bytes, writes: false }] },
      ...(toDevice ? { src: 'managed', dst: 'device' } : { src: 'device', dst: 'managed' }),
    };
  }

  /** Returns the managed memory that an instruction uses. */
  #pages(instruction: Instruction): readonly PageUse[] {
    if (!this.#isManaged) return blankStep.pages;
    return accesses(instruction).flatMap(({ bytes, ...use }) =>
      this.#memory(use.buffer) === 'managed' && bytes !== null ? [{ ...use, bytes }] : [],
    );
  }

  #copy(step: StepDraft, instruction: InstructionOf<'copy'>, captured: boolean): Step {
    const { bytes, blocking, op } = instruction;
    const ends = this.#ends(instruction.src, instruction.dst);
    const device = this.#device(instruction.stream);
    const cost = captured ? this.#copies.captured(bytes, ends, device, op) : this.#copies.of(bytes, ends, device, op);
    step.bytes = bytes;
    step.src = ends.src;
    step.dst = ends.dst;
    // No call waits for a copy within the device, or between two (CUDA Runtime API, API synchronization behavior).
    step.blocking = blocking && (ends.from < 0 || ends.to < 0);
    step.alone = aloneOn(instruction, this.#program);
    step.call = blocking ? 'cudaMemcpy' : 'cudaMemcpyAsync';
    step.buffer = this.#tracked(instruction);
    step.route = cost.route;
    step.engine = cost.engine;
    step.callNs = cost.callNs;
    step.deviceNs = cost.deviceNs;
    step.share = cost.share ?? 0;
    step.memoryPart = cost.memoryPart ?? 0;
    step.pieces = cost.pieces ?? 0;
    step.pieceBytes = cost.pieceBytes ?? 0;
    step.lastPieceNs = cost.lastPieceNs ?? 0;
    return step;
  }

  /** Returns the page-locked buffer that is reused once its copies are complete, or -1. */
  #tracked({ src, dst }: InstructionOf<'copy'>): number {
    return (
      [src, dst].find((buffer) => {
        const declared = this.#program.buffers[buffer];
        return declared?.allocated === 'by-operation' && declared.memory !== 'device' && declared.memory !== 'pageable';
      }) ?? -1
    );
  }

  #item(instruction: InstructionOf<'item'>): readonly Step[] {
    const base = this.blank(instruction);
    const bytes = Math.min(4, this.#program.buffers[instruction.buffer]?.bytes ?? 4);
    const ends: CopyEnds = { src: 'device', dst: 'pageable', from: base.device, to: -1 };
    const cost = this.#copies.of(bytes, ends, base.device, instruction.op);
    const copy = {
      ...base,
      code: 'copy',
      call: 'cudaMemcpyAsync',
      bytes,
      src: ends.src,
      dst: ends.dst,
      ...cost,
    } as const;
    return [copy, this.#synchronize(base)];
  }

  #synchronize(base: Step): Step {
    const call = 'cudaStreamSynchronize';
    return { ...base, code: 'synchronizeStream', call, callNs: this.#costs.callNs(call) };
  }

  #pin({ op, dst, bytes }: InstructionOf<'pin'>): readonly Step[] {
    const base = { ...this.blank({ code: 'pin', op, src: -1, dst, bytes }), ...this.#buffer(dst) };
    const callNs = this.#costs.hostNs({ kind: 'copy' }, bytes);
    const copying = { ...base, code: 'work', callNs } as const;
    const made = this.#program.buffers[dst]?.allocated === 'by-operation';
    return made ? [{ ...base, code: 'pinMemory' }, copying] : [copying];
  }

  /** Loops over tensors become ordinary steps. Strategies with their own threads become one step. */
  #multiCopy(instruction: InstructionOf<'multiCopy'>): readonly Step[] {
    const plan = this.#program.multiCopies[instruction.plan];
    const base: Step = { ...this.blank(instruction), index: instruction.plan };
    if (plan === undefined) return [];
    if (isThreaded(plan)) {
      const { direction } = plan;
      const crosses = direction === 'h2d' || direction === 'd2h';
      return [crosses ? { ...base, engine: engineIndex(base.device, direction) } : base];
    }
    const parts: LoopParts = {
      base,
      synchronize: this.#synchronize(base),
      copy: (bytes, ends) => {
        const cost = this.#copies.of(bytes, ends, base.device, instruction.op);
        return { ...base, code: 'copy', call: 'cudaMemcpyAsync', bytes, src: ends.src, dst: ends.dst, ...cost };
      },
      pieces: (bytes) => pieceStep(base, bytes, this.#program, this.#costs),
      blockNs: (bytes) =>
        this.#program.warmups > 0 ? this.#costs.callNs('cached memory') : this.#costs.memoryNs('cudaHostAlloc', bytes),
      memcpyNs: (bytes) => this.#costs.hostNs({ kind: 'copy' }, bytes),
    };
    return loopSteps(plan, parts);
  }

  #blocks(instruction: InstructionOf<'blockCopy'>): readonly Step[] {
    const { by, src, dst, blocks, smShare, stream, op } = instruction;
    const [base, bytes] = [this.blank(instruction), bytesOfBlocks(blocks)];
    if (by === 'kernel') {
      const kernel = { kind: 'stream', src, dst, bytes, passes: 1 } as const;
      const launch = { code: 'kernel', op, stream, kernel, smShare, reads: [src], writes: [dst] } as const;
      return [this.#kernel({ ...this.blank(launch) }, launch, false)];
    }
    const copy = { code: 'copy', op, src, srcOffset: 0, dst, dstOffset: 0, stream, blocking: false } as const;
    if (by === 'loop') {
      const made = new Map<number, Step>();
      const stepOf = (size: number): Step => {
        const step = made.get(size) ?? this.#copy(this.blank(copyOf(size)), copyOf(size), false);
        made.set(size, step);
        return step;
      };
      const copyOf = (size: number) => ({ ...copy, bytes: size });
      return Array.from(blocks.sizes, stepOf);
    }
    const whole = this.#copy(this.blank({ ...copy, bytes }), { ...copy, bytes }, false);
    const ends = this.#ends(src, dst);
    const isWithin = ends.from >= 0 && ends.to >= 0;
    const each = (sum: number, size: number): number => sum + this.#copies.of(size, ends, base.device, op).deviceNs;
    const cost = isWithin ? { deviceNs: blocks.sizes.reduce(each, 0) } : this.#costs.batch(blocks.sizes, by);
    return [{ ...whole, call: by === 'batch' ? 'cudaMemcpyBatchAsync' : 'cudaMemcpy2DAsync', ...cost }];
  }

  #buffer(buffer: number): Partial<Step> {
    const declared = this.#program.buffers[buffer];
    const memory = declared?.memory ?? 'unknown';
    const device = declared === undefined || declared.device < 0 ? {} : { device: declared.device };
    return { buffer, bytes: declared?.bytes ?? 0, dst: memory, ...device };
  }

  #ends(src: number, dst: number): CopyEnds {
    const device = (buffer: number): number => this.#program.buffers[buffer]?.device ?? -1;
    return { src: this.#memory(src), dst: this.#memory(dst), from: device(src), to: device(dst) };
  }

  #device(stream: number): number {
    return this.#program.streams[stream]?.device ?? 0;
  }

  #memory(buffer: number): MemoryKind {
    return this.#program.buffers[buffer]?.memory ?? 'unknown';
  }
}
