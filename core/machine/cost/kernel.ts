/** Cost of a kernel alone on the device: by its kind, its share of the multiprocessors, and its memory. */

import type { LibraryKernel, Program, ProgramKernel } from '../../program/program.ts';
import { isHostMemory } from '../../trace/trace.ts';
import type { KernelCost } from '../costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { straightTable } from '../profile/table.ts';
import { libraryWork } from './libraryKernels.ts';

const none = { isSingle: false, memoryPart: 0, arithmeticPart: 0, linkIn: 0, linkOut: 0, bytes: 0 };

const nothing = { share: 0, exclusive: 0 };

/** With a share below 1, each block takes half of a multiprocessor's threads (native/src/cuda/cuda_kernels.cu). */
const threadsOfBlock = 0.5;
/**
 * Up to this share of L2, a pass finds all data of the pass before, only the destination; beyond L2 none. On H200
 * machines (63 MB) later passes over 34 MB moved 7.9 TB/s, over 49 MB 5.8, over 67 MB 4.1.
 */
export const keptWholly = 2 / 3;
/** The second pass shares L2 with the rest of the source: with 30 MB it moved 6.6 TB/s, with 40 and 50 MB 4. */
const besideSource = 1.5;

export class KernelCosts {
  readonly #parameters: DeviceProfile['parameters'];
  readonly #streamPart: (share: number) => number;

  constructor({ parameters }: DeviceProfile) {
    this.#parameters = parameters;
    this.#streamPart = straightTable(parameters['kernel.streamShares']);
  }

  of(kernel: ProgramKernel, smShare: number, program: Program): KernelCost {
    if (kernel.kind === 'stream') return this.#stream(kernel, smShare, program);
    if (kernel.kind === 'arithmetic') {
      const workNs = (kernel.flops / (this.#parameters['kernel.flopsPerSecond'] * smShare)) * 1e9;
      const lastsNs = workNs + (this.#parameters['kernel.arithmeticNs'] ?? 0);
      return { ...none, ...room(smShare, 1), ...this.#times(lastsNs), arithmeticPart: smShare };
    }
    if (kernel.kind !== 'spin') return this.#library(kernel);
    const { deviceNs, nodeNs } = this.#times(kernel.durationNs);
    // With a share of 1 a spin is one thread, which takes a place that a full device doesn't have.
    const isSingle = smShare >= 1;
    const { share, exclusive } = isSingle ? nothing : room(smShare, 1);
    // Fields are listed one by one, as for a stream kernel below.
    return {
      deviceNs,
      nodeNs,
      share,
      exclusive,
      isSingle,
      memoryPart: 0,
      arithmeticPart: 0,
      linkIn: 0,
      linkOut: 0,
      bytes: 0,
    };
  }

  /** Returns the share of the device that is filled by the blocks for these bytes. */
  filledPart(bytes: number): number {
    return Math.min(1, bytes / (this.#parameters['kernel.fillBytes'] ?? 1));
  }

  #times(workNs: number): Pick<KernelCost, 'deviceNs' | 'nodeNs'> {
    const { 'kernel.startNs': startNs, 'graph.kernelNodeNs': nodeNs } = this.#parameters;
    return { deviceNs: startNs + workNs, nodeNs: nodeNs + workNs };
  }

  /** A library launches enough blocks to fill the device. */
  #library(kernel: LibraryKernel): KernelCost {
    const { workNs, memoryPart, arithmeticPart } = libraryWork(kernel, this.#parameters);
    return { ...none, ...room(1, 1), ...this.#times(workNs), memoryPart, arithmeticPart };
  }

  #stream(kernel: StreamKernel, smShare: number, program: Program): KernelCost {
    const crossing = linkBytes(kernel, program);
    const moved = 2 * kernel.bytes * kernel.passes - crossing.linkIn - crossing.linkOut;
    const blocks = room(smShare, this.filledPart(kernel.bytes));
    const memory = this.#memoryTimes(kernel, moved, this.#streamPart(smShare < 1 ? blocks.exclusive : 1));
    const rate = this.#parameters['kernel.mappedBytesPerSecond'];
    const linkNs = (Math.max(crossing.linkIn, crossing.linkOut) / rate) * 1e9;
    const workNs = Math.max(memory.workNs, linkNs);
    const { deviceNs, nodeNs } = this.#times(workNs);
    // Fields are listed one by one: spreading two objects takes much memory for thousands of kernels.
    return {
      deviceNs,
      nodeNs,
      share: blocks.share,
      exclusive: blocks.exclusive,
      isSingle: false,
      memoryPart: workNs === 0 ? 0 : Math.min(1, memory.fullNs / workNs),
      arithmeticPart: 0,
      linkIn: crossing.linkIn,
      linkOut: crossing.linkOut,
      bytes: kernel.bytes,
    };
  }

  /**
   * Each pass reads and writes every byte once, from the second on in the destination. Data that fits into L2 stays
   * there. The source comes from memory first, even if a copy has just brought it.
   *
   * A pass takes the memory's time for its bytes, and at least the multiprocessors' time: one latency, plus their bytes
   * at the rate of their requests in flight. Both together give the root of the sum of squares, as in queues.
   */
  #memoryTimes({ bytes, passes }: StreamKernel, moved: number, part: number): StreamTimes {
    const p = this.#parameters;
    const { 'kernel.memoryLatencyNs': memoryLatencyNs = 0, 'kernel.l2LatencyNs': l2LatencyNs = 0 } = p;
    // Device memory is reached through L2, so it is never the faster of the two.
    const memory = Math.min(p['kernel.deviceBytesPerSecond'], p['kernel.l2BytesPerSecond']);
    const cache = p['kernel.l2BytesPerSecond'];
    /** Rate of the multiprocessors if memory were no limit: from memory, and from L2 by its latency. */
    const own = (rate: number): number =>
      part < 1 ? rate / Math.sqrt(1 / (part * part) - 1) : Number.POSITIVE_INFINITY;
    const isKnown = memoryLatencyNs > 0 && l2LatencyNs > 0;
    const far = own(memory);
    const near = isKnown ? (far * memoryLatencyNs) / l2LatencyNs : own(cache);
    const pass = (fromMemory: number, fromCache: number, latencyNs: number): StreamTimes => {
      const fullNs = (fromMemory / memory + fromCache / cache) * 1e9;
      return { fullNs, workNs: Math.hypot(latencyNs + (fromMemory / far + fromCache / near) * 1e9, fullNs) };
    };
    const each = moved / passes;
    const l2Bytes = p['kernel.l2Bytes'];
    const first =
      2 * bytes <= l2Bytes
        ? pass(Math.min(bytes, each), Math.max(0, each - bytes), memoryLatencyNs)
        : pass(each, 0, memoryLatencyNs);
    const behind = (taken: number): StreamTimes => {
      const kept = Math.min(1, Math.max(0, (1 - taken / l2Bytes) / (1 - keptWholly)));
      return pass((1 - kept) * each, kept * each, (1 - kept) * memoryLatencyNs + kept * l2LatencyNs);
    };
    const [second, later] = [behind(besideSource * bytes), behind(bytes)];
    const sum = (key: keyof StreamTimes): number =>
      first[key] + (passes > 1 ? second[key] : 0) + Math.max(0, passes - 2) * later[key];
    return { workNs: sum('workNs'), fullNs: sum('fullNs') };
  }
}

type StreamKernel = ProgramKernel & { readonly kind: 'stream' };

interface StreamTimes {
  /** Time it takes by itself, and time the device's memory alone would take. */
  readonly workNs: number;
  readonly fullNs: number;
}

/** Returns the shares that its blocks take if they fill `part` of the device, limited by its share. */
export function room(smShare: number, part: number): Pick<KernelCost, 'share' | 'exclusive'> {
  if (smShare >= 1) return { share: part, exclusive: 0 };
  // A block on a multiprocessor moves half as much as the blocks that fill it.
  const exclusive = Math.min(smShare, part / threadsOfBlock);
  return { share: exclusive * threadsOfBlock, exclusive };
}

/** The first pass reads the source and writes the destination; each later one reads and writes the destination. */
function linkBytes({ src, dst, bytes, passes }: StreamKernel, { buffers }: Program) {
  // The machine adds what pages of managed memory cost, by where they lie.
  const memoryOf = (buffer: number) => buffers[buffer]?.memory ?? 'unknown';
  const onHost = (buffer: number): boolean => isHostMemory(memoryOf(buffer)) && memoryOf(buffer) !== 'managed';
  return {
    linkIn: (onHost(src) ? bytes : 0) + (onHost(dst) ? bytes * (passes - 1) : 0),
    linkOut: onHost(dst) ? bytes * passes : 0,
  };
}
