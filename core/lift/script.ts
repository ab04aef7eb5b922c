/**
 * A recorded program as lists that changes can rewrite: for each step, the calls of its issuing thread in order, with
 * the host time in between. Times are nanoseconds.
 */
import type { CopyDirection, MemoryKind, RowIndex } from '../trace/trace.ts';
import type { StepPart } from './parts.ts';

/** Host time between calls. */
export interface WorkItem {
  readonly kind: 'work';
  readonly ns: number;
  /** Copy whose framework call spends it; -1 if there is none. */
  readonly copy: number;
  /** Events that a profiler recorded during it, at a cost: operators, CUDA calls without work, interpreter frames. */
  readonly recorded: Recorded;
  /**
   * Whether it is the program's own work, such as reading a file or assembling a batch: a long span without records, or
   * mostly with operators that issue no work.
   */
  readonly isOwn: boolean;
  /** Whether nothing was recorded in it, so that it may be a wait for another thread that works already. */
  readonly mayWait?: boolean;
  /** Whether it takes a batch from worker processes that the program has. */
  readonly hasWorkers?: boolean;
  /** Part it belongs to while the device is idle. */
  readonly part: HostPart;
  /** Activities in it, longest first; empty for short ones. */
  readonly ran: readonly Ran[];
}

export type HostPart = Extract<
  StepPart,
  'loading-data' | 'host-operators' | 'issuing' | 'allocation' | 'own-host-work'
>;

/** Innermost activity with one name in a span, such as an operator, a loader range or a Python function. */
export interface Ran {
  readonly name: string;
  readonly part: StepPart;
  readonly ns: number;
}

export interface Recorded {
  readonly operators: number;
  readonly calls: number;
  readonly frames: number;
}

export const nothingRan: readonly Ran[] = [];

export const nothingRecorded: Recorded = { operators: 0, calls: 0, frames: 0 };

/** A kernel, memset or copy within the device; or everything in one launch of a CUDA graph. */
export interface LaunchItem {
  readonly kind: 'launch';
  readonly name: string;
  readonly stream: string;
  readonly callNs: number;
  /** For a graph, from the begin of its first node to the end of its last. */
  readonly deviceNs: number;
  /** Whether it overlapped work of another stream. */
  readonly shares: boolean;
  /** Number of nodes of a graph that ran; otherwise 1. */
  readonly nodes: number;
  /** Copy whose framework call launches it to find what is copied, such as how many indices a mask has. */
  readonly copy?: number;
  /** Whether a change moved it from the host: which operators of a step take long enough to be seen differs. */
  readonly isMoved?: boolean;
}

export interface CopyItem {
  readonly kind: 'copy';
  /** Number of the copy in its step. */
  readonly id: number;
  /** Step that needs it. */
  readonly step: number;
  readonly direction: Extract<CopyDirection, 'h2d' | 'd2h'>;
  readonly host: MemoryKind;
  readonly bytes: number;
  readonly stream: string;
  readonly callNs: number;
  readonly deviceNs: number;
  /** Time of its call without the wait for earlier work of its stream: for pageable memory, the staging. */
  readonly heldNs: number;
  /** Time that a copy to the host waited for something other than its own stream, in any memory. */
  readonly lateNs?: number;
  /** Operator whose result it is, if the framework looks for it on the device, such as `aten::nonzero`. */
  readonly finds?: string;
  /** Source line that issued it; empty if the trace has no stacks. */
  readonly line: string;
  /** Address in host memory; 0 if the trace lacks it. */
  readonly hostAddress: number;
  /** Row in the trace; for a copy that a change joins from several, the last one's. */
  readonly row: RowIndex;
}

export interface RecordItem {
  readonly kind: 'record';
  readonly event: string;
  readonly stream: string;
  readonly callNs: number;
}

export interface WaitItem {
  readonly kind: 'wait';
  readonly event: string;
  readonly stream: string;
  readonly callNs: number;
}

/** The host waits for a stream, a whole device, or an event of an earlier step. */
export interface SyncItem {
  readonly kind: 'sync';
  readonly stream: string | null;
  /** Device of a wait for a whole device, as returned by deviceOf(). */
  readonly device?: string;
  readonly event?: string;
  readonly callNs: number;
  /** Copy whose framework call waits, as in Tensor.to; -1 if the program itself waits. */
  readonly copy: number;
  readonly line: string;
  /** Whether an operator of the framework waits, other than for a copy: no program can leave that out. */
  readonly isInside?: boolean;
  /** Whether a call that frees device memory waits: only a program that keeps its memory can leave that out. */
  readonly frees?: boolean;
}

/** Handover between two host threads. */
export interface SignalItem {
  readonly kind: 'signal' | 'await';
  readonly signal: string;
}

export type Item = WorkItem | LaunchItem | CopyItem | RecordItem | WaitItem | SyncItem | SignalItem | GraphItem;

/** Launches in a graph, issued by one call. */
export interface GraphItem {
  readonly kind: 'graph';
  readonly graph: string;
  readonly stream: string;
  readonly launches: readonly LaunchItem[];
}

export interface ScriptStep {
  readonly name: string;
  readonly items: readonly Item[];
}

export interface Script {
  readonly name: string;
  readonly steps: readonly ScriptStep[];
  /** Steps of another host thread that feeds these. */
  readonly helper: readonly ScriptStep[] | null;
  /** Streams whose kernels never overlap, since they wait for each other. */
  readonly inTurn: readonly (readonly string[])[];
  /** Properties that were inferred, with the rule. */
  readonly inferred: readonly string[];
}

export const mapItems = (
  script: Script,
  change: (items: readonly Item[], step: number) => readonly Item[],
): Script => ({
  ...script,
  steps: script.steps.map((step, index) => ({ ...step, items: change(step.items, index) })),
});

export const copiesOf = (items: readonly Item[]): CopyItem[] => items.filter((item) => item.kind === 'copy');

export const isPageable = ({ host }: CopyItem): boolean => host === 'pageable';
