/**
 * A program priced by a profile: for each instruction what it costs on the host and on the device, worked out once.
 * Rules (core/rules): overlap-needs-pinned, small-pageable-copy, copy-without-engine, small-copy-latency, launch-cost.
 */
import { CopyscopeError } from '../errors.ts';
import type { Instruction, InstructionCode, InstructionOf, Program, ProgramKernel } from '../program/program.ts';
import { copyDirection, type MemoryKind } from '../trace/trace.ts';
import { type EngineIndex, engineIndex, hostEngine, noEngine } from './engines.ts';
import { copyTimes, type DeviceProfile } from './profile.ts';
import { type TimeTable, timeTable } from './table.ts';

/**
 * How an operation gets done. mark: an event record or wait. engine: one piece of work on a copy engine or on the
 * compute channel. stage-in, stage-out: pageable memory in pieces through the driver's buffer. host: host to host.
 */
type Route = 'none' | 'mark' | 'engine' | 'stage-in' | 'stage-out' | 'host';

/** One instruction with its costs. Every step has every field, so that reading them stays fast. */
export interface Step {
  readonly code: InstructionCode;
  readonly op: number;
  /** The operation's label, which names its rows on streams. */
  readonly label: string;
  /** The CUDA call it makes; empty for instructions that make none. */
  readonly call: string;
  readonly stream: number;
  readonly event: number;
  readonly device: number;
  /** Host time of the call, or of host work. For a staged copy the staging is in it. */
  readonly callNs: number;
  readonly route: Route;
  readonly engine: EngineIndex;
  /** Device time alone on the engine; for a staged copy that of one whole piece. */
  readonly deviceNs: number;
  /** Share of the device's multiprocessors; 0 for what needs none. */
  readonly share: number;
  /** Pieces of a staged copy, the size of all but the last, and the last one's device time. */
  readonly pieces: number;
  readonly pieceBytes: number;
  readonly lastPieceNs: number;
  readonly blocking: boolean;
  readonly bytes: number;
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Rounds of a repeat. */
  readonly count: number;
  /** Where an endRepeat goes back to: its repeat. */
  readonly jump: number;
}

const calls: Partial<Record<InstructionCode, string>> = {
  kernel: 'cudaLaunchKernel',
  recordEvent: 'cudaEventRecord',
  waitEvent: 'cudaStreamWaitEvent',
  synchronizeStream: 'cudaStreamSynchronize',
  synchronizeEvent: 'cudaEventSynchronize',
  synchronizeDevice: 'cudaDeviceSynchronize',
  queryStream: 'cudaStreamQuery',
  queryEvent: 'cudaEventQuery',
};

/** The steps of each host thread, in its instructions' order. */
export function planProgram(program: Program, profile: DeviceProfile): Step[][] {
  const planner = new Planner(program, profile);
  return program.threads.map((thread) => thread.instructions.map((instruction) => planner.step(instruction)));
}

class Planner {
  readonly #program: Program;
  readonly #profile: DeviceProfile;
  readonly #tables = new Map<object, TimeTable>();

  constructor(program: Program, profile: DeviceProfile) {
    this.#program = program;
    this.#profile = profile;
  }

  step(instruction: Instruction): Step {
    const { calls: costs, host } = this.#profile;
    const base = this.#blank(instruction);
    switch (instruction.code) {
      case 'work':
        return { ...base, callNs: instruction.durationNs };
      case 'write':
      case 'read':
        return { ...base, bytes: instruction.bytes, callNs: (instruction.bytes / host.memcpyBytesPerSecond) * 1e9 };
      case 'copy':
        return { ...base, ...this.#copy(instruction) };
      case 'kernel':
        return { ...base, ...this.#kernel(instruction) };
      case 'recordEvent':
        return { ...base, route: 'mark', callNs: costs.eventRecordNs };
      case 'waitEvent':
        return { ...base, route: 'mark', callNs: costs.eventWaitNs };
      case 'synchronizeStream':
      case 'synchronizeEvent':
        return { ...base, callNs: costs.synchronizeNs };
      case 'synchronizeDevice':
        return { ...base, callNs: costs.synchronizeNs, device: instruction.device };
      case 'queryStream':
      case 'queryEvent':
        return { ...base, callNs: costs.queryNs };
      case 'repeat':
        return { ...base, count: instruction.count };
      case 'endRepeat':
        return { ...base, jump: instruction.start };
      case 'beginRange':
        return { ...base, label: instruction.name };
      case 'endRange':
        return base;
      default:
        throw notSimulated(instruction);
    }
  }

  #blank(instruction: Instruction): Step {
    const stream = 'stream' in instruction ? instruction.stream : -1;
    return {
      code: instruction.code,
      op: instruction.op,
      label: this.#program.operations[instruction.op]?.label ?? instruction.code,
      call: calls[instruction.code] ?? '',
      stream,
      event: 'event' in instruction ? instruction.event : -1,
      device: this.#program.streams[stream]?.device ?? 0,
      callNs: 0,
      route: 'none',
      engine: noEngine,
      deviceNs: 0,
      share: 0,
      pieces: 0,
      pieceBytes: 0,
      lastPieceNs: 0,
      blocking: false,
      bytes: 0,
      src: 'none',
      dst: 'none',
      count: 0,
      jump: -1,
    };
  }

  #kernel({ kernel, smShare, stream }: InstructionOf<'kernel'>): Partial<Step> {
    return {
      route: 'engine',
      engine: engineIndex(this.#program.streams[stream]?.device ?? 0, 'compute'),
      callNs: this.#profile.calls.launchNs,
      deviceNs: this.#kernelNs(kernel),
      // A spin is one thread on one multiprocessor: it runs beside whatever else there is.
      share: kernel.kind === 'spin' ? 0 : smShare,
      bytes: kernel.kind === 'stream' ? kernel.bytes : 0,
    };
  }

  /** Each pass of a byte-streaming kernel reads and writes every byte once; what fits into L2 stays there. */
  #kernelNs(kernel: ProgramKernel): number {
    const { startNs, deviceBytesPerSecond, l2BytesPerSecond } = this.#profile.kernel;
    if (kernel.kind === 'spin') return startNs + kernel.durationNs;
    if (kernel.kind === 'arithmetic') throw new RangeError('capabilityGaps() refuses arithmetic kernels');
    const resident = 2 * kernel.bytes <= this.#profile.device.l2Bytes;
    // Device memory is reached through L2, so it is never the faster of the two.
    const rate = resident ? l2BytesPerSecond : Math.min(deviceBytesPerSecond, l2BytesPerSecond);
    return startNs + ((2 * kernel.bytes * kernel.passes) / rate) * 1e9;
  }

  #copy(instruction: InstructionOf<'copy'>): Partial<Step> {
    const { bytes, blocking } = instruction;
    const src = this.#memory(instruction.src);
    const dst = this.#memory(instruction.dst);
    const shared = { bytes, src, dst, blocking, call: blocking ? 'cudaMemcpy' : 'cudaMemcpyAsync' };
    const device = this.#program.streams[instruction.stream]?.device ?? 0;
    return { ...shared, ...this.#copyCosts(bytes, src, dst, device, instruction.op) };
  }

  #copyCosts(bytes: number, src: MemoryKind, dst: MemoryKind, device: number, op: number): Partial<Step> {
    const direction = copyDirection(src, dst);
    if (direction === 'h2h') return this.#hostCopy(bytes);
    const hostMemory = direction === 'd2h' ? dst : src;
    const times = direction === null ? null : copyTimes(this.#profile, direction, hostMemory);
    if (direction === null || times === null) throw unknownCopy(src, dst, op);
    const callNs = this.#table(times.call)(bytes);
    const engine = engineIndex(device, direction === 'd2d' ? 'compute' : direction);
    if (direction === 'd2d' || hostMemory !== 'pageable') {
      const share = direction === 'd2d' ? 1 : 0;
      return { route: 'engine', engine, callNs, deviceNs: this.#table(times.device)(bytes), share };
    }
    if (direction === 'h2d' && bytes <= this.#profile.staging.inlineBytes) {
      const deviceNs = this.#table(this.#profile.staging.inline)(bytes);
      return { route: 'engine', engine: engineIndex(device, 'compute'), callNs, deviceNs };
    }
    return { route: direction === 'h2d' ? 'stage-in' : 'stage-out', engine, callNs, ...this.#pieces(direction, bytes) };
  }

  #hostCopy(bytes: number): Partial<Step> {
    const deviceNs = (bytes / this.#profile.host.memcpyBytesPerSecond) * 1e9;
    const callNs = this.#table(this.#profile.copies.h2d.pinned.call)(0);
    return { route: 'host', engine: hostEngine, callNs, deviceNs };
  }

  /** A piece moves between the driver's page-locked buffer and the device as any pinned copy of its size. */
  #pieces(direction: 'h2d' | 'd2h', bytes: number): Partial<Step> {
    const pieceBytes = Math.min(this.#profile.staging.chunkBytes, bytes);
    const pieces = Math.ceil(bytes / pieceBytes);
    const time = this.#table(this.#profile.copies[direction].pinned.device);
    const lastPieceNs = time(bytes - (pieces - 1) * pieceBytes);
    return { pieces, pieceBytes, deviceNs: time(pieceBytes), lastPieceNs };
  }

  #memory(buffer: number): MemoryKind {
    return this.#program.buffers[buffer]?.memory ?? 'unknown';
  }

  #table(points: Parameters<typeof timeTable>[0]): TimeTable {
    const known = this.#tables.get(points);
    if (known !== undefined) return known;
    const made = timeTable(points);
    this.#tables.set(points, made);
    return made;
  }
}

function unknownCopy(src: MemoryKind, dst: MemoryKind, op: number): CopyscopeError {
  return new CopyscopeError({
    code: 'engine.unsupported',
    op,
    message: `the simulator knows no copy from ${src} to ${dst} memory.`,
    remedy: 'Choose pageable, pinned or device memory.',
  });
}

function notSimulated({ op, code }: Instruction): CopyscopeError {
  return new CopyscopeError({
    code: 'engine.unsupported',
    op,
    message: `the simulator can't execute a ${code} instruction yet.`,
    remedy: 'Remove it from the experiment.',
  });
}
