/**
 * Finds calls that block the host, whatever copies there are: memory that a program allocates and frees again and again
 * through CUDA itself, which takes time in every round and may wait for the device, a single free that waits, data that
 * pin_memory() copies in every round, graphs that are captured in every round, and launches into a full queue. Also finds
 * kernels that read mapped memory again. Rules (core/rules): pin-memory-blocks, allocation-waits, graph-runs-when-launched,
 * launch-queue, mapped-memory.
 */
import { groupBy } from '../../groupBy.ts';
import { frontendName } from '../../program/frontend.ts';
import { coveredLength } from '../../trace/intervals.ts';
import { type Activity, activity, makespan, rowKind, rowStart, rowsOfKind } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { formatBytes, formatDuration } from '../../units.ts';
import { rowUnion } from '../figures/overlap.ts';
import { isReadAgain } from './facts.ts';
import { mostStartNs } from './late.ts';
import { durationOf, noKernels, type Scene } from './scene.ts';
import type { Verdict } from './verdict.ts';

const isAllocation = /^cuda(Malloc|Free|HostAlloc|MallocHost|FreeHost|HostRegister|HostUnregister)$/;
/** Calls of pools, which map memory anew after each synchronise if they keep none. */
const isPoolCall = /^cuda(Malloc|Free)Async$/;

/** Less of the makespan than this isn't worth a verdict. */
const leastPart = 0.02;

/** Fewer calls of PyTorch aren't worth joining. */
const fewestJoined = 16;

/** Calls that are listed as evidence: an allocation and its free. */
const mostEvidence = 2;

/**
 * Returns a verdict for buffers of one kind and size that are allocated or pinned again, or whose free waits, and for each
 * stream whose full queue makes other work late. Needs the experiment.
 */
export function heldCalls(scene: Scene): Verdict[] {
  const { iteration, facts } = scene;
  if (facts.program === null) return [];
  const mapsAnew = facts.program.poolReleaseThreshold === 0;
  const calls = rowsOfKind(iteration, 'host-call')
    .map((row) => activity(iteration.trace, row))
    .filter(({ name }) => isAllocation.test(name) || (mapsAnew && isPoolCall.test(name)))
    .filter(({ op }) => bufferOf(scene, op) !== null);
  const leastNs = leastPart * (makespan(iteration) ?? 0);
  const { buffers } = facts.program;
  const kinds = new Map(buffers.map(({ id, memory, device, bytes }) => [id, `${memory} ${device} ${bytes}`]));
  const allocated = [...groupBy(calls, ({ op }) => kinds.get(bufferOf(scene, op) ?? '')).values()].flatMap((own) => {
    const [first] = own.filter(({ op }) => facts.operation(op)?.op !== 'free');
    const spentNs = own.reduce((sum, call) => sum + durationOf(call), 0);
    const allocations = own.filter(({ op }) => facts.operation(op)?.op !== 'free').length;
    const freed = own.find(({ op }) => facts.operation(op)?.op === 'free');
    const isAgain =
      freed !== undefined &&
      own.some(({ op, startNs }) => startNs > freed.startNs && facts.operation(op)?.op !== 'free');
    if (first !== undefined && isAgain && spentNs >= leastNs) return verdictOf(scene, first, own, allocations);
    const free = own.find((call) => facts.operation(call.op)?.op === 'free' && waitsBeforeWork(scene, call, leastNs));
    return free === undefined ? [] : waitingFree(scene, free);
  });
  return [
    ...allocated,
    ...repeatedPins(scene, leastNs),
    ...repeatedCaptures(scene, leastNs),
    ...fullQueues(scene, leastNs),
    ...frontendCalls(scene, leastNs),
  ];
}

/** Returns a verdict on the thread with most calls into PyTorch, if the device waited for PyTorch itself. */
function frontendCalls(scene: Scene, leastNs: number): Verdict[] {
  const { iteration, facts, calls } = scene;
  if (facts.program?.frontend !== 'pytorch') return [];
  const { trace } = iteration;
  const { lane, name } = trace.columns;
  const isOwn = (row: RowIndex): boolean => trace.names[name[row] ?? -1] === frontendName;
  const onLanes = groupBy(rowsOfKind(iteration, 'host-call', 'host-sync'), (row) => lane[row]);
  const ownOf = (rows: readonly RowIndex[]): readonly RowIndex[] => rows.filter(isOwn);
  const [rows = []] = [...onLanes.values()].sort((a, b) => ownOf(b).length - ownOf(a).length);
  const own = ownOf(rows).map((row) => activity(trace, row));
  const [first] = own;
  if (first === undefined || own.length < fewestJoined) return [];
  const busy = rowUnion(iteration, rowsOfKind(iteration, 'kernel', 'memset', 'copy'));
  // Elsewhere the host is ahead of the device.
  const isWaitedFor = (row: RowIndex, place: number): boolean => {
    const next = rows[place + 1] ?? -1;
    const work = calls.activityOf(next);
    if (work !== undefined) return rowStart(trace, work) - rowEndNs(trace, next) <= mostStartNs;
    return coveredLength(busy, rowEndNs(trace, row), rowEndNs(trace, row) + 1) === 0;
  };
  const waited = rows.filter((row, place) => isOwn(row) && isWaitedFor(row, place));
  const costNs = waited.reduce((sum, row) => sum + durationOf(activity(trace, row)), 0);
  if (costNs < leastNs) return [];
  const verdict = verdictOf(scene, first, own, own.length);
  return [
    {
      ...verdict,
      cause: 'frontend-calls',
      rule: 'launch-cost',
      costNs,
      title: "PyTorch's own time",
      explanation: `PyTorch itself took ${formatDuration(verdict.copyNs)} in ${own.length} calls of host thread "${trace.lanes[first.lane]?.name}", besides the CUDA calls in them.`,
      remedy:
        'Make fewer calls: a multi-tensor copy for many tensors, torch._foreach functions for many small kernels, or a graph that replays them.',
    },
  ];
}

/** Returns a verdict for each stream whose full queue blocked a thread that had host work or work of other streams to do. */
function fullQueues(scene: Scene, leastNs: number): Verdict[] {
  const { iteration, queues, calls } = scene;
  const { trace } = iteration;
  if (!queues.mayFill) return [];
  const laneOf = (row: RowIndex | undefined): number => (row === undefined ? -1 : (trace.columns.lane[row] ?? -1));
  const held = rowsOfKind(iteration, 'host-call').filter((row) => queues.wasFull(row));
  const groups = groupBy(held, (row) => `${laneOf(row)} ${laneOf(calls.activityOf(row))}`);
  return [...groups.values()].flatMap((rows) => {
    const own = rows.map((row) => activity(trace, row));
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return [];
    const stream = laneOf(calls.activityOf(first.row));
    const isLate = (row: RowIndex): boolean =>
      laneOf(row) === first.lane &&
      rowStart(trace, row) >= last.endNs &&
      (rowKind(trace, row) !== 'host-call' || ![-1, stream].includes(laneOf(calls.activityOf(row))));
    const late = rowsOfKind(iteration, 'host-call', 'host-work', 'host-read', 'host-write').filter(isLate);
    const verdict = verdictOf(scene, first, own, own.length);
    const lateNs = late.reduce((sum, row) => {
      const issued = calls.activityOf(row);
      return sum + durationOf(activity(trace, row)) + (issued === undefined ? 0 : durationOf(activity(trace, issued)));
    }, 0);
    const costNs = Math.min(verdict.copyNs, lateNs);
    if (costNs < leastNs) return [];
    const name = trace.lanes[stream]?.name ?? '';
    return {
      ...verdict,
      cause: 'launch-queue-full',
      rule: 'launch-queue',
      costNs,
      title: 'Launch queue full',
      explanation: `The queue of stream "${name}" was full, and blocked the host in ${own.length} calls for ${formatDuration(verdict.copyNs)} in all. Host work and work of other streams after them came late.`,
      remedy:
        'Launch them from a host thread of their own, do that work before, or launch less: many small kernels can be one graph.',
    };
  });
}

/** Returns a verdict for each buffer that a thread pins again and again before it copies. Other threads may pin ahead. */
function repeatedPins(scene: Scene, leastNs: number): Verdict[] {
  const { iteration, facts } = scene;
  const pins = rowsOfKind(iteration, 'host-work')
    .map((row) => activity(iteration.trace, row))
    .filter(({ op }) => facts.operation(op)?.op === 'pin');
  const issuing = pins.length > 1 ? new Set(scene.copies.map((copy) => scene.callOf(copy)?.lane)) : new Set();
  return [...groupBy(pins, ({ op, lane }) => `${lane} ${sourceOf(scene, op)}`).values()].flatMap((own) => {
    const [first] = own;
    if (first === undefined || own.length < 2 || !issuing.has(first.lane)) return [];
    const verdict = verdictOf(scene, first, own, own.length);
    if (verdict.costNs < leastNs) return [];
    return {
      ...verdict,
      rule: 'pin-memory-blocks',
      title: 'Pinned again and again',
      explanation: `"${sourceOf(scene, first.op)}" is pinned ${own.length} times. pin_memory() copied it into page-locked memory on the host, which took ${formatDuration(verdict.copyNs)} in all.`,
      remedy: 'Pin it once: make the data in page-locked memory, or receive it there, and copy that.',
    };
  });
}

/** Returns a verdict for each graph that is instantiated again and again. */
function repeatedCaptures(scene: Scene, leastNs: number): Verdict[] {
  const { iteration, facts } = scene;
  const graphOf = ({ op }: Activity): string => {
    const operation = facts.operation(op);
    return operation?.op === 'graphCapture' ? operation.graph : '';
  };
  const calls = rowsOfKind(iteration, 'host-call')
    .map((row) => activity(iteration.trace, row))
    .filter((call) => graphOf(call) !== '');
  return [...groupBy(calls, graphOf)].flatMap(([graph, own]) => {
    const instantiated = own.filter(({ name }) => name === 'cudaGraphInstantiate');
    const [first] = instantiated;
    if (first === undefined || instantiated.length < 2) return [];
    const verdict = verdictOf(scene, first, own, instantiated.length);
    if (verdict.costNs < leastNs) return [];
    return {
      ...verdict,
      cause: 'captured-again',
      rule: 'graph-runs-when-launched',
      title: 'Graph captured again and again',
      explanation: `"${graph}" is captured and instantiated ${instantiated.length} times, which blocked the host for ${formatDuration(verdict.copyNs)} in all. A graph can be launched as often as needed.`,
      remedy: 'Capture and instantiate it once, and launch that; update its parameters if they change.',
    };
  });
}

const sourceOf = ({ facts }: Scene, op: number): string => {
  const operation = facts.operation(op);
  return operation?.op === 'pin' ? operation.src : '';
};

/** Returns whether the call waited for kernels, and the host had work of its own to do after it. */
function waitsBeforeWork(scene: Scene, call: Activity, leastNs: number): boolean {
  if (hiddenIn(scene, [call]) < leastNs) return false;
  return rowsOfKind(scene.iteration, 'host-work', 'host-read', 'host-write')
    .map((row) => activity(scene.iteration.trace, row))
    .some(({ lane, startNs }) => lane === call.lane && startNs >= call.endNs);
}

function waitingFree(scene: Scene, call: Activity): Verdict {
  return {
    ...verdictOf(scene, call, [call], 1),
    cause: 'allocation-synchronises',
    rule: 'allocation-waits',
    title: `Host blocked by ${call.name}`,
    explanation: `${call.name} of "${bufferOf(scene, call.op)}" waited until the device was done, and blocked the host for ${formatDuration(durationOf(call))}. Host work after it was late by as much.`,
    remedy: 'Free the memory later, or take it from a pool or a caching allocator.',
  };
}

/** Returns the time of these calls in which kernels ran. */
function hiddenIn({ kernels }: Scene, calls: readonly Activity[]): number {
  const busy = [...kernels.values()][0] ?? noKernels;
  return calls.reduce((sum, call) => sum + coveredLength(busy.busy, call.startNs, call.endNs), 0);
}

const bufferOf = ({ facts }: Scene, op: number): string | null => {
  const operation = facts.operation(op);
  return operation?.op === 'allocate' || operation?.op === 'free' ? operation.buffer : null;
};

/** Returns a verdict for mapped memory that nothing writes, and that kernels of a device read over the link again and again. */
export function mappedAgain(scene: Scene): Verdict[] {
  const { iteration, facts } = scene;
  const leastNs = leastPart * (makespan(iteration) ?? 0);
  const sourceOf = ({ op }: Activity): string | null => facts.mapped(op)?.read ?? null;
  // A trace has millions of kernels, and no document that says what they read.
  if (facts.program === null) return [];
  const kernels = rowsOfKind(iteration, 'kernel').map((row) => activity(iteration.trace, row));
  return [...groupBy(kernels, (one) => `${one.device} ${sourceOf(one)}`).values()].flatMap((own) => {
    const [first] = own;
    const source = first === undefined ? null : sourceOf(first);
    if (first === undefined || source === null || !isReadAgain(facts, source)) return [];
    const verdict = verdictOf(scene, first, own, own.length);
    const costNs = verdict.copyNs - durationOf(first);
    if (costNs < leastNs) return [];
    return {
      ...verdict,
      subject: 'kernel',
      cause: 'mapped-memory',
      rule: 'mapped-memory',
      hostCall: null,
      costNs,
      overlapNs: 0,
      evidence: [
        {
          role: 'kernel',
          op: first.op,
          name: first.name,
          lane: first.laneId,
          startNs: first.startNs,
          endNs: first.endNs,
        },
      ],
      title: 'Mapped memory read again and again',
      explanation: `Kernels read "${source}" over the link ${own.length} times, for ${formatDuration(verdict.copyNs)} in all, and nothing writes it in between.`,
      remedy: 'Copy it to device memory once, and read it there.',
    };
  });
}

function verdictOf(scene: Scene, first: Activity, calls: readonly Activity[], count: number): Verdict {
  const spentNs = calls.reduce((sum, call) => sum + durationOf(call), 0);
  const hiddenNs = hiddenIn(scene, calls);
  const isHost = /Host/.test(first.name);
  const isPool = isPoolCall.test(first.name);
  const names = [...new Set(calls.map(({ name }) => name))].join(' and ');
  const bytes = formatBytes(first.bytes);
  const others = new Set(calls.map(({ op }) => bufferOf(scene, op))).size - 1;
  return {
    op: first.op,
    id: scene.facts.info(first.op)?.id ?? null,
    subject: 'host-call',
    row: first.row,
    device: first.device,
    label: scene.facts.label(first.op) ?? first.name,
    line: null,
    cause: 'allocated-again',
    also: [],
    rule: isHost ? 'pin-memory-blocks' : 'allocation-waits',
    with: null,
    withLabel: null,
    blockedBy: null,
    hostCall: first.name,
    needsData: null,
    copyNs: spentNs,
    costNs: Math.max(0, spentNs - hiddenNs),
    sameGainAs: null,
    pinnedNs: null,
    overlapNs: hiddenNs,
    share: 0,
    shareOfCopy: 0,
    occurrences: count,
    overlappedOccurrences: 0,
    evidence: calls.slice(0, mostEvidence).map(({ op, name, laneId: lane, startNs, endNs }) => {
      return { role: 'holding-call', op, name, lane, startNs, endNs };
    }),
    title: isHost ? 'Page-locked memory allocated again and again' : 'Device memory allocated again and again',
    explanation: `"${bufferOf(scene, first.op)}"${others === 0 ? '' : `, or one of ${others} like it,`}${first.bytes > 0 ? ` (${bytes})` : ''} is allocated ${count} times. ${names} blocked the host for ${formatDuration(spentNs)} in all.${isPool ? ' The release threshold of the pool is 0: each synchronise gives its free memory back to the system, and the next allocation maps it anew.' : ''}`,
    remedy: isPool
      ? 'Allocate it once, before the loop; or set environment.poolReleaseThreshold, so that the pool keeps it.'
      : 'Allocate it once, before the loop, and use it again; or take it from a caching allocator.',
  };
}
