/** Lowers an experiment to the program that engines execute. The document must have passed parseExperiment. */

import type { ErrorInfo } from '../errors.ts';
import { type BufferFinder, describeOnce } from '../experiment/describe.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { descriptorOf, type Operation } from '../experiment/operations.ts';
import { experimentError } from '../experiment/parse.ts';
import { bufferBytes } from '../experiment/resources.ts';
import { fieldPath } from '../shape/path.ts';
import { writtenBuffers } from './accesses.ts';
import { withBackground } from './background.ts';
import { checkCaptures } from './checks/captures.ts';
import { checkDevices } from './checks/devices.ts';
import { checkLifetimes } from './checks/lifetimes.ts';
import { checkMemory } from './checks/memory.ts';
import type { Report, UncheckedProgram } from './checks/report.ts';
import { expectations } from './expectations.ts';
import type { Instruction, OperationInfo, Program, ProgramThread, RecordedCost } from './program.ts';
import { deviceIndex, type Place, Scope } from './scope.ts';

/** Throws a CopyscopeError `experiment.invalid`, with field and remedy, if no engine could execute it. */
export function lower(experiment: Experiment): Program {
  const program = lowerUnverified(experiment);
  return { ...program, ...expectations(program.buffers, program.threads) };
}

/**
 * Lowers for a simulation, without final content of buffers, since it moves no data. Keeps expectations of host reads,
 * because comparing them takes time.
 */
export function lowerToSimulate(experiment: Experiment): Program {
  const program = lowerUnverified(experiment);
  const { buffers, threads } = program;
  return threads.some(readsAnything) ? { ...program, threads: expectations(buffers, threads).threads } : program;
}

/** Returns whether a thread has a read without an expectation. */
const readsAnything = ({ instructions }: ProgramThread): boolean =>
  instructions.some((one) => one.code === 'read' && one.expected === null);

/** Lowers without expected content of buffers and reads. */
export function lowerUnverified(experiment: Experiment): Program {
  if (last?.experiment === experiment) return last.program;
  const { environment } = experiment;
  const lowering = new Lowering(experiment);
  const { streams } = lowering.scope.streams;
  const { multiCopies } = lowering.scope;
  const declaredThreads = experiment.threads.map((_, index) => lowering.thread(index));
  const { threads, signals } = withBackground({
    threads: declaredThreads,
    signals: experiment.signals,
    streams,
    multiCopies,
  });
  const written = writtenBuffers(...threads.map(({ instructions }) => instructions));
  const declared = experiment.buffers.map((buffer, index) => ({
    id: buffer.id,
    memory: buffer.memory,
    device: buffer.memory === 'device' ? deviceIndex(experiment, buffer.device) : -1,
    bytes: bufferBytes(buffer),
    pattern: buffer.pattern,
    written: written.has(index),
    allocated: buffer.allocated,
  }));
  const buffers = [...declared, ...lowering.scope.stagingBuffers];
  const program = {
    name: experiment.name,
    devices: experiment.devices,
    buffers,
    streams,
    events: experiment.events,
    signals,
    graphs: lowering.scope.graphs,
    multiCopies,
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

/** Last result, for repeated calls. Longer programs aren't kept: each operation takes about 400 bytes. */
let last: { readonly experiment: Experiment; readonly program: Program } | null = null;
const mostKept = 150_000;

/** Avoids push(): it would grow the array far beyond the length of most paths. */
function inside(path: Place['path'], index: number): Place['path'] {
  const [list, thread, operations] = path;
  const isInThread = path.length === 3 && list !== undefined && thread !== undefined && operations !== undefined;
  return isInThread ? [list, thread, operations, index] : [...path, index];
}

class Lowering {
  readonly operations: OperationInfo[] = [];
  readonly scope: Scope;
  /** Shares one string among equal labels, so that comparing row names compares identities. */
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

/** Returns an operation's recorded times, if it hasn't changed since. */
function recordedCost(operation: Operation, find: BufferFinder): RecordedCost | undefined {
  const recorded = 'recorded' in operation ? operation.recorded : undefined;
  if (recorded === undefined) return undefined;
  const { callNs, deviceNs } = recorded;
  const own = descriptorOf(operation.op).recordedCost;
  return own === undefined ? { callNs, deviceNs } : own(operation, find);
}

/** Throws `experiment.invalid` with every error that a schema can't exclude and CUDA would only find at run time. */
function requireSound(program: UncheckedProgram): void {
  const problems = programProblems(program);
  if (problems.length > 0) throw experimentError(problems);
}

function programProblems(program: UncheckedProgram): ErrorInfo[] {
  const problems: ErrorInfo[] = [];
  const seen = new Set<string>();
  const report: Report = (where, message, remedy) => {
    const path = typeof where === 'number' ? (program.operations[where]?.path ?? []) : where;
    const problem: ErrorInfo = { code: 'experiment.invalid', field: fieldPath(path), message, remedy };
    // Removes duplicates, since a loop's body is checked twice.
    const key = `${problem.field} ${message}`;
    if (!seen.has(key)) problems.push(problem);
    seen.add(key);
  };
  checkCaptures(program, report);
  checkDevices(program, report);
  checkMemory(program, report);
  // The content of a graph is only defined if its captures are sound.
  if (problems.length === 0) checkLifetimes(program, report);
  return problems;
}
