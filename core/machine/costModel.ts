/**
 * What the machine asks of whoever knows what things take: a device profile, a recording, or one before the other
 * (core/cost). Times are nanoseconds, rates bytes per second, unless a name says otherwise.
 */
import type { Pattern } from '../experiment/resources.ts';
import type { LibraryKernel, Program, ProgramKernel } from '../program/program.ts';
import type { MemoryKind } from '../trace/trace.ts';

export interface CostModel {
  readonly facts: MachineFacts;
  readonly gaps: Gaps;
  readonly link: LinkRates;
  /** Host time of a CUDA call that waits for nothing, by its name, as 'cudaLaunchKernel'; of a captured one, and of one without a name, too. */
  callNs(call: CallName): number;
  /** A copy alone. Null where it knows no such copy. */
  copy(bytes: number, ends: CopyEnds, peerAccess: boolean): CopyCost | null;
  kernel(kernel: ProgramKernel, smShare: number, program: Program): KernelCost;
  /** What a library makes before its first such kernel in a stream. */
  planNs(kernel: LibraryKernel): number;
  memset(bytes: number): MemsetCost;
  /** One host thread that writes, reads or copies memory. */
  hostNs(access: HostAccess, bytes: number): number;
  /** Bytes per second of so many host threads that copy at once, all together. */
  hostCopyRate(threads: number): number;
  /** From the start of the device's work, or of another thread's signal, to the waiting host thread's going on. */
  wakeNs(by: 'device' | 'thread'): number;
  /** Calls that make and end memory, by their names in CUDA. */
  memoryNs(call: MemoryCallName, bytes: number): number;
  /** Calls on a graph of so many nodes. */
  graphNs(call: GraphCallName, nodes: number): number;
  /** What a thread's first calls cost more, since the preparation of an iteration has emptied the caches. */
  firstCalls(program: Program): FirstCalls;
}

/** What decides, beside CUDA's rules, what waits for what. */
export interface MachineFacts {
  /** Name of the device, if a real one was measured. */
  readonly device?: string;
  /** With one, both directions share it. */
  readonly copyEngines: number;
  readonly memoryBytes: number;
  /** Operations a stream may hold that haven't completed. */
  readonly queueDepth: number;
  readonly concurrentKernels: number;
  readonly mallocSynchronizes: boolean;
  /** Processors of the host. */
  readonly cores: number;
  /** Pageable memory: up to `inlineBytes` goes into the command buffer, more through `slots` pieces of a page-locked buffer. */
  readonly staging: { readonly inlineBytes: number; readonly chunkBytes: number; readonly slots: number };
}

/** From the end of one operation to the earliest start of one that depends on it. */
export interface Gaps {
  /** From the return of a call to the start on an idle device. */
  readonly launchToStartNs: number;
  /** On the compute channel; of a graph's kernels it is in their times. */
  readonly sameEngineNs: number;
  readonly acrossEnginesNs: number;
  /** Between two copies on an engine, beyond what their times hold. */
  readonly copyNs: number;
  /** From the end of the device's work before it to the start of a host function, on CUDA's own thread. */
  readonly hostFunctionNs: number;
}

export interface LinkRates {
  /** Each direction alone, and both together. */
  readonly bytesPerSecond: number;
  readonly bothBytesPerSecond: number;
  /** What a copy takes longer that begins while data moves the other way. */
  readonly besideNs: number;
  /** What copies keep of their speed beside a kernel on mapped memory that fills the device; null: all share alike. */
  readonly besideMappedPart: number | null;
  /** How long such a kernel keeps a copy waiting that would begin: its threads have asked for so much of host memory before. */
  readonly mappedBacklogNs: number;
}

export type CallName =
  | 'cudaLaunchKernel'
  | 'cudaMemcpyAsync'
  | 'cudaMemsetAsync'
  | 'cudaMallocAsync'
  | 'cudaFreeAsync'
  | 'captured'
  | 'cached memory'
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
  | { readonly kind: 'write' | 'read'; readonly pattern: Pattern['kind'] };

export interface CopyEnds {
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Devices of the two ends; -1 for host memory. */
  readonly from: number;
  readonly to: number;
}

export interface CopyCost {
  /** Of pageable memory: with the staging. */
  readonly callNs: number;
  readonly deviceNs: number;
  /** Part of the device's threads, for what runs on the compute channel. */
  readonly share: number;
}

/** What a memset takes: of the calling thread, and on the device, alone. */
export interface MemsetCost extends Pick<KernelCost, 'deviceNs' | 'share' | 'memoryPart'> {
  readonly callNs: number;
}

/** What a kernel takes on the device, alone. */
export interface KernelCost {
  readonly deviceNs: number;
  /** As part of a graph, the gap to the next one counted in. */
  readonly nodeNs: number;
  /** Part of the device's threads that its blocks take; 0 for what needs none. */
  readonly share: number;
  /** Part of the multiprocessors on which it has a block that leaves no room for another one like it. */
  readonly exclusive: number;
  /** A kernel of one thread: beside whatever there is, unless that fills all multiprocessors. */
  readonly isSingle: boolean;
  /** Parts of the device's throughput that it takes while it runs alone: of its memory, and of its arithmetic. */
  readonly memoryPart: number;
  readonly arithmeticPart: number;
  /** Bytes that it moves over the link, to the device and from it. */
  readonly linkIn: number;
  readonly linkOut: number;
  readonly bytes: number;
}

export interface FirstCalls {
  /** What a thread's first call costs more. */
  readonly ns: number;
  /** What its first call of each other kind costs more, in parts of what it costs otherwise. */
  readonly newPart: number;
}
