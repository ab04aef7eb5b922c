/** Lowers an experiment to the program that engines execute. The document must have passed parseExperiment. */

import { type ErrorInfo, errorOfAll } from '../errors.ts';
import { type BufferFinder, describeOnce } from '../experiment/describe.ts';
import { operationsOf } from '../experiment/edit/paths.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { descriptorOf, type Operation } from '../experiment/operations.ts';
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
import { unrolled } from './unroll.ts';

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
export const lowerUnverified = (experiment: Experiment): Program =>
  last?.experiment === experiment ? last.program : lowerOnce(experiment).program;

/** Lowers without expected content, and leaves repeats with moving offsets as loops, as a person writes them. */
export const lowerToWrite = (experiment: Experiment): Program => lowerOnce(experiment).loops;

function lowerOnce(experiment: Experiment): { readonly program: Program; readonly loops: Program } {
  const { environment } = experiment;
  const before = last !== null && declaresTheSame(last.experiment, experiment) ? last : null;
  const lowering = new Lowering(experiment, before);
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
    // The host writes managed memory before each iteration, so that its pages lie on the host.
    written: buffer.memory === 'managed' || written.has(index),
    allocated: buffer.allocated,
  }));
  const buffers = [...declared, ...lowering.scope.stagingBuffers];
  const loops = {
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
    frontend: environment.frontend,
    launchBlocking: environment.launchBlocking,
    peerAccess: environment.peerAccess,
    poolReleaseThreshold: environment.poolReleaseThreshold,
    visibleDevices: environment.visibleDevices ?? null,
    iterations: environment.iterations,
    warmups: environment.warmups,
  };
  const unknown = { expectations: [], results: [], unverifiable: [] };
  const program: Program = { ...unrolled(loops), ...unknown };
  requireSound(program);
  last = lowering.operations.length > mostKept ? null : { experiment, program, alone: lowering.alone };
  return { program, loops: { ...loops, ...unknown } };
}

/** Last result, for repeated calls and edits. Longer programs aren't kept: each operation takes about 400 bytes. */
let last: Lowered | null = null;
const mostKept = 150_000;

interface Lowered {
  readonly experiment: Experiment;
  readonly program: Program;
  /** Each operation's instruction; null if there are several, or if other operations have an influence on it. */
  readonly alone: readonly (Instruction | null)[];
}

const declarations = ['devices', 'buffers', 'streams', 'events', 'signals', 'environment'] as const;

/** Returns whether nothing but operations differs. An edit of operations leaves all declarations the same objects. */
const declaresTheSame = (a: Experiment, b: Experiment): boolean =>
  declarations.every((name) => a[name] === b[name]) &&
  a.threads.length === b.threads.length &&
  a.threads.every(({ id, device }, index) => id === b.threads[index]?.id && device === b.threads[index]?.device);

/** Operations whose instruction depends on others: on what was named before, or on what allocated the buffer. */
const dependent: ReadonlySet<string> = new Set(['graphLaunch', 'multiCopy', 'blockCopy', 'free']);

/** Avoids push(): it would grow the array far beyond the length of most paths. */
function inside(path: Place['path'], index: number): Place['path'] {
  const [list, thread, operations] = path;
  const isInThread = path.length === 3 && list !== undefined && thread !== undefined && operations !== undefined;
  return isInThread ? [list, thread, operations, index] : [...path, index];
}

/** Returns whether `path` is that of element `index` of a list. */
function isAt(path: Place['path'], list: Place['path'], index: number): boolean {
  if (path.length !== list.length + 1 || path[list.length] !== index) return false;
  for (let at = 3; at < list.length; at += 1) if (path[at] !== list[at]) return false;
  return true;
}

class Lowering {
  readonly operations: OperationInfo[] = [];
  readonly alone: (Instruction | null)[] = [];
  readonly scope: Scope;
  /** Shares one string among equal labels, so that comparing row names compares identities. */
  readonly #labels = new Map<string, string>();
  /** Result for a document with the same declarations. */
  readonly #before: Lowered | null;
  /** Operations of that document by number. */
  readonly #sources: readonly Operation[];
  /** Change of the number of operations, and so of the numbers of those that follow an edit. */
  readonly #shift: number;

  constructor(experiment: Experiment, before: Lowered | null) {
    this.scope = new Scope(experiment);
    this.#before = before;
    this.#sources = before === null ? [] : operationsOf(before.experiment);
    this.#shift = before === null ? 0 : operationsOf(experiment).length - this.#sources.length;
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
      if (!this.#again(operation, path, index, thread, out))
        this.#operation(operation, inside(path, index), thread, out);
    }
  }

  /** Takes over an unchanged operation; its number and place may be new. Returns false if that isn't possible. */
  #again(operation: Operation, path: Place['path'], index: number, thread: number, out: Instruction[]): boolean {
    const op = this.operations.length;
    const old = this.#sources[op] === operation ? op : op - this.#shift;
    const [known, info] = [this.#before?.alone[old] ?? null, this.#before?.program.operations[old]];
    if (this.#sources[old] !== operation || known === null || info?.thread !== thread) return false;
    const instruction = old === op ? known : { ...known, op };
    this.operations.push(
      old === op && isAt(info.path, path, index) ? info : { ...info, op, path: inside(path, index) },
    );
    this.alone.push(instruction);
    out.push(instruction);
    return true;
  }

  #operation(operation: Operation, path: Place['path'], thread: number, out: Instruction[]): void {
    const place: Place = { op: this.operations.length, path, thread };
    const label = this.#shared(describeOnce(operation, this.scope.find));
    const recorded = recordedCost(operation, this.scope.find);
    this.operations.push({ op: place.op, id: operation.id, kind: operation.op, label, thread, path, recorded });
    const stream = 'stream' in operation ? this.scope.streams.resolve(operation.stream, thread) : -1;
    const made = descriptorOf(operation.op).lower(operation, place, this.scope, stream);
    const [first = null] = made;
    // Default streams are numbered by their first use. A cudaMemcpy uses one, whatever stream it names.
    const used = first !== null && 'stream' in first ? Math.max(first.stream, stream) : stream;
    const isAlone = made.length === 1 && !dependent.has(operation.op) && used < this.scope.experiment.streams.length;
    this.alone.push(isAlone ? first : null);
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
  if (problems.length > 0) throw errorOfAll(problems);
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
