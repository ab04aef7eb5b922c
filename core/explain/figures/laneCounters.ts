/**
 * Counters that the timeline draws:
 *
 *   queue depth of a stream  = operations whose host call has returned and that are not complete: +1 at the call's end,
 *                              -1 at the operation's end (a mark's end is its time)
 *   memory of a device       = bytes of its buffers: those from before the run, and others from the return of the call
 *                              that allocates them to the beginning of the call that frees them
 *   memory of the host       = the same for page-locked and pageable buffers
 *
 * Work without a recorded call counts in no queue, nor does work that completed before its call returned, as after a
 * blocking copy. queue.ts counts work that had not begun instead. Memory exists only if an operation of the run's
 * experiment allocated or freed some. It counts requested bytes; rows don't contain what an allocator holds beyond that,
 * but info.memory does for the end of the run.
 */
import { type Experiment, eachOperation } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';
import { type BufferDeclaration, bufferBytes } from '../../experiment/resources.ts';
import { type CounterData, type CounterSteps, counterData } from '../../trace/counter.ts';
import { type Iteration, iterationOf, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';
import { rowKinds } from '../../trace/trace.ts';
import { hostCalls } from './hostCalls.ts';

export interface QueueCounter {
  readonly kind: 'queue';
  /** Index of the stream's lane. */
  readonly lane: number;
  readonly data: CounterData;
}

export interface MemoryCounter {
  readonly kind: 'memory';
  /** Id of the device; empty for the host. */
  readonly device: string;
  readonly data: CounterData;
}

export type LaneCounter = QueueCounter | MemoryCounter;

/** Returns the counters of one iteration: queues in the order of lanes, then memory. */
export function laneCounters({ trace, info }: Run, number: number): LaneCounter[] {
  const iteration = iterationOf(trace, number);
  return [...queueCounters(iteration), ...(info.experiment === null ? [] : memoryCounters(iteration, info.experiment))];
}

function queueCounters(iteration: Iteration): QueueCounter[] {
  const { rows, returned, count } = pendingRows(iteration);
  const { lane, startNs, durationNs } = iteration.trace.columns;
  const counts = new Uint32Array(iteration.trace.lanes.length);
  for (let at = 0; at < count; at += 1) {
    const own = lane[rows[at] as number] as number;
    counts[own] = (counts[own] as number) + 1;
  }
  const issued = Array.from(counts, (pending) => new Float64Array(pending));
  const complete = Array.from(counts, (pending) => new Float64Array(pending));
  counts.fill(0);
  for (let at = 0; at < count; at += 1) {
    const row = rows[at] as number;
    const own = lane[row] as number;
    const place = counts[own] as number;
    counts[own] = place + 1;
    (issued[own] as Float64Array)[place] = returned[at] as number;
    (complete[own] as Float64Array)[place] = (startNs[row] as number) + (durationNs[row] as number);
  }
  return issued.flatMap((starts, own) => {
    if (starts.length === 0) return [];
    const steps = queueSteps(ascending(starts), ascending(complete[own] as Float64Array));
    return [{ kind: 'queue', lane: own, data: counterData(steps) }];
  });
}

/** Sorts in place. A stream's work is in order except where a recording mixed it up. */
function ascending(times: Float64Array): Float64Array {
  for (let at = 1; at < times.length; at += 1) {
    if ((times[at] as number) < (times[at - 1] as number)) return times.sort();
  }
  return times;
}

/** Returns rows that completed after their calls had returned, and the times of these returns. */
function pendingRows(iteration: Iteration) {
  const { trace, begin, end } = iteration;
  const { startNs, durationNs } = trace.columns;
  const calls = hostCalls(iteration);
  const rows = new Uint32Array(end - begin);
  const returned = new Float64Array(end - begin);
  let count = 0;
  for (let row = begin; row < end; row += 1) {
    const call = calls.get(row);
    if (call === undefined) continue;
    const returnedNs = (startNs[call] as number) + (durationNs[call] as number);
    if ((startNs[row] as number) + (durationNs[row] as number) <= returnedNs) continue;
    rows[count] = row;
    returned[count] = returnedNs;
    count += 1;
  }
  return { rows, returned, count };
}

/** Makes steps from ascending times. Changes at one time become one step. */
function queueSteps(issued: Float64Array, complete: Float64Array): CounterSteps {
  const times = new Float64Array(2 * issued.length);
  const values = new Float64Array(2 * issued.length);
  let [steps, i, j, depth] = [0, 0, 0, 0];
  while (j < complete.length) {
    const now = Math.min(issued[i] ?? Number.POSITIVE_INFINITY, complete[j] as number);
    for (; i < issued.length && issued[i] === now; i += 1) depth += 1;
    for (; j < complete.length && complete[j] === now; j += 1) depth -= 1;
    times[steps] = now;
    values[steps] = depth;
    steps += 1;
  }
  return { times: times.slice(0, steps), values: values.slice(0, steps) };
}

/** A buffer that is allocated (1) or freed (-1). */
interface Change {
  readonly timeNs: number;
  readonly buffer: BufferDeclaration;
  readonly sign: 1 | -1;
}

function memoryCounters(iteration: Iteration, experiment: Experiment): MemoryCounter[] {
  const changes = memoryChanges(iteration, experiment);
  const places = new Set(changes.map(({ buffer }) => placeOf(buffer, experiment)));
  return [...places].sort().map((device) => {
    const isHere = (buffer: BufferDeclaration): boolean => placeOf(buffer, experiment) === device;
    const before = experiment.buffers.filter((one) => one.allocated === 'before-run' && isHere(one));
    const held = before.reduce((sum, buffer) => sum + bufferBytes(buffer), 0);
    const steps = memorySteps(
      held,
      changes.filter(({ buffer }) => isHere(buffer)),
    );
    return { kind: 'memory', device, data: counterData(steps) };
  });
}

/** Returns the device of a buffer; empty for the host. */
const placeOf = ({ memory, device }: BufferDeclaration, { devices }: Experiment): string =>
  memory === 'device' ? (device ?? devices[0]?.id ?? '') : '';

/** Returns changes in order of time; at equal times, frees come first. */
function memoryChanges({ trace, begin, end }: Iteration, experiment: Experiment): Change[] {
  const actors = memoryOperations(experiment);
  if (actors.size === 0) return [];
  const { kind, op } = trace.columns;
  const changes: Change[] = [];
  for (let row = begin; row < end; row += 1) {
    const actor = kind[row] === callCode ? actors.get(op[row] as number) : undefined;
    if (actor === undefined) continue;
    changes.push({ ...actor, timeNs: actor.sign === 1 ? rowEndNs(trace, row) : rowStart(trace, row) });
  }
  return changes.sort((a, b) => a.timeNs - b.timeNs || a.sign - b.sign);
}

const callCode = rowKinds.indexOf('host-call');

/** Returns what operations allocate and free, by their numbers. */
function memoryOperations(experiment: Experiment): Map<number, Omit<Change, 'timeNs'>> {
  const buffers = new Map(experiment.buffers.map((buffer) => [buffer.id, buffer]));
  const actors = new Map<number, Omit<Change, 'timeNs'>>();
  let number = 0;
  const visit = (operation: Operation): void => {
    const buffer = buffers.get(bufferOf(operation) ?? '');
    if (buffer !== undefined) actors.set(number, { buffer, sign: operation.op === 'free' ? -1 : 1 });
    number += 1;
  };
  for (const { operations } of experiment.threads) eachOperation(operations, visit);
  return actors;
}

function bufferOf(operation: Operation): string | null {
  if (operation.op === 'allocate' || operation.op === 'free') return operation.buffer;
  return operation.op === 'pin' ? operation.dst : null;
}

function memorySteps(held: number, changes: readonly Change[]): CounterSteps {
  const [times, values] = [[0], [held]];
  const live = new Set<BufferDeclaration>();
  let bytes = held;
  for (const { timeNs, buffer, sign } of changes) {
    // A buffer that is allocated again was freed in between, as the result of pin_memory() is.
    if (live.has(buffer) === (sign === 1)) continue;
    if (sign === 1) live.add(buffer);
    else live.delete(buffer);
    bytes += sign * bufferBytes(buffer);
    if (times.at(-1) !== timeNs) times.push(timeNs);
    values[times.length - 1] = bytes;
  }
  return { times: Float64Array.from(times), values: Float64Array.from(values) };
}
