/** Lowers an experiment to the program that engines execute. Assumes the document passed parseExperiment. */
import { CopyscopeError } from '../errors.ts';
import { type BufferFinder, bufferFinder, copyBytes, describeOperation } from '../experiment/describe.ts';
import { type Experiment, fieldPath } from '../experiment/experiment.ts';
import type { Operation, OperationOf } from '../experiment/operations.ts';
import { bufferBytes, type Pattern } from '../experiment/resources.ts';
import { writtenBuffers } from './accesses.ts';
import { expectations } from './expectations.ts';
import type { Content, Instruction, OperationInfo, Program, ProgramKernel, ProgramThread } from './program.ts';
import { StreamTable } from './streams.ts';

type Path = readonly (string | number)[];

export function lower(experiment: Experiment): Program {
  const lowering = new Lowering(experiment);
  const threads = experiment.threads.map((_, index) => lowering.thread(index));
  const written = writtenBuffers(threads.flatMap((thread) => thread.instructions));
  const buffers = experiment.buffers.map((buffer, index) => ({
    id: buffer.id,
    memory: buffer.memory,
    device: buffer.memory === 'device' ? deviceIndex(experiment, buffer.device) : -1,
    bytes: bufferBytes(buffer),
    pattern: buffer.pattern,
    written: written.has(index),
    allocated: buffer.allocated,
  }));
  return {
    name: experiment.name,
    devices: experiment.devices,
    buffers,
    streams: lowering.streams.streams,
    events: experiment.events,
    signals: experiment.signals,
    graphs: [],
    multiCopies: [],
    operations: lowering.operations,
    launchBlocking: experiment.environment.launchBlocking,
    peerAccess: experiment.environment.peerAccess,
    visibleDevices: experiment.environment.visibleDevices ?? null,
    iterations: experiment.environment.iterations,
    warmups: experiment.environment.warmups,
    ...expectations(buffers, threads),
  };
}

/** Index of a device by id; the first where none is named. */
export function deviceIndex(experiment: Experiment, id: string | undefined): number {
  return id === undefined ? 0 : experiment.devices.findIndex((device) => device.id === id);
}

/** Content of a region written with a pattern from its first byte. */
export const patternContent = (pattern: Pattern): Content => ({ pattern, patternOffset: 0, multiplier: 1 });

class Lowering {
  readonly operations: OperationInfo[] = [];
  readonly streams: StreamTable;
  readonly #experiment: Experiment;
  readonly #find: BufferFinder;
  readonly #buffers: ReadonlyMap<string, number>;
  readonly #events: ReadonlyMap<string, number>;

  constructor(experiment: Experiment) {
    this.#experiment = experiment;
    this.streams = new StreamTable(experiment);
    this.#find = bufferFinder(experiment);
    this.#buffers = new Map(experiment.buffers.map((buffer, index) => [buffer.id, index]));
    this.#events = new Map(experiment.events.map((event, index) => [event.id, index]));
  }

  thread(index: number): ProgramThread {
    const thread = this.#experiment.threads[index];
    if (thread === undefined) throw new RangeError(`no host thread ${index}`);
    const instructions: Instruction[] = [];
    this.#list(thread.operations, ['threads', index, 'operations'], index, instructions);
    return { id: thread.id, device: deviceIndex(this.#experiment, thread.device), instructions };
  }

  #list(operations: readonly Operation[], path: Path, thread: number, out: Instruction[]): void {
    for (const [index, operation] of operations.entries()) this.#operation(operation, [...path, index], thread, out);
  }

  #operation(operation: Operation, path: Path, thread: number, out: Instruction[]): void {
    const op = this.operations.length;
    const label = describeOperation(operation, this.#experiment, this.#find);
    this.operations.push({ op, kind: operation.op, label, thread, path });
    if (operation.op === 'repeat') this.#repeat(operation, op, path, thread, out);
    else if (operation.op === 'range') this.#range(operation, op, path, thread, out);
    else out.push(...this.#leaf(operation, op, path, thread));
  }

  #repeat(operation: OperationOf<'repeat'>, op: number, path: Path, thread: number, out: Instruction[]): void {
    const start = out.length;
    out.push({ code: 'repeat', op, count: operation.count, end: -1 });
    this.#list(operation.operations, [...path, 'operations'], thread, out);
    out[start] = { code: 'repeat', op, count: operation.count, end: out.length };
    out.push({ code: 'endRepeat', op, start });
  }

  #range(operation: OperationOf<'range'>, op: number, path: Path, thread: number, out: Instruction[]): void {
    out.push({ code: 'beginRange', op, name: operation.name });
    this.#list(operation.operations, [...path, 'operations'], thread, out);
    out.push({ code: 'endRange', op });
  }

  #leaf(operation: Operation, op: number, path: Path, thread: number): Instruction[] {
    const stream = 'stream' in operation ? this.streams.resolve(operation.stream, thread) : -1;
    switch (operation.op) {
      case 'work':
        return [{ code: 'work', op, durationNs: operation.durationNs }];
      case 'write':
        return [{ code: 'write', op, ...this.#region(operation), content: patternContent(operation.pattern) }];
      case 'read': {
        const expected = operation.expect === undefined ? null : patternContent(operation.expect);
        return [{ code: 'read', op, ...this.#region(operation), expected }];
      }
      case 'copy':
        return this.#copy(operation, op, stream, thread);
      case 'kernel':
        return [this.#kernel(operation, op, path, stream)];
      case 'recordEvent':
      case 'waitEvent':
        return [{ code: operation.op, op, event: this.#event(operation.event), stream }];
      case 'synchronizeStream':
      case 'queryStream':
        return [{ code: operation.op, op, stream }];
      case 'synchronizeEvent':
      case 'queryEvent':
        return [{ code: operation.op, op, event: this.#event(operation.event) }];
      case 'synchronizeDevice':
        return [{ code: 'synchronizeDevice', op, device: this.#threadDevice(operation.device, thread) }];
      default:
        throw unsupported(operation, path);
    }
  }

  #copy(operation: OperationOf<'copy'>, op: number, declared: number, thread: number): Instruction[] {
    const blocking = operation.mode === 'blocking-memcpy';
    const stream = blocking ? this.streams.resolve('default', thread) : declared;
    const copy: Instruction = {
      code: 'copy',
      op,
      src: this.#buffer(operation.src),
      srcOffset: operation.srcOffset,
      dst: this.#buffer(operation.dst),
      dstOffset: operation.dstOffset,
      bytes: copyBytes(operation, this.#experiment, this.#find),
      stream,
      blocking,
    };
    return operation.mode === 'blocking-to' ? [copy, { code: 'synchronizeStream', op, stream }] : [copy];
  }

  #kernel(operation: OperationOf<'kernel'>, op: number, path: Path, stream: number): Instruction {
    const reads = operation.reads.map((id) => this.#buffer(id));
    const writes = operation.writes.map((id) => this.#buffer(id));
    const kernel = this.#kernelShape(operation, path, reads[0], writes[0]);
    return { code: 'kernel', op, stream, kernel, smShare: operation.smShare, reads, writes };
  }

  #kernelShape({ kernel }: OperationOf<'kernel'>, path: Path, src = -1, dst = -1): ProgramKernel {
    if (kernel.kind !== 'stream') return kernel;
    const bytes = Math.min(this.#size(src), this.#size(dst));
    if (bytes % 4 !== 0) {
      throw new CopyscopeError({
        code: 'experiment.invalid',
        field: fieldPath([...path, 'reads']),
        message: `a byte-streaming kernel works on 32-bit words, and ${bytes} bytes is no whole number of them.`,
        remedy: 'Make both buffers a multiple of 4 bytes.',
      });
    }
    return { kind: 'stream', src, dst, bytes, passes: kernel.passes };
  }

  #region(operation: OperationOf<'read'> | OperationOf<'write'>): { buffer: number; offset: number; bytes: number } {
    const buffer = this.#buffer(operation.buffer);
    return { buffer, offset: operation.offset, bytes: operation.bytes ?? this.#size(buffer) - operation.offset };
  }

  #size(buffer: number): number {
    const declared = this.#experiment.buffers[buffer];
    return declared === undefined ? 0 : bufferBytes(declared);
  }

  #buffer(id: string): number {
    return known(this.#buffers, id, 'buffer');
  }

  #event(id: string): number {
    return known(this.#events, id, 'event');
  }

  #threadDevice(id: string | undefined, thread: number): number {
    return deviceIndex(this.#experiment, id ?? this.#experiment.threads[thread]?.device);
  }
}

function known(table: ReadonlyMap<string, number>, id: string, what: string): number {
  const index = table.get(id);
  if (index === undefined)
    throw new RangeError(`no ${what} "${id}": lower() takes only experiments that passed parseExperiment`);
  return index;
}

function unsupported(operation: Operation, path: Path): CopyscopeError {
  return new CopyscopeError({
    code: 'engine.unsupported',
    field: fieldPath(path),
    message: `operation ${operation.op} can't be executed yet.`,
    remedy: 'Remove it from the experiment.',
  });
}
