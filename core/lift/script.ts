/**
 * What a recorded program does, as lists that changes can rewrite: for each step of the program the calls of its issuing
 * thread in order, with the host's own time between them. Times are nanoseconds.
 */
import type { CopyDirection, MemoryKind, RowIndex } from '../trace/trace.ts';
import type { StepPart } from './parts.ts';

/** Host time between calls. */
export interface WorkItem {
  readonly kind: 'work';
  readonly ns: number;
  /** The copy whose framework call spends it; -1 for none. */
  readonly copy: number;
  /** What a profiler recorded meanwhile, and so added: framework operators, CUDA calls without work, interpreter frames. */
  readonly recorded: Recorded;
  /**
   * It is the program's own, as reading a file or putting a batch together: a long stretch in which nothing was recorded,
   * or mostly operators that give the device nothing to do.
   */
  readonly isOwn: boolean;
  /** Nothing was recorded in it: it may as well be a wait for another thread, which works already. */
  readonly mayWait?: boolean;
  /** What it counts as while the device is idle. */
  readonly part: HostPart;
  /** What ran in it, longest first; empty of short ones. */
  readonly ran: readonly Ran[];
}

export type HostPart = Extract<
  StepPart,
  'loading-data' | 'host-operators' | 'issuing' | 'allocation' | 'own-host-work'
>;

/** Of a stretch of host time what ran innermost under one name, as an operator, a range of a loader, a function of Python. */
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

/** A kernel, memset or copy within the device; or all that a launch of a CUDA graph ran, as one. */
export interface LaunchItem {
  readonly kind: 'launch';
  readonly name: string;
  readonly stream: string;
  readonly callNs: number;
  /** Of a graph from the begin of its first node to the end of its last. */
  readonly deviceNs: number;
  /** It ran beside work of another stream. */
  readonly shares: boolean;
  /** How many of a graph ran; 1 where it is none. */
  readonly nodes: number;
}

export interface CopyItem {
  readonly kind: 'copy';
  /** Its number among the copies of its step. */
  readonly id: number;
  /** The step that needs it. */
  readonly step: number;
  readonly direction: Extract<CopyDirection, 'h2d' | 'd2h'>;
  readonly host: MemoryKind;
  readonly bytes: number;
  readonly stream: string;
  readonly callNs: number;
  readonly deviceNs: number;
  /** Of its call, what was no waiting for earlier work of its stream: for pageable memory, the staging. */
  readonly heldNs: number;
  /** How long a copy to the host waited for something else than its own stream, in any memory. */
  readonly lateNs?: number;
  /** Source line of the program that issued it; empty where the trace has no stacks. */
  readonly line: string;
  /** In host memory; 0 if the trace doesn't hold it. */
  readonly hostAddress: number;
  /** Of the trace; a copy that a change makes of several has the last one's. */
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

/** The host waits: for a stream, or for all of the device; or for an event of an earlier step. */
export interface SyncItem {
  readonly kind: 'sync';
  readonly stream: string | null;
  /** Where it waits for all of a device: which, as deviceOf() tells it. */
  readonly device?: string;
  readonly event?: string;
  readonly callNs: number;
  /** The copy whose framework call waits, as Tensor.to does; -1 where the program asks for it. */
  readonly copy: number;
  readonly line: string;
}

/** Hands over between two host threads. */
export interface SignalItem {
  readonly kind: 'signal' | 'await';
  readonly signal: string;
}

export type Item = WorkItem | LaunchItem | CopyItem | RecordItem | WaitItem | SyncItem | SignalItem | GraphItem;

/** Launches that a graph holds, issued by one call. */
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
  /** Of another host thread that feeds the steps, step by step. */
  readonly helper: readonly ScriptStep[] | null;
  /** Streams whose kernels never run beside one another, since each waits for the other. */
  readonly inTurn: readonly (readonly string[])[];
  /** What was inferred, and by which rule. */
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
