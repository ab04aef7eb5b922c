/**
 * Counters that the timeline draws:
 *
 *   queue depth of a stream  = operations whose host call has returned and that are not complete: +1 at the call's end,
 *                              -1 at the operation's end (a mark's end is its time)
 *   memory of a place        = bytes in use (memory.ts)
 *   reserved by an allocator = bytes that it holds from the system, used or not, as the engine noted them
 *
 * Work without a recorded call counts in no queue, nor does work that completed before its call returned, as after a
 * blocking copy. queue.ts counts work that had not begun instead.
 */
import { lowerUnverified } from '../../program/lower.ts';
import type { Program } from '../../program/program.ts';
import { type CounterData, type CounterSteps, counterData } from '../../trace/counter.ts';
import { type Iteration, iterationOf } from '../../trace/iteration.ts';
import type { Run } from '../../trace/run.ts';
import { hostCalls } from './hostCalls.ts';
import { memorySeries } from './memory.ts';

export interface QueueCounter {
  readonly kind: 'queue';
  /** Index of the stream's lane. */
  readonly lane: number;
  readonly data: CounterData;
}

export interface MemoryCounter {
  readonly kind: 'memory';
  readonly id: string;
  /** Id of the device; empty for the host. */
  readonly device: string;
  readonly name: string;
  readonly data: CounterData;
}

export type LaneCounter = QueueCounter | MemoryCounter;

/** Returns the counters of one iteration: queues in the order of lanes, then memory. */
export function laneCounters(run: Run, number: number): LaneCounter[] {
  const iteration = iterationOf(run.trace, number);
  return [...queueCounters(iteration), ...memoryCounters(run, iteration)];
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
    const depths = queueSteps(ascending(starts), ascending(complete[own] as Float64Array));
    return [{ kind: 'queue', lane: own, data: counterData(depths) }];
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

function memoryCounters({ info }: Run, iteration: Iteration): MemoryCounter[] {
  const changing = memorySeries(iteration, programOf(info)).filter(({ timeNs }) => timeNs.length > 1);
  const series = changing.map(({ device, memory, timeNs, bytes }): MemoryCounter => {
    const name = `${device || memory} memory`;
    return { kind: 'memory', id: `memory:${device || memory}`, device, name, data: steps(timeNs, bytes) };
  });
  const held = (info.memory ?? []).flatMap(({ allocator, device, reservedSteps }): MemoryCounter[] => {
    const own = reservedSteps.filter((step) => step.iteration === iteration.number).sort((a, b) => a.timeNs - b.timeNs);
    if (own.length === 0) return [];
    const [timeNs, bytes] = [own.map((step) => step.timeNs), own.map((step) => step.bytes)];
    const name = `${device === '' ? 'Host' : device} reserved, ${allocator}`;
    return [{ kind: 'memory', id: `reserved:${allocator}:${device}`, device, name, data: steps(timeNs, bytes) }];
  });
  return [...series, ...held];
}

/** Returns null for an imported trace, and for an experiment whose references are wrong. */
function programOf({ experiment }: Run['info']): Program | null {
  try {
    return experiment === null ? null : lowerUnverified(experiment);
  } catch {
    return null;
  }
}

/** Joins changes at one time. */
function steps(timeNs: ArrayLike<number>, bytes: ArrayLike<number>): CounterData {
  const [times, values]: [number[], number[]] = [[], []];
  for (let at = 0; at < timeNs.length; at += 1) {
    if (times.at(-1) !== timeNs[at]) times.push(timeNs[at] as number);
    values[times.length - 1] = bytes[at] as number;
  }
  return counterData({ times: Float64Array.from(times), values: Float64Array.from(values) });
}
