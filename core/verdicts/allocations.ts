/**
 * Finds memory that a program allocates and frees again and again through CUDA itself, which takes time in every round and
 * may wait for the device. Rules (core/rules): pin-memory-blocks, allocation-waits.
 */
import { groupBy } from '../groupBy.ts';
import { coveredLength } from '../trace/intervals.ts';
import { type Activity, activity, makespan, rowsOfKind } from '../trace/iteration.ts';
import { formatBytes, formatDuration } from '../units.ts';
import { durationOf, noKernels, type Scene } from './scene.ts';
import type { Verdict } from './verdict.ts';

const isAllocation = /^cuda(Malloc|Free|HostAlloc|MallocHost|FreeHost|HostRegister|HostUnregister)$/;

/** Less of the makespan than this isn't worth a verdict. */
const leastPart = 0.02;

/** Calls that are listed as evidence: an allocation and its free. */
const mostEvidence = 2;

/** Returns a verdict for each buffer that is allocated more than once. Needs the experiment. */
export function repeatedAllocations(scene: Scene): Verdict[] {
  const { iteration, facts } = scene;
  if (facts.program === null) return [];
  const calls = rowsOfKind(iteration, 'host-call')
    .map((row) => activity(iteration.trace, row))
    .filter(({ name, op }) => isAllocation.test(name) && bufferOf(scene, op) !== null);
  const leastNs = leastPart * (makespan(iteration) ?? 0);
  return [...groupBy(calls, ({ op }) => bufferOf(scene, op)).values()].flatMap((own) => {
    const [first] = own.filter(({ op }) => facts.operation(op)?.op !== 'free');
    const spentNs = own.reduce((sum, call) => sum + durationOf(call), 0);
    const allocations = own.filter(({ op }) => facts.operation(op)?.op !== 'free').length;
    return first === undefined || allocations < 2 || spentNs < leastNs ? [] : verdictOf(scene, first, own, allocations);
  });
}

const bufferOf = ({ facts }: Scene, op: number): string | null => {
  const operation = facts.operation(op);
  return operation?.op === 'allocate' || operation?.op === 'free' ? operation.buffer : null;
};

function verdictOf(scene: Scene, first: Activity, calls: readonly Activity[], count: number): Verdict {
  const spentNs = calls.reduce((sum, call) => sum + durationOf(call), 0);
  const busy = [...scene.kernels.values()][0] ?? noKernels;
  const hiddenNs = calls.reduce((sum, call) => sum + coveredLength(busy.busy, call.startNs, call.endNs), 0);
  const isHost = /Host/.test(first.name);
  const names = [...new Set(calls.map(({ name }) => name))].join(' and ');
  const bytes = formatBytes(first.bytes);
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
    explanation: `"${bufferOf(scene, first.op)}"${first.bytes > 0 ? ` (${bytes})` : ''} is allocated ${count} times. ${names} held the host for ${formatDuration(spentNs)} in all.`,
    remedy: 'Allocate it once, before the loop, and use it again; or take it from a caching allocator.',
  };
}
