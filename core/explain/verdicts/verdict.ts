/** Data of a verdict. The other files of this folder find verdicts. */
import type { RuleId } from '../../rules/rules.ts';
import type { RowIndex } from '../../trace/trace.ts';

/** Why a copy did or didn't overlap a kernel, or a kernel had to wait. Summaries contain these names: keep them. */
export const causes = [
  /** Nothing orders it and something that uses its data, so the data may be wrong. */
  'race',
  /** It brings data again that nothing changed. */
  'copied-again',
  /** It passes host memory on its way from device to device. */
  'through-host',
  /** It overlapped a kernel. */
  'overlapped',
  /** The driver stages pageable data, and the call holds the host. Pinning saves more than overlap. */
  'pageable-source',
  'pageable-destination',
  /** Both are in one stream. */
  'same-stream',
  /** The legacy default stream orders their two streams. */
  'legacy-default-stream',
  /** An event wait orders their two streams. */
  'event-dependency',
  /** Launches of one graph wait for each other. */
  'graph-launches',
  /** A cudaMemcpy between two devices runs alone on both. */
  'peer-copy-alone',
  /** Another copy in the same direction used the engine. */
  'engine-busy',
  /** The copy waited behind one of another stream in the idle engine's queue. */
  'copy-queues',
  /** The copy waited for a kernel's traffic to mapped memory. */
  'mapped-memory',
  /** The second waited for other work in its stream, or by an event or the legacy default stream. */
  'queued-behind',
  /** The second was issued when the first was nearly over. `hostCall` names what held the host. */
  'issued-too-late',
  /** CUDA_LAUNCH_BLOCKING makes each call wait for its work. */
  'launch-blocking',
  /** A call held the host, since the launch queue was full. */
  'launch-queue-full',
  /** An allocation or free held the host, since it waits for the device. */
  'allocation-synchronises',
  /** The host waited in the copy's call for earlier work, or after the copy for kernels. */
  'waits-for-earlier-work',
  /** Their calls take longer than the copies. */
  'many-small-copies',
  /** The host waits for each of many copies, so that the engine is idle between them. */
  'wait-after-each-copy',
  /** Memory is allocated and freed repeatedly, in calls that hold the host. */
  'allocated-again',
  /** The same graph is captured and instantiated repeatedly, in calls that hold the host. */
  'captured-again',
  /** Other work filled the multiprocessors. */
  'multiprocessors-full',
  /** The first ended before the host could issue the next operation. */
  'too-small',
  /** The run has no kernel. */
  'nothing-to-overlap',
  /** The copy ran where kernels run, not on a copy engine. */
  'not-a-copy-engine-copy',
  /** The recording doesn't say why the copy didn't overlap. */
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
  /** Null if the trace doesn't come from an experiment. */
  readonly id: string | null;
  readonly subject: VerdictSubject;
  /** Row that the words describe. Identifies the verdict in a trace without numbers. */
  readonly row: RowIndex;
  /** Empty for a copy within host memory. */
  readonly device: string;
  readonly label: string;
  /** Line that issued it, such as 'train.py:44 in step'; null if the trace has no stack for it. */
  readonly line: string | null;
  readonly cause: Cause;
  /** Causes that would remain without `cause`. */
  readonly also: readonly Cause[];
  /** Null only if the cause is 'unexplained'. */
  readonly rule: RuleId | null;
  /** Kernel that it overlapped or could have; a copy in the other direction if there is none. For a kernel, the work in its way. */
  readonly with: number | null;
  readonly withLabel: string | null;
  /** Third operation that caused the wait; null if there is none. */
  readonly blockedBy: number | null;
  /** Call or host work that held the host; null if that is not the cause. */
  readonly hostCall: string | null;
  /** Whether one writes a buffer of the other; null if the trace doesn't say. */
  readonly needsData: boolean | null;
  /** Time of the copy (or kernel) in all occurrences. */
  readonly copyNs: number;
  /** Tested gain of removing the cause; if untested, the time in which copy or held host had no kernel. 0 for a kernel. */
  readonly costNs: number;
  /** Operation whose verdict counts this gain, by the same changes: sums leave it out here. Null if there is none. */
  readonly sameGainAs: number | null;
  /** copyNs with pinned memory; null if pinning changes nothing. */
  readonly pinnedNs: number | null;
  /** Part of copyNs with a kernel (another one). */
  readonly overlapNs: number;
  /** Overlap with the kernel `with`, divided by the shorter of the two. */
  readonly share: number;
  /** overlapNs divided by copyNs. */
  readonly shareOfCopy: number;
  /** Times that the copy ran in the iteration, and overlapped. */
  readonly occurrences: number;
  readonly overlappedOccurrences: number;
  readonly evidence: readonly Evidence[];
  readonly title: string;
  /** Sentences with figures of this run. */
  readonly explanation: string;
  /** Null if no change is needed. */
  readonly remedy: string | null;
}
