/** Lowers an experiment to the program that engines execute. Assumes the document passed parseExperiment. */
import { type BufferFinder, describeOnce } from '../experiment/describe.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { descriptorOf, type Operation } from '../experiment/operations.ts';
import { bufferBytes } from '../experiment/resources.ts';
import { writtenBuffers } from './accesses.ts';
import { requireSound } from './checks/check.ts';
import { expectations } from './expectations.ts';
import type { Instruction, OperationInfo, Program, ProgramThread, RecordedCost } from './program.ts';
import { deviceIndex, type Place, Scope } from './scope.ts';

/** Throws a CopyscopeError `experiment.invalid` for what no engine could execute: it names the field and the remedy. */
export function lower(experiment: Experiment): Program {
  const program = lowerUnverified(experiment);
  return { ...program, ...expectations(program.buffers, program.threads) };
}

/**
 * The same without what buffers must hold in the end: for a simulation, which moves no data. What a host thread compares
 * when it reads takes its time, and is there.
 */
export function lowerToSimulate(experiment: Experiment): Program {
  const program = lowerUnverified(experiment);
  const { buffers, threads } = program;
  return threads.some(readsUntold) ? { ...program, threads: expectations(buffers, threads).threads } : program;
}

/** Whether a thread reads something without being told what it should find. */
const readsUntold = ({ instructions }: ProgramThread): boolean =>
  instructions.some((one) => one.code === 'read' && one.expected === null);

/** The same without what buffers and reads must hold. */
export function lowerUnverified(experiment: Experiment): Program {
  if (last?.experiment === experiment) return last.program;
  const { environment } = experiment;
  const lowering = new Lowering(experiment);
  const threads = experiment.threads.map((_, index) => lowering.thread(index));
  const written = writtenBuffers(...threads.map(({ instructions }) => instructions));
  const buffers = experiment.buffers.map((buffer, index) => ({
    id: buffer.id,
    memory: buffer.memory,
    device: buffer.memory === 'device' ? deviceIndex(experiment, buffer.device) : -1,
    bytes: bufferBytes(buffer),
    pattern: buffer.pattern,
    written: written.has(index),
    allocated: buffer.allocated,
  }));
  const program = {
    name: experiment.name,
    devices: experiment.devices,
    buffers,
    streams: lowering.scope.streams.streams,
    events: experiment.events,
    signals: experiment.signals,
    graphs: lowering.scope.graphs,
    multiCopies: lowering.scope.multiCopies,
    threads,
    operations: lowering.operations,
    launchBlocking: environment.launchBlocking,
    peerAccess: environment.peerAccess,
    visibleDevices: environment.visibleDevices ?? null,
    iterations: environment.iterations,
    warmups: environment.warmups,
  };
  requireSound(program);
  const whole: Program = { ...program, expectations: [], results: [], unverifiable: [] };
  last = lowering.operations.length > mostKept ? null : { experiment, program: whole };
  return whole;
}

/** What was lowered last: whoever asks again gets it. Longer programs are not kept: each operation takes some 400 bytes. */
let last: { readonly experiment: Experiment; readonly program: Program } | null = null;
const mostKept = 150_000;

/** What an array grows to when something is added to it is many times as large as most of the paths are. */
function inside(path: Place['path'], index: number): Place['path'] {
  const [list, thread, operations] = path;
  const isInThread = path.length === 3 && list !== undefined && thread !== undefined && operations !== undefined;
  return isInThread ? [list, thread, operations, index] : [...path, index];
}

class Lowering {
  readonly operations: OperationInfo[] = [];
  readonly scope: Scope;
  /** One string for all labels that are alike: whoever looks rows' names up compares them by identity then. */
  readonly #labels = new Map<string, string>();

  constructor(experiment: Experiment) {
    this.scope = new Scope(experiment);
  }

  thread(index: number): ProgramThread {
    const { experiment } = this.scope;
    const thread = experiment.threads[index];
    if (thread === undefined) throw new RangeError(`no host thread ${index}`);
    const instructions: Instruction[] = [];
    this.#list(thread.operations, ['threads', index, 'operations'], index, instructions);
    return { id: thread.id, device: deviceIndex(experiment, thread.device), instructions };
  }

  #list(operations: readonly Operation[], path: Place['path'], thread: number, out: Instruction[]): void {
    for (let index = 0; index < operations.length; index += 1) {
      this.#operation(operations[index] as Operation, inside(path, index), thread, out);
    }
  }

  #operation(operation: Operation, path: Place['path'], thread: number, out: Instruction[]): void {
    const place: Place = { op: this.operations.length, path, thread };
    const label = this.#shared(describeOnce(operation, this.scope.find));
    const recorded = recordedCost(operation, this.scope.find);
    this.operations.push({ op: place.op, id: operation.id, kind: operation.op, label, thread, path, recorded });
    const stream = 'stream' in operation ? this.scope.streams.resolve(operation.stream, thread) : -1;
    const made = descriptorOf(operation.op).lower(operation, place, this.scope, stream);
    if ('operations' in operation) this.#around(made, operation.operations, place, out);
    else out.push(...made);
  }

  #shared(label: string): string {
    const known = this.#labels.get(label);
    if (known !== undefined) return known;
    this.#labels.set(label, label);
    return label;
  }

  #around([first, last]: readonly Instruction[], operations: readonly Operation[], place: Place, out: Instruction[]) {
    if (first === undefined || last === undefined) return;
    const start = out.length;
    out.push(first);
    this.#list(operations, [...place.path, 'operations'], place.thread, out);
    if (first.code === 'repeat') out[start] = { ...first, end: out.length };
    out.push(last.code === 'endRepeat' ? { ...last, start } : last);
  }
}

/** What an operation took in the trace it was lifted from, as far as it still is what was recorded. */
function recordedCost(operation: Operation, find: BufferFinder): RecordedCost | undefined {
  const recorded = 'recorded' in operation ? operation.recorded : undefined;
  if (recorded === undefined) return undefined;
  const { callNs, deviceNs } = recorded;
  const own = descriptorOf(operation.op).recordedCost;
  return own === undefined ? { callNs, deviceNs } : own(operation, find);
}
