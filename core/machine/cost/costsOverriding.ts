/** A cost model that overrides some costs of another one. */

import type { LibraryKernel, Program, ProgramKernel } from '../../program/program.ts';
import type {
  CallName,
  CopyCost,
  CopyEnds,
  CostModel,
  FirstCalls,
  GraphCallName,
  HostAccess,
  KernelCost,
  ManagedCost,
  MemoryCallName,
  MemsetCost,
  WokenBy,
} from '../costModel.ts';

export class CostsOverriding implements CostModel {
  protected readonly behind: CostModel;

  constructor(behind: CostModel) {
    this.behind = behind;
  }

  get facts(): CostModel['facts'] {
    return this.behind.facts;
  }

  get gaps(): CostModel['gaps'] {
    return this.behind.gaps;
  }

  get link(): CostModel['link'] {
    return this.behind.link;
  }

  get mappedBytesPerSecond(): number {
    return this.behind.mappedBytesPerSecond;
  }

  callNs(call: CallName): number {
    return this.behind.callNs(call);
  }

  copy(bytes: number, ends: CopyEnds, peerAccess: boolean): CopyCost | null {
    return this.behind.copy(bytes, ends, peerAccess);
  }

  batch(sizes: Float64Array, by: 'batch' | 'pitched'): Pick<CopyCost, 'callNs' | 'deviceNs'> {
    return this.behind.batch(sizes, by);
  }

  kernel(kernel: ProgramKernel, smShare: number, program: Program): KernelCost {
    return this.behind.kernel(kernel, smShare, program);
  }

  planNs(kernel: LibraryKernel): number {
    return this.behind.planNs(kernel);
  }

  memset(bytes: number): MemsetCost {
    return this.behind.memset(bytes);
  }

  hostNs(access: HostAccess, bytes: number): number {
    return this.behind.hostNs(access, bytes);
  }

  hostCopyRate(threads: number): number {
    return this.behind.hostCopyRate(threads);
  }

  managed(what: ManagedCost): number {
    return this.behind.managed(what);
  }

  wakeNs(by: WokenBy): number {
    return this.behind.wakeNs(by);
  }

  memoryNs(call: MemoryCallName, bytes: number): number {
    return this.behind.memoryNs(call, bytes);
  }

  graphNs(call: GraphCallName, nodes: number): number {
    return this.behind.graphNs(call, nodes);
  }

  firstCalls(program: Program): FirstCalls {
    return this.behind.firstCalls(program);
  }
}
