/** Cost model of a device profile. */

import { frontendNs } from '../../program/frontend.ts';
import type { LibraryKernel, Program, ProgramKernel } from '../../program/program.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import { copyDirection } from '../../trace/trace.ts';
import type {
  CallName,
  CopyCost,
  CopyEnds,
  CostModel,
  FirstCalls,
  GraphCallName,
  HostAccess,
  KernelCost,
  MachineFacts,
  ManagedCost,
  MemoryCallName,
  MemsetCost,
  WokenBy,
} from '../costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { registry } from '../profile/registry.ts';
import { straightTable, type Table, timeTable } from '../profile/table.ts';
import { KernelCosts, room } from './kernel.ts';
import { planNs } from './libraryKernels.ts';

/** Number of restored bytes after which half of the cached state for calls is lost. Some of it is always lost. */
const halfBytes = 2 ** 20;
const leastBytes = 2 ** 17;

/** Returns the share, 0 to 1, of cached state for first calls that is lost. */
function emptiedPart({ buffers, multiCopies }: Program): number {
  const restored = buffers.reduce(
    (sum, { memory, bytes, written, allocated }) =>
      memory !== 'device' && written && allocated === 'before-run' ? sum + bytes : sum,
    leastBytes,
  );
  const targets = multiCopies.reduce((sum, { sizes }) => sum + sizes.reduce((all, bytes) => all + bytes, 0), 0);
  return (restored + targets) / (restored + targets + halfBytes);
}

/** Returns the profile's cost model, always the same object, so that cached results are found again. */
export const profileCosts = rememberedBy((profile: DeviceProfile): CostModel => new ProfileCosts(profile, false));

/** Returns the cost model with the cost of recording, only for comparisons with recorded runs. */
export const recordingCosts = rememberedBy((profile: DeviceProfile): CostModel => new ProfileCosts(profile, true));

/** Grids that run at once (CUDA C++ programming guide, technical specifications, compute capability 7.5 and later). */
const concurrentKernels = 128;
/** Share of the device's threads that a kernel on a quarter of the multiprocessors takes. */
const quarter = room(0.25, 1).share;

/**
 * A memset up to this size goes into the command buffer without a kernel: on H200 and H100 machines, calls of up to 4
 * KiB took 1.1 to 2.5 us, and longer ones 3.4 to 6.7 us, like a launch (recorded trials, CUDA 13.0).
 */
const inlineMemsetBytes = 4096;

/** Least time of a pitched copy's row in profiles without copies.pitchedRowNs: that of an H200. */
const leastRowNs = 1.5;

type TableName = { [Name in keyof P]-?: NonNullable<P[Name]> extends number ? never : Name }[keyof P];
type P = DeviceProfile['parameters'];

class ProfileCosts implements CostModel {
  readonly facts: MachineFacts;
  readonly gaps: CostModel['gaps'];
  readonly link: CostModel['link'];
  readonly mappedBytesPerSecond: number;
  readonly #p: P;
  /** Cost that a recorder adds. */
  readonly #callNs: number;
  readonly #first: FirstCalls;
  readonly #kernels: KernelCosts;
  readonly #tables = new Map<TableName, Table>();
  readonly #threads: Table;

  constructor(profile: DeviceProfile, isRecording: boolean) {
    const { device, parameters: p } = profile;
    const added = (name: 'recorder.callNs' | 'recorder.copyGapNs' | 'recorder.firstNs' | 'recorder.newPart'): number =>
      isRecording ? (p[name] ?? 0) : 0;
    this.#p = p;
    this.#callNs = added('recorder.callNs');
    this.#first = {
      ns: added('recorder.firstNs'),
      newPart: added('recorder.newPart'),
      afterStagedPart: p['calls.afterStagedPart'] ?? 0,
      stagedBytes: p['calls.stagedBytes'] ?? Number.POSITIVE_INFINITY,
    };
    this.#kernels = new KernelCosts(profile);
    this.#threads = straightTable(p['host.threads']);
    this.facts = {
      device: device.name,
      copyEngines: device.asyncEngineCount,
      memoryBytes: device.memoryBytes,
      queueDepth: p['queue.depth'],
      concurrentKernels,
      linkKernelPart: (1 - (p['kernel.besideBlocksPart'] ?? 1 - quarter)) / quarter,
      mallocSynchronizes: device.mallocSynchronizes,
      cores: p['host.threads'].at(-1)?.[0] ?? 1,
      staging: {
        inlineBytes: p['staging.inlineBytes'],
        chunkBytes: p['staging.chunkBytes'],
        slots: p['staging.slots'],
      },
    };
    this.gaps = {
      launchToStartNs: p['queue.launchToStartNs'],
      sameEngineNs: p['queue.sameEngineNs'],
      acrossEnginesNs: p['queue.acrossEnginesNs'],
      acrossDevicesNs: p['queue.acrossDevicesNs'] ?? p['queue.acrossEnginesNs'],
      copyNs: added('recorder.copyGapNs'),
      hostFunctionNs: p['hostFunction.startNs'],
    };
    this.mappedBytesPerSecond = p['kernel.mappedBytesPerSecond'];
    this.link = {
      bytesPerSecond: p['link.bytesPerSecond'],
      bothBytesPerSecond: p['link.bothBytesPerSecond'],
      besideNs: p['link.besideNs'] ?? 0,
      besideMappedPart: p['link.besideMappedPart'] ?? null,
      mappedBacklogNs: p['link.mappedBacklogNs'] ?? 0,
    };
  }

  callNs(call: CallName): number {
    switch (call) {
      case 'cudaLaunchKernel':
      case 'cublasGemmEx':
      case 'cufftExecC2C':
      case 'cudaMemsetAsync':
        return this.#p['calls.launchNs'] + this.#callNs;
      case 'cudaMemcpyAsync':
      case 'cudaMemcpy':
        return this.#p['calls.copyNs'] + this.#callNs;
      case 'PyTorch tensor':
        return this.#p['calls.pytorchTensorNs'] ?? frontendNs.tensor;
      case 'PyTorch handle':
        return this.#p['calls.pytorchHandleNs'] ?? frontendNs.handle;
      case 'PyTorch stream':
        return this.#p['calls.pytorchStreamNs'] ?? frontendNs.stream;
      case 'cudaLaunchHostFunc':
        return this.#p['calls.shortNs'] + this.#callNs;
      default:
        return this.#p['calls.shortNs'];
    }
  }

  copy(bytes: number, ends: CopyEnds, peerAccess: boolean): CopyCost | null {
    const callNs = this.callNs('cudaMemcpyAsync');
    switch (copyDirection(ends.src, ends.dst)) {
      case 'h2h':
        return { callNs, deviceNs: this.hostNs({ kind: 'copy' }, bytes), share: 0 };
      case 'h2d':
        return this.#overLink(bytes, ends.src === 'pageable', 'h2d', callNs);
      case 'd2h':
        return this.#overLink(bytes, ends.dst === 'pageable', 'd2h', callNs);
      case 'd2d':
        return ends.from === ends.to ? this.#withinDevice(bytes) : this.#peerCopy(bytes, peerAccess, callNs);
      default:
        return null;
    }
  }

  /** The engine takes each entry by itself, and its bytes at the link's rate. */
  batch(sizes: Float64Array, by: 'batch' | 'pitched'): Pick<CopyCost, 'callNs' | 'deviceNs'> {
    const p = this.#p;
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (by === 'pitched') {
      const linkNs = (bytes / p['link.bytesPerSecond']) * 1e9;
      const rowsNs = Math.max(0, sizes.length * (p['copies.pitchedRowNs'] ?? leastRowNs) - linkNs);
      return { callNs: this.callNs('cudaMemcpyAsync'), deviceNs: rowsNs + this.#time('copies.h2d.pinned', bytes) };
    }
    const entryNs = p['copies.batchEntryNs'] ?? this.#time('copies.h2d.pinned', 0);
    return {
      callNs: this.callNs('cudaMemcpyAsync') + sizes.length * (p['calls.batchEntryNs'] ?? 0),
      deviceNs: sizes.length * entryNs + (bytes / p['link.bytesPerSecond']) * 1e9,
    };
  }

  kernel(kernel: ProgramKernel, smShare: number, program: Program): KernelCost {
    return this.#kernels.of(kernel, smShare, program);
  }

  planNs(kernel: LibraryKernel): number {
    return planNs(kernel, this.#p);
  }

  /** A memset writes what a copy of half its size reads and writes. */
  memset(bytes: number): MemsetCost {
    const callNs =
      bytes <= inlineMemsetBytes ? this.#p['calls.shortNs'] + this.#callNs : this.callNs('cudaMemsetAsync');
    return { callNs, deviceNs: this.#withinDeviceNs(bytes / 2), share: this.#kernels.filledPart(bytes), memoryPart: 1 };
  }

  hostNs(access: HostAccess, bytes: number): number {
    return (bytes / this.#hostRate(access, bytes)) * 1e9;
  }

  hostCopyRate(threads: number): number {
    return this.#threads(threads);
  }

  managed(what: ManagedCost): number {
    return this.#p[`managed.${what}`] ?? registry[`managed.${what}`].without;
  }

  wakeNs(by: WokenBy): number {
    if (by === 'call') return this.#p['calls.contendedNs'] ?? 0;
    return this.#p[by === 'device' ? 'calls.wakeNs' : 'host.wakeNs'];
  }

  memoryNs(call: MemoryCallName, bytes: number): number {
    return this.#time(memoryTables[call], bytes);
  }

  graphNs(call: GraphCallName, nodes: number): number {
    // A recorder visits each node.
    if (call === 'cudaGraphLaunch') return this.#p['calls.launchNs'] + nodes * this.#callNs;
    return nodes === 0 ? 0 : this.#time(call === 'cudaGraphUpload' ? 'graph.upload' : 'graph.instantiate', nodes);
  }

  firstCalls(program: Program): FirstCalls {
    const part = emptiedPart(program);
    return { ...this.#first, ns: part * this.#first.ns, newPart: part * this.#first.newPart };
  }

  #overLink(bytes: number, isPageable: boolean, way: 'h2d' | 'd2h', callNs: number): CopyCost {
    const deviceNs = this.#time(`copies.${way}.pinned`, bytes);
    if (!isPageable) return { callNs, deviceNs, share: 0 };
    return { callNs: this.#time(`copies.${way}.pageable`, bytes) + this.#callNs, deviceNs, share: 0 };
  }

  /** The driver launches a kernel for it. */
  #withinDevice(bytes: number): CopyCost {
    const share = this.#kernels.filledPart(bytes);
    return { callNs: this.callNs('cudaLaunchKernel'), deviceNs: this.#withinDeviceNs(bytes), share };
  }

  /**
   * A probe copies the same buffers again and again, so L2 holds them. A program's copies use other memory: each byte
   * is read from and written to the device's memory once.
   */
  #withinDeviceNs(bytes: number): number {
    const throughMemoryNs = ((2 * bytes) / this.#p['kernel.deviceBytesPerSecond']) * 1e9;
    return Math.max(this.#time('copies.d2d', bytes), this.#time('copies.d2d', 0) + throughMemoryNs);
  }

  /** Without figures for two devices, goes through the host, one direction after the other. */
  #peerCopy(bytes: number, peerAccess: boolean, callNs: number): CopyCost {
    const name = peerAccess ? 'copies.peer' : 'copies.peerViaHost';
    const isKnown = this.#p[name] !== undefined;
    const overHostNs = (): number => this.#time('copies.d2h.pinned', bytes) + this.#time('copies.h2d.pinned', bytes);
    const heldNs =
      peerAccess || this.#p['calls.peerViaHost'] === undefined ? callNs : this.#time('calls.peerViaHost', bytes);
    return { callNs: heldNs, deviceNs: isKnown ? this.#time(name, bytes) : overHostNs(), share: 0 };
  }

  #hostRate(access: HostAccess, bytes: number): number {
    const p = this.#p;
    const memcpy = p['host.memcpyBytesPerSecond'];
    if (access.kind === 'copy') {
      return bytes <= (p['host.cachedBytes'] ?? 0) ? (p['host.cachedBytesPerSecond'] ?? memcpy) : memcpy;
    }
    if (access.kind === 'uncached-read') return p['host.uncachedBytesPerSecond'] ?? memcpy;
    // Writing and checking go word by word, so the cost of computing a word decides (native/src/executor/host_memory.cpp).
    if (access.pattern === 'random') return p['host.randomBytesPerSecond'] ?? memcpy;
    return access.pattern === 'index' ? (p['host.indexBytesPerSecond'] ?? memcpy) : memcpy;
  }

  #time(name: TableName, place: number): number {
    const table = this.#tables.get(name) ?? timeTable(this.#p[name] ?? []);
    this.#tables.set(name, table);
    return table(place);
  }
}

const memoryTables = {
  cudaMalloc: 'memory.malloc',
  cudaFree: 'memory.free',
  cudaHostAlloc: 'memory.pin',
  cudaHostRegister: 'memory.pin',
  cudaFreeHost: 'memory.unpin',
  cudaHostUnregister: 'memory.unpin',
} as const satisfies Record<MemoryCallName, TableName>;
