/** Lowers an experiment to the program that engines execute. Assumes the document passed parseExperiment. */
import { describeOnce } from '../experiment/describe.ts';
import { type Renumbering, renumbering } from '../experiment/edit/renumbering.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { Operation, OperationOf } from '../experiment/operations.ts';
import { bufferBytes } from '../experiment/resources.ts';
import { declaresTheSame } from '../experiment/sameDeclarations.ts';
import { writtenBuffers } from './accesses.ts';
import { requireSound } from './checks/check.ts';
import { expectations } from './expectations.ts';
import { lowerOperation } from './lowerOperation.ts';
import type { Instruction, OperationInfo, Program, ProgramThread } from './program.ts';
import { recordedCost } from './recorded.ts';
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
  const lowering = new Lowering(
    experiment,
    last !== null && declaresTheSame(last.experiment, experiment) ? last : null,
  );
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
  last = lowering.operations.length > mostKept ? null : { experiment, program: whole, alone: lowering.alone };
  return whole;
}

/**
 * What was lowered last: whoever asks again gets it, and an edit leaves most of it as it is. Longer programs are not kept:
 * each operation takes some 400 bytes.
 */
let last: Lowered | null = null;
const mostKept = 150_000;

/** By the operations' numbers. */
interface Lowered {
  readonly experiment: Experiment;
  readonly program: Program;
  /** Null where more than the operation and the declarations decides what it is lowered to. */
  readonly alone: readonly (Instruction | null)[];
}

function standsAt(info: OperationInfo, op: number, path: Place['path'], index: number, thread: number): boolean {
  if (info.op !== op || info.thread !== thread) return false;
  if (info.path.length !== path.length + 1 || info.path[path.length] !== index) return false;
  return path.every((step, at) => info.path[at] === step);
}

/** What an array grows to when something is added to it is many times as large as most of the paths are. */
function inside(path: Place['path'], index: number): Place['path'] {
  const [list, thread, operations] = path;
  const isInThread = path.length === 3 && list !== undefined && thread !== undefined && operations !== undefined;
  return isInThread ? [list, thread, operations, index] : [...path, index];
}

class Lowering {
  readonly operations: OperationInfo[] = [];
  readonly scope: Scope;
  readonly alone: (Instruction | null)[] = [];
  /** One string for all labels that are alike: whoever looks rows' names up compares them by identity then. */
  readonly #labels = new Map<string, string>();
  /** Of a document that declares the same. */
  readonly #before: Lowered | null;
  /** From that document to this one. */
  readonly #numbers: Renumbering | null;

  constructor(experiment: Experiment, before: Lowered | null) {
    this.scope = new Scope(experiment);
    this.#before = before;
    this.#numbers = before === null ? null : renumbering(before.experiment, experiment);
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
      const operation = operations[index] as Operation;
      if (!this.#again(path, index, thread, out)) {
        this.#operation(operation, inside(path, index), thread, out);
      }
    }
  }

  /** Takes over what an operation was lowered to before; only its number and its place may be other ones. */
  #again(path: Place['path'], index: number, thread: number, out: Instruction[]): boolean {
    const op = this.operations.length;
    const number = this.#numbers?.keptFrom(op) ?? null;
    if (this.#before === null || number === null) return false;
    const { program, alone } = this.#before;
    const info = program.operations[number];
    const instruction = alone[number];
    if (info === undefined || instruction == null) return false;
    const own = number === op ? instruction : { ...instruction, op };
    this.#keep(
      standsAt(info, op, path, index, thread) ? info : { ...info, op, thread, path: inside(path, index) },
      own,
    );
    out.push(own);
    return true;
  }

  #keep(info: OperationInfo, alone: Instruction | null): void {
    this.operations.push(info);
    this.alone.push(alone);
  }

  #operation(operation: Operation, path: Place['path'], thread: number, out: Instruction[]): void {
    const place: Place = { op: this.operations.length, path, thread };
    const label = this.#shared(describeOnce(operation, this.scope.experiment, this.scope.find));
    const recorded = recordedCost(operation, this.scope);
    this.#keep({ op: place.op, kind: operation.op, label, thread, path, recorded }, null);
    if (operation.op === 'repeat') this.#repeat(operation, place, out);
    else if (operation.op === 'range') this.#range(operation, place, out);
    else if (operation.op === 'graphCapture') this.#capture(operation, place, out);
    else {
      const instructions = lowerOperation(operation, place, this.scope);
      out.push(...instructions);
      this.alone[place.op] = this.#isAlone(operation, instructions) ? (instructions[0] ?? null) : null;
    }
  }

  #shared(label: string): string {
    const known = this.#labels.get(label);
    if (known !== undefined) return known;
    this.#labels.set(label, label);
    return label;
  }

  /** Graphs, plans and default streams are numbered as they are first named; what is freed depends on what allocated it. */
  #isAlone({ op }: Operation, [instruction, ...more]: readonly Instruction[]): boolean {
    if (instruction === undefined || more.length > 0 || op === 'graphLaunch' || op === 'multiCopy' || op === 'free') {
      return false;
    }
    return !('stream' in instruction) || instruction.stream < this.scope.experiment.streams.length;
  }

  #inside({ operations }: { readonly operations: readonly Operation[] }, place: Place, out: Instruction[]): void {
    this.#list(operations, [...place.path, 'operations'], place.thread, out);
  }

  #repeat(operation: OperationOf<'repeat'>, place: Place, out: Instruction[]): void {
    const { op } = place;
    const start = out.length;
    out.push({ code: 'repeat', op, count: operation.count, end: -1 });
    this.#inside(operation, place, out);
    out[start] = { code: 'repeat', op, count: operation.count, end: out.length };
    out.push({ code: 'endRepeat', op, start });
  }

  #range(operation: OperationOf<'range'>, place: Place, out: Instruction[]): void {
    out.push({ code: 'beginRange', op: place.op, name: operation.name });
    this.#inside(operation, place, out);
    out.push({ code: 'endRange', op: place.op });
  }

  #capture(operation: OperationOf<'graphCapture'>, place: Place, out: Instruction[]): void {
    const { op, thread } = place;
    const graph = this.scope.graph(operation.graph);
    const stream = this.scope.streams.resolve(operation.stream, thread);
    out.push({ code: 'beginCapture', op, graph, stream });
    this.#inside(operation, place, out);
    out.push({ code: 'endCapture', op, graph, stream });
  }
}
