/** Data of a verdict. The other files of this folder find verdicts. */
import type { RuleId } from '../../rules/rules.ts';
import type { RowIndex } from '../../trace/trace.ts';

/** Why a copy did or didn't overlap a kernel, or a kernel had to wait. Summaries contain these names: keep them. */
export const causes = [
  /** It overlapped a kernel (see overlapThreshold). */
  'overlapped',
  /** Pinned memory would save more than overlap: the driver stages pageable data, and the call holds the host. */
  'pageable-source',
  'pageable-destination',
  /** Both are in one stream. */
  'same-stream',
  /** The legacy default stream orders their two streams. */
  'legacy-default-stream',
  /** An event wait orders their two streams. */
  'event-dependency',
  /** They belong to launches of one graph, which wait for each other. */
  'graph-launches',
  /** One is a cudaMemcpy between two devices, which runs alone on both, or such a copy runs between them. */
  'peer-copy-alone',
  /** The copy waited for its engine, which another copy in the same direction was using. */
  'engine-busy',
  /** The engine was idle, but the copy waited behind one of another stream in the engine's queue. */
  'copy-queues',
  /** The engine was idle, but the copy waited for host memory traffic of a kernel on mapped memory. */
  'mapped-memory',
  /** The second waited for other work: of its own stream, or ordered by an event or the legacy default stream. */
  'queued-behind',
  /** The second was issued when the first was over or nearly so. `hostCall` names what held the host. */
  'issued-too-late',
  /** With CUDA_LAUNCH_BLOCKING, each call that puts work into a stream returns when that work has completed. */
  'launch-blocking',
  /** A call held the host because the launch queue had no room for its work. */
  'launch-queue-full',
  /** An allocation or a free held the host, because it waits for the device. */
  'allocation-synchronises',
  /** The host waited in the copy's call for earlier work of the device, while its own later work could have run. */
  'waits-for-earlier-work',
  /** The copies are so small that the calls that issue them take longer than the copies. */
  'many-small-copies',
  /** The host waits for each of many copies before it issues the next, so that the engine is idle between them. */
  'wait-after-each-copy',
  /** Memory is allocated and freed again and again, in calls that hold the host. */
  'allocated-again',
  /** The second waited for multiprocessors, which other work filled. */
  'multiprocessors-full',
  /** The first was over sooner than the host can issue the next operation: bound by latency. */
  'too-small',
  /** The run has no kernel. */
  'nothing-to-overlap',
  /** The copy ran where kernels run, not on a copy engine. */
  'not-a-copy-engine-copy',
  /** The copy didn't overlap, and the recording doesn't say why. */
  'unexplained',
] as const;
export type Cause = (typeof causes)[number];

export type EvidenceRole = 'copy' | 'copy-call' | 'kernel' | 'kernel-call' | 'holding-call' | 'blocking-operation';

/** Row that supports the verdict. Times are nanoseconds from the start of the representative iteration. */
export interface Evidence {
  readonly role: EvidenceRole;
  /** Operation number; -1 if the trace doesn't come from an experiment. */
  readonly op: number;
  /** Name of the row, for example 'cudaMemcpyAsync'. */
  readonly name: string;
  /** Lane id, for example 'stream:side'. */
  readonly lane: string;
  readonly startNs: number;
  readonly endNs: number;
}

export type VerdictSubject = 'copy' | 'kernel' | 'host-call';

/**
 * Verdict on a copy operation, over all its occurrences in the representative iteration, on calls that allocate memory
 * again and again, or on a kernel that waited only for multiprocessors. Kernels come last, the costliest at the top.
 */
export interface Verdict {
  readonly op: number;
  /** Id of the operation in the document; null if the trace doesn't come from an experiment. */
  readonly id: string | null;
  readonly subject: VerdictSubject;
  /** Row of the occurrence that the words describe. Identifies the verdict if operations have no numbers. */
  readonly row: RowIndex;
  /** Id of the device that it ran on; empty for a copy within host memory. */
  readonly device: string;
  readonly label: string;
  /** Line of the program that issued it, for example 'train.py:44 in step'; null if the trace has no stack for it. */
  readonly line: string | null;
  readonly cause: Cause;
  /** Causes that would still prevent the overlap if `cause` were removed. */
  readonly also: readonly Cause[];
  /** Rule behind the cause; null only if the cause is 'unexplained'. */
  readonly rule: RuleId | null;
  /** Kernel that it overlapped or could have, preferably one without its data. For a kernel, the work in its way. */
  readonly with: number | null;
  readonly withLabel: string | null;
  /** Operation that caused the wait, if it is neither of the two; otherwise null. */
  readonly blockedBy: number | null;
  /** CUDA call or host work that held the host, if that is the cause; otherwise null. */
  readonly hostCall: string | null;
  /** Whether the two share a buffer that one of them writes; null if the trace doesn't say. */
  readonly needsData: boolean | null;
  /** Total time of the copy (or kernel), over all occurrences. */
  readonly copyNs: number;
  /**
   * Time that removing the cause gains, in a run's summary if that was tested. Otherwise the time in which the copy ran or
   * its call held the host without a kernel on its device. 0 for a kernel.
   */
  readonly costNs: number;
  /** Total time of all occurrences with pinned memory; null if pinning changes nothing. */
  readonly pinnedNs: number | null;
  /** Part of copyNs during which a kernel (another one) ran too. */
  readonly overlapNs: number;
  /** Overlap with the kernel `with`, divided by the shorter of the two: compared with overlapThreshold. */
  readonly share: number;
  /** overlapNs divided by copyNs. */
  readonly shareOfCopy: number;
  /** Number of times that the copy ran in the representative iteration, and that it overlapped. */
  readonly occurrences: number;
  readonly overlappedOccurrences: number;
  readonly evidence: readonly Evidence[];
  /** A few words. */
  readonly title: string;
  /** Plain sentences with the figures of this run. */
  readonly explanation: string;
  /** Suggested change; null if no change is needed. */
  readonly remedy: string | null;
}
