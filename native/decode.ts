/** Turns the addon's columns into a trace, a verification and iteration times. */

import { CopyscopeError } from '../core/errors.ts';
import { copyOverlap, overlap } from '../core/explain/figures/overlap.ts';
import { frontendName } from '../core/program/frontend.ts';
import type { Instruction, Program } from '../core/program/program.ts';
import { lowerMedian } from '../core/statistics.ts';
import { TraceBuilder } from '../core/trace/builder.ts';
import { iterationOf } from '../core/trace/iteration.ts';
import type { AllocatorState, ElapsedTime, RunIterations, Verification, VerificationCheck } from '../core/trace/run.ts';
import { channelTypes, memoryKinds, rowKinds, type Trace } from '../core/trace/trace.ts';
import type { AddonMemory, AddonResult, CheckColumns, DeviceColumns, HostColumns } from './addon.ts';
import { type ActivityFacts, RunLanes } from './lanes.ts';
import { blockStates, calls, fields, memoryAllocators } from './layout.ts';

/** Throws a CopyscopeError `trace.invalid` for an impossible row. */
export function decodeTrace(program: Program, { host, device }: AddonResult): Trace {
  const builder = new TraceBuilder();
  const lanes = new RunLanes(builder, program, helpersOf(program, host), activities(device));
  const starts = iterationStarts(program.iterations, device);
  const labels = new Map(program.operations.map((operation) => [operation.op, operation.label]));
  const label = (op: number): string => labels.get(op) ?? `operation ${op}`;
  const shift = (iteration: number): number => -at(starts, iteration);

  for (let row = 0; row < host.startNs.length; row += 1) {
    const [op, iteration] = [at(host.op, row), at(host.iteration, row)];
    builder.add({
      startNs: at(host.startNs, row) + shift(iteration),
      durationNs: at(host.durationNs, row),
      lane: lanes.host(at(host.thread, row), at(host.worker, row)),
      // PyTorch's own time belongs to no operation.
      kind: op < 0 ? 'host-call' : named(rowKinds, at(host.kind, row)),
      name: op < 0 ? frontendName : named(calls, at(host.call, row)) || label(op),
      op,
      correlation: at(host.correlation, row),
      iteration,
      bytes: at(host.bytes, row),
    });
  }
  for (let row = 0; row < device.startNs.length; row += 1) {
    const [op, iteration, facts] = [at(device.op, row), at(device.iteration, row), activity(device, row)];
    const { kind, src, dst, channelType } = facts;
    builder.add({
      kind,
      src,
      dst,
      channelType,
      startNs: at(device.startNs, row) + shift(iteration),
      durationNs: at(device.durationNs, row),
      lane: lanes.streams[at(device.stream, row)] ?? -1,
      engine: lanes.engine(facts),
      name: label(op),
      op,
      correlation: at(device.correlation, row),
      iteration,
      bytes: at(device.bytes, row),
      channel: at(device.channel, row),
    });
  }
  return builder.build();
}

/** Returns the number of threads that have helped each host thread. */
function helpersOf(program: Program, host: HostColumns): number[] {
  const most = program.threads.map(() => 0);
  host.worker.forEach((worker, row) => {
    const thread = at(host.thread, row);
    if (worker > (most[thread] ?? 0)) most[thread] = worker;
  });
  return most;
}

/**
 * Returns the start of each iteration's clock: 0, or a little earlier if a device time, converted to the host's clock,
 * is before the release of the threads.
 */
function iterationStarts(iterations: number, device: DeviceColumns): Float64Array {
  const starts = new Float64Array(iterations);
  device.startNs.forEach((start, row) => {
    const iteration = at(device.iteration, row);
    if (start < at(starts, iteration)) starts[iteration] = start;
  });
  return starts;
}

function* activities(device: DeviceColumns): Generator<ActivityFacts> {
  for (let row = 0; row < device.startNs.length; row += 1) yield activity(device, row);
}

function activity(device: DeviceColumns, row: number): ActivityFacts {
  return {
    kind: named(rowKinds, at(device.kind, row)),
    src: named(memoryKinds, at(device.src, row)),
    dst: named(memoryKinds, at(device.dst, row)),
    channelType: named(channelTypes, at(device.channelType, row)),
    stream: at(device.stream, row),
  };
}

/** Returns the comparisons, and those that were not possible. */
export function decodeVerification(program: Program, checks: CheckColumns): Verification {
  const decoded = Array.from(checks.op.keys(), (row): VerificationCheck => {
    const op = at(checks.op, row);
    return {
      kind: op < 0 ? 'final' : 'read',
      buffer: checkedName(program, checks, row),
      op,
      bytesChecked: at(checks.checked, row),
      bytesWrong: at(checks.wrong, row),
      firstWrong: at(checks.firstWrong, row),
    };
  });
  const sum = (count: (check: VerificationCheck) => number): number =>
    decoded.reduce((total, check) => total + count(check), 0);
  return {
    bytesChecked: sum((check) => check.bytesChecked),
    bytesWrong: sum((check) => check.bytesWrong),
    checks: decoded,
    unverified: [
      ...program.unverifiable.map(({ buffer, reason }) => ({ buffer: bufferId(program, buffer), reason })),
    ].concat(uncomparedReads(program)),
  };
}

function checkedName(program: Program, checks: CheckColumns, row: number): string {
  const multiCopy = at(checks.multiCopy, row);
  return multiCopy < 0 ? bufferId(program, at(checks.buffer, row)) : `multiCopy ${multiCopy}`;
}

function uncomparedReads(program: Program): { buffer: string; reason: string }[] {
  const isUncompared = (instruction: Instruction): boolean =>
    instruction.code === 'read' && instruction.expected === null;
  return program.threads
    .flatMap((thread) => thread.instructions.filter(isUncompared))
    .map((instruction) => ({
      buffer: instruction.code === 'read' ? bufferId(program, instruction.buffer) : '',
      reason: `what operation ${instruction.op} should find there can't be derived`,
    }));
}

/** Returns the last execution of each elapsedTime operation in each iteration, or undefined without any. */
export function decodeElapsedTimes({ elapsed }: AddonResult): ElapsedTime[] | undefined {
  const last = new Map<string, ElapsedTime>();
  elapsed.op.forEach((op, row) => {
    const iteration = at(elapsed.iteration, row);
    last.set(`${op} ${iteration}`, { op, iteration, durationNs: at(elapsed.durationNs, row) });
  });
  return last.size === 0 ? undefined : [...last.values()];
}

/** More blocks are only included in the sums. */
const mostBlocks = 10_000;
const mostSteps = 100_000;

/** Returns the allocators' memory, or undefined if no operation allocated any. */
export function decodeMemory(program: Program, { memory }: AddonResult): AllocatorState[] | undefined {
  return memory.length === 0 ? undefined : memory.map((state) => allocatorState(program, state));
}

function allocatorState(program: Program, state: AddonMemory): AllocatorState {
  const { allocator, device, blocks, reservedSteps, ...sums } = state;
  const width = fields.blocks.length;
  const count = Math.min(mostBlocks, blocks.length / width);
  return {
    ...sums,
    allocator: named(memoryAllocators, allocator),
    device: program.devices[device]?.id ?? '',
    reservedSteps: Array.from(reservedSteps.timeNs.subarray(0, mostSteps), (timeNs, index) => ({
      iteration: at(reservedSteps.iteration, index),
      timeNs,
      bytes: at(reservedSteps.bytes, index),
    })),
    blocks: Array.from({ length: count }, (_, index) => {
      const number = (field: (typeof fields.blocks)[number]): number =>
        at(blocks, index * width + fields.blocks.indexOf(field));
      return {
        segment: number('segment'),
        offset: number('offset'),
        bytes: number('bytes'),
        requestedBytes: number('requestedBytes'),
        stream: program.streams[number('stream')]?.id ?? '',
        state: named(blockStates, number('state')),
      };
    }),
  };
}

/** Takes makespans from the trace, host-clock times from the addon. */
export function decodeIterations(trace: Trace, result: AddonResult): RunIterations {
  const makespans = new Array<number>(result.recordedWallNs.length).fill(0);
  const { startNs, durationNs, iteration } = trace.columns;
  for (let row = 0; row < trace.count; row += 1) {
    const index = at(iteration, row);
    makespans[index] = Math.max(makespans[index] ?? 0, at(startNs, row) + at(durationNs, row));
  }
  return {
    recordedMakespanNs: makespans,
    recordedWallNs: [...result.recordedWallNs],
    plainWallNs: [...result.plainWallNs],
    representative: typicalIterations(trace, makespans)[0] ?? 0,
  };
}

function bufferId(program: Program, index: number): string {
  return program.buffers[index]?.id ?? '';
}

/** Returns an element that must exist; throws for damaged columns instead of returning undefined. */
function at(column: Float64Array | Int32Array | Uint8Array, index: number): number {
  const value = column[index];
  if (value === undefined) throw damaged(`element ${index} of ${column.length}`);
  return value;
}

function named<Name>(names: readonly Name[], index: number): Name {
  const name = names[index];
  if (name === undefined) throw damaged(`number ${index} of ${names.length} names`);
  return name;
}

function damaged(what: string): CopyscopeError {
  return new CopyscopeError({
    code: 'trace.invalid',
    message: `The addon gave ${what}.`,
    remedy: 'Build the addon again: npm run build:native',
  });
}

/**
 * Returns the numbers of the iterations, the most typical first; if equal, the shorter, then the earlier one. If a copy
 * and a kernel begin within a few microseconds of each other, either may be first, so the iteration with the median
 * makespan may overlap unlike any other. Therefore the larger of two distances decides: of the makespan from the median
 * makespan, relative to that, and of the overlap (copyOverlap) from the median overlap. The run's own spread isn't used
 * as a scale: few iterations hardly determine it, and it is 0 if most of them are alike.
 */
export function typicalIterations(trace: Trace, makespansNs: readonly number[]): number[] {
  const numbers = [...makespansNs.keys()];
  if (numbers.length < 2) return numbers;
  const overlaps = numbers.map((number) => copyOverlap(overlap(iterationOf(trace, number))));
  const makespanNs = lowerMedian(makespansNs);
  const overlapped = lowerMedian(overlaps.flatMap((one) => one ?? []));
  const apart = numbers.map((number) => {
    const longer = makespanNs > 0 ? (makespansNs[number] ?? 0) / makespanNs - 1 : 0;
    const own = overlaps[number] ?? null;
    // Without copies there is no overlap to compare.
    const more = own === null ? 0 : own - overlapped;
    return Math.max(Math.abs(longer), Math.abs(more));
  });
  const order = (a: number, b: number, of: readonly number[]): number => (of[a] ?? 0) - (of[b] ?? 0);
  return numbers.sort((a, b) => order(a, b, apart) || order(a, b, makespansNs) || a - b);
}
