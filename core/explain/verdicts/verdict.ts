/** Data of a verdict. The other files of this folder find verdicts. */
import type { RuleId } from '../../rules/rules.ts';
import type { Activity } from '../../trace/iteration.ts';
import type { RowIndex } from '../../trace/trace.ts';

/** Why a copy did or didn't overlap a kernel, or a kernel had to wait. Summaries contain these names: keep them. */
export const causes = [
  /** Nothing orders it and a user of its data. */
  'race',
  /** Nothing changed the data since the last copy. */
  'copied-again',
  /** Data goes from device to device through the host. */
  'through-host',
  'overlapped',
  /** The driver stages pageable data, and the call blocks the host. */
  'pageable-source',
  /** The driver stages pageable data, and the call blocks the host. */
  'pageable-destination',
  'same-stream',
  'legacy-default-stream',
  'event-dependency',
  'graph-launches',
  /** A cudaMemcpy between devices runs alone. */
  'peer-copy-alone',
  /** Another copy used the engine. */
  'engine-busy',
  /** Another stream's copy was ahead in the idle engine's queue. */
  'copy-queues',
  /** It waited for a kernel's traffic to mapped memory; or kernels read that again. */
  'mapped-memory',
  /** It waited for pages of managed memory. */
  'managed-pages',
  /** Other work came first: in its stream, or by an event or the legacy default stream. */
  'queued-behind',
  /** The second was issued when the first was nearly over. `hostCall` blocked the host. */
  'issued-too-late',
  'launch-blocking',
  'launch-queue-full',
  /** An allocation or free blocked the host. */
  'allocation-synchronises',
  /** The host waited in its call for earlier work, or after it for kernels. */
  'waits-for-earlier-work',
  /** Their calls take longer than the copies. */
  'many-small-copies',
  /** The host waits for each of many copies. */
  'wait-after-each-copy',
  /** Repeated allocations and frees block the host. */
  'allocated-again',
  /** Repeated captures of a graph block the host. */
  'captured-again',
  /** PyTorch's own time. */
  'frontend-calls',
  'multiprocessors-full',
  /** The first ended before the host could issue the next. */
  'too-small',
  'nothing-to-overlap',
  /** It ran where kernels run. */
  'not-a-copy-engine-copy',
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

export function evidenceRows(rows: readonly (readonly [EvidenceRole, Activity | null])[]): Evidence[] {
  return rows.flatMap(([role, row]) =>
    row === null
      ? []
      : [{ role, op: row.op, name: row.name, lane: row.laneId, startNs: row.startNs, endNs: row.endNs }],
  );
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
  /** Identifies the verdict in a trace. */
  readonly row: RowIndex;
  /** Empty for a copy within host memory. */
  readonly device: string;
  readonly label: string;
  /** Such as 'train.py:44 in step'; null if the trace has no stack for it. */
  readonly line: string | null;
  readonly cause: Cause;
  /** Other causes. */
  readonly also: readonly Cause[];
  /** Null only if the cause is 'unexplained'. */
  readonly rule: RuleId | null;
  /** Kernel (or copy in the other direction) that it overlapped or could have; for a kernel, the work in its way. */
  readonly with: number | null;
  readonly withLabel: string | null;
  /** Null if there is none. */
  readonly blockedBy: number | null;
  /** Call or work that blocked the host; null if that is not the cause. */
  readonly hostCall: string | null;
  /** Whether one writes a buffer of the other; null if the trace doesn't say. */
  readonly needsData: boolean | null;
  /** In all occurrences. */
  readonly copyNs: number;
  /** Tested gain; if untested, the time of copy or blocked host without a kernel. 0 for a kernel. */
  readonly costNs: number;
  /** Operation whose verdict counts this gain. Null if there is none. */
  readonly sameGainAs: number | null;
  /** With pinned memory; null if pinning changes nothing. */
  readonly pinnedNs: number | null;
  /** Part with a kernel. */
  readonly overlapNs: number;
  /** Overlap with `with`, divided by the shorter. */
  readonly share: number;
  /** overlapNs divided by copyNs. */
  readonly shareOfCopy: number;
  /** Executions. */
  readonly occurrences: number;
  readonly overlappedOccurrences: number;
  readonly evidence: readonly Evidence[];
  readonly title: string;
  readonly explanation: string;
  /** Null if no change is needed. */
  readonly remedy: string | null;
}
