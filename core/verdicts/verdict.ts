/** What a verdict says. How one is reached stands in the other files of this folder. */
import type { RuleId } from '../rules/rules.ts';
import type { RowIndex } from '../trace/trace.ts';

/** Why a copy did, or did not, run at the same time as a kernel, or why a kernel had to wait. Written to summaries, so names are stable. */
export const causes = [
  /** It overlapped a kernel (see overlapThreshold). */
  'overlapped',
  /** Pinned memory saves more of the makespan than overlap would: the driver stages pageable data, and the call holds the host. */
  'pageable-source',
  'pageable-destination',
  /** Both are in one stream. */
  'same-stream',
  /** The legacy default stream orders their two streams. */
  'legacy-default-stream',
  /** An event wait orders their two streams. */
  'event-dependency',
  /** The two are of launches of one graph, which wait for each other. */
  'graph-launches',
  /** One of the two is a cudaMemcpy between two devices, beside which nothing runs on either, or such a one stands between. */
  'peer-copy-alone',
  /** The copy waited for its engine, which another copy of the same direction was using. */
  'engine-busy',
  /** The copy stood behind one of another stream in a queue of its engine, which was idle meanwhile. */
  'copy-queues',
  /** The copy waited, its engine idle, for what a kernel on mapped memory had asked of host memory. */
  'mapped-memory',
  /** The one that ran second waited for other work: of its own stream, or by an event or the legacy default stream. */
  'queued-behind',
  /** The second was issued when the first was over or nearly so: hostCall says what the host was held in. */
  'issued-too-late',
  /** CUDA_LAUNCH_BLOCKING: each call that puts work into a stream returns when that work has completed. */
  'launch-blocking',
  /** The host was held in a call for whose work the queue had no room. */
  'launch-queue-full',
  /** The host was held in an allocation or a free that waits for the device. */
  'allocation-synchronises',
  /** The second waited for multiprocessors, which other work filled. */
  'multiprocessors-full',
  /** Over sooner than the host can issue the next operation: bound by latency. */
  'too-small',
  /** No kernel in the run. */
  'nothing-to-overlap',
  /** It ran where kernels run, not on a copy engine. */
  'not-a-copy-engine-copy',
  /** Not overlapped, and what was recorded doesn't say why. */
  'unexplained',
] as const;
export type Cause = (typeof causes)[number];

export type EvidenceRole = 'copy' | 'copy-call' | 'kernel' | 'kernel-call' | 'holding-call' | 'blocking-operation';

/** A row that the verdict rests on: times are nanoseconds from the start of the representative iteration. */
export interface Evidence {
  readonly role: EvidenceRole;
  /** Operation number; -1 where the trace doesn't come from an experiment. */
  readonly op: number;
  /** The row's name, as 'cudaMemcpyAsync'. */
  readonly name: string;
  /** Lane id, as 'stream:side'. */
  readonly lane: string;
  readonly startNs: number;
  readonly endNs: number;
}

/** What a verdict is about. */
export type VerdictSubject = 'copy' | 'kernel';

/**
 * One for each copy operation, over all its occurrences in the representative iteration, the costliest first; then one for each kernel that
 * waited for the multiprocessors while nothing else kept it from running.
 */
export interface Verdict {
  readonly op: number;
  /** The operation's id in the document; null where the trace doesn't come from an experiment. */
  readonly id: string | null;
  readonly subject: VerdictSubject;
  /** The row of the occurrence that it is told of: what stands for it where no operation has a number. */
  readonly row: RowIndex;
  /** Id of the device that it ran on; empty of a copy within host memory. */
  readonly device: string;
  readonly label: string;
  /** The program's own line that issued it, as 'train.py:44 in step'; null where the trace has no stack of it. */
  readonly line: string | null;
  readonly cause: Cause;
  /** Causes that would still prevent the overlap if `cause` were removed. */
  readonly also: readonly Cause[];
  /** The rule it rests on; null only where the cause is 'unexplained'. */
  readonly rule: RuleId | null;
  /** The kernel it overlapped, or could have: the nearest one, or one that doesn't need its data. Of a kernel the work that filled the device. Null without any. */
  readonly with: number | null;
  readonly withLabel: string | null;
  /** The operation that stood in the way, where it is neither of the two; null otherwise. */
  readonly blockedBy: number | null;
  /** CUDA call or host work that held the host, where that is the cause; null otherwise. */
  readonly hostCall: string | null;
  /** The two touch the same buffer, so one needs the other's data; null where the trace doesn't tell. */
  readonly needsData: boolean | null;
  /** Time that the copy (or the kernel that it is about) took, over all its occurrences. */
  readonly copyNs: number;
  /** Time in which it ran, or its call held the host, while no kernel ran on its device, over all its occurrences. 0 of a kernel. */
  readonly costNs: number;
  /** How long all its occurrences would take with pinned memory; null where that changes nothing. */
  readonly pinnedNs: number | null;
  /** The part of copyNs during which a kernel (another one) ran too. */
  readonly overlapNs: number;
  /** Time in common with the kernel `with`, over the shorter of the two: what overlapThreshold is compared with. */
  readonly share: number;
  /** overlapNs over copyNs. */
  readonly shareOfCopy: number;
  /** How often the copy ran in the representative iteration, and how often it overlapped. */
  readonly occurrences: number;
  readonly overlappedOccurrences: number;
  readonly evidence: readonly Evidence[];
  /** A few words. */
  readonly title: string;
  /** Plain sentences with the figures of this run. */
  readonly explanation: string;
  /** What to change; null where nothing needs to be. */
  readonly remedy: string | null;
}
