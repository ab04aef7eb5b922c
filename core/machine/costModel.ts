/**
 * Interface through which the machine gets times: from a device profile, a recording, or a recording with a profile for
 * what it lacks (core/machine/cost). Times are nanoseconds and rates bytes per second, unless a name says otherwise.
 */
import type { Pattern } from '../experiment/resources.ts';
import type { FrontendCall } from '../program/frontend.ts';
import type { InstructionOf } from '../program/instructions.ts';
import type { LibraryKernel, Program, ProgramKernel } from '../program/program.ts';
import type { MemoryKind } from '../trace/trace.ts';

export interface CostModel {
  readonly facts: MachineFacts;
  readonly gaps: Gaps;
  readonly link: LinkRates;
  /** Rate of kernels that use host memory over the link. */
  readonly mappedBytesPerSecond: number;
  /** Returns the host time of a CUDA call that doesn't wait, also if captured or nameless ('cudaLaunchKernel'). */
  callNs(call: CallName): number;
  /** Returns the cost of a copy alone; null if unknown. */
  copy(bytes: number, ends: CopyEnds, peerAccess: boolean): CopyCost | null;
  /** Returns the cost of one cudaMemcpyBatchAsync of these sizes, or one cudaMemcpy2DAsync of these rows, over the link. */
  batch(sizes: Float64Array, by: 'batch' | 'pitched'): Pick<CopyCost, 'callNs' | 'deviceNs'>;
  kernel(kernel: ProgramKernel, smShare: number, program: Program): KernelCost;
  /** Returns the time for the plan or work space that a library makes before its first such kernel in a stream. */
  planNs(kernel: LibraryKernel): number;
  memset(bytes: number): MemsetCost;
  /** Returns the time of one host thread that writes, reads or copies memory. */
  hostNs(access: HostAccess, bytes: number): number;
  /** Returns the total bytes per second of several host threads that copy at once. */
  hostCopyRate(threads: number): number;
  /** Returns a time or rate of pages of managed memory. */
  managed(what: ManagedCost): number;
  /** Returns the time from the end of device work, a signal, or another thread's call, until the waiting thread continues. */
  wakeNs(by: WokenBy): number;
  /** Returns the time of calls that allocate and free memory, by their CUDA names. */
  memoryNs(call: MemoryCallName, bytes: number): number;
  /** Returns the time of calls on a graph, by its number of nodes. */
  graphNs(call: GraphCallName, nodes: number): number;
  /** Returns extra costs of a thread's first calls, since preparing an iteration has emptied the caches. */
  firstCalls(program: Program): FirstCalls;
}

/** `call`: a call of another thread in a multi-tensor copy, which the driver lets in first. */
export type WokenBy = 'device' | 'thread' | 'call';

/** Facts that decide, together with CUDA's rules, what waits for what. */
export interface MachineFacts {
  /** Name of the device, if a real one was measured. */
  readonly device?: string;
  /** If 1, both directions share it. */
  readonly copyEngines: number;
  readonly memoryBytes: number;
  /** Number of incomplete operations that a stream can hold. */
  readonly queueDepth: number;
  readonly concurrentKernels: number;
  /** Part of its share that a kernel over the link takes from other kernels. */
  readonly linkKernelPart: number;
  readonly mallocSynchronizes: boolean;
  /** Processors of the host. */
  readonly cores: number;
  /** Pageable memory up to `inlineBytes` goes into the command buffer, more through `slots` pieces of a buffer. */
  readonly staging: { readonly inlineBytes: number; readonly chunkBytes: number; readonly slots: number };
}

/** Times from the end of one operation to the earliest start of one that depends on it. */
export interface Gaps {
  /** From the return of a call to the start on an idle device. */
  readonly launchToStartNs: number;
  /** On the compute channel; kernels of a graph include it in their times. */
  readonly sameEngineNs: number;
  readonly acrossEnginesNs: number;
  readonly acrossDevicesNs: number;
  /** Between two copies on an engine, beyond their own times. */
  readonly copyNs: number;
  /** From the end of the device's work to the start of a host function on CUDA's own thread. */
  readonly hostFunctionNs: number;
}

export interface LinkRates {
  /** Rates of one direction alone, and of both together. */
  readonly bytesPerSecond: number;
  readonly bothBytesPerSecond: number;
  /** Extra time of a copy that begins while data moves in the other direction. */
  readonly besideNs: number;
  /** Share of its speed that a copy keeps next to a mapped-memory kernel that fills the device; null: equal shares. */
  readonly besideMappedPart: number | null;
  /** Delay of a copy's start by the earlier requests of such a kernel's threads to host memory. */
  readonly mappedBacklogNs: number;
}

type PageRate = 'touch' | 'in' | 'hostTouch' | 'out' | 'splitOnDevice' | 'splitOnHost' | 'advise';
/** Parameters of managed memory in a profile. */
export type ManagedCost = `${PageRate | `prefetch${'In' | 'Out' | 'Call'}`}BytesPerSecond` | 'prefetchNs';

export type CallName =
  | 'cudaLaunchKernel'
  | 'cudaMemcpyAsync'
  | 'cudaMemsetAsync'
  | 'cudaMallocAsync'
  | 'cudaFreeAsync'
  | 'captured'
  | 'cached memory'
  | `PyTorch ${FrontendCall}`
  | 'signal'
  | (string & {});
export type MemoryCallName =
  | 'cudaMalloc'
  | 'cudaFree'
  | 'cudaHostAlloc'
  | 'cudaFreeHost'
  | 'cudaHostRegister'
  | 'cudaHostUnregister';

export type GraphCallName = 'cudaGraphInstantiate' | 'cudaGraphUpload' | 'cudaGraphLaunch';

export type HostAccess =
  | { readonly kind: 'copy' }
  | { readonly kind: 'write' | 'read' | 'uncached-read'; readonly pattern: Pattern['kind'] };

/** Reading a buffer with an expected pattern means comparing it with that. Processors don't cache write-combined memory. */
export function accessOf(instruction: InstructionOf<'write'> | InstructionOf<'read'>, memory: MemoryKind): HostAccess {
  const { code } = instruction;
  const content = code === 'write' ? instruction.content : instruction.expected;
  const kind = code === 'read' && memory === 'pinned-write-combined' ? 'uncached-read' : code;
  return { kind, pattern: content?.pattern.kind ?? 'constant' };
}

export interface CopyEnds {
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Devices of the two ends; -1 for host memory. */
  readonly from: number;
  readonly to: number;
}

export interface CopyCost {
  /** For pageable memory, includes the staging. */
  readonly callNs: number;
  readonly deviceNs: number;
  /** Share of the device's threads, if it runs on the compute channel. */
  readonly share: number;
}

/** Cost of a memset: of the calling thread, and on the device alone. */
export interface MemsetCost extends Pick<KernelCost, 'deviceNs' | 'share' | 'memoryPart'> {
  readonly callNs: number;
}

/** Cost of a kernel on the device alone. */
export interface KernelCost {
  readonly deviceNs: number;
  /** Time as part of a graph, including the gap to the next kernel. */
  readonly nodeNs: number;
  /** Share of the device's threads that its blocks take; 0 if it needs none. */
  readonly share: number;
  /** Share of multiprocessors with a block that leaves no room for another one like it. */
  readonly exclusive: number;
  /** Whether it is a kernel of one thread, which fits next to anything that doesn't fill all multiprocessors. */
  readonly isSingle: boolean;
  /** Shares of the device's memory and arithmetic throughput that it takes while it runs alone. */
  readonly memoryPart: number;
  readonly arithmeticPart: number;
  /** Bytes that it moves over the link, to the device and from it. */
  readonly linkIn: number;
  readonly linkOut: number;
  readonly bytes: number;
}

export interface FirstCalls {
  /** Extra cost of a thread's first call. */
  readonly ns: number;
  /** Extra cost of its first call of each other kind, relative to the usual cost. */
  readonly newPart: number;
  /** The same for its first call of each kind after a staged copy of at least `stagedBytes`. */
  readonly afterStagedPart: number;
  readonly stagedBytes: number;
}
