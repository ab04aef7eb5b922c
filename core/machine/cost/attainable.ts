import { type CopyDirection, isHostMemory, type MemoryKind } from '../../trace/trace.ts';
import type { CostModel } from '../costModel.ts';

/**
 * Returns the rate of a copy of this size that runs alone. `hostMemory` is the kind on the host side, unused for
 * device-to-device copies. For pageable memory it is the staging rate. Returns null if the costs lack it.
 */
export function attainableBandwidth(
  costs: CostModel,
  direction: CopyDirection,
  hostMemory: MemoryKind,
  bytes: number,
): number | null {
  const crosses = direction === 'h2d' || direction === 'd2h';
  if (!(bytes > 0) || (crosses && !isHostMemory(hostMemory))) return null;
  const src = direction === 'h2d' || direction === 'h2h' ? hostMemory : 'device';
  const dst = direction === 'd2h' || direction === 'h2h' ? hostMemory : 'device';
  const host = direction === 'h2h' ? ({ src: 'pageable', dst: 'pageable' } as const) : { src, dst };
  const cost = costs.copy(bytes, { ...host, from: -1, to: -1 }, false);
  if (cost === null) return null;
  const isStaged =
    crosses && hostMemory === 'pageable' && !(direction === 'h2d' && bytes <= costs.facts.staging.inlineBytes);
  return (bytes / (isStaged ? cost.callNs : cost.deviceNs)) * 1e9;
}
