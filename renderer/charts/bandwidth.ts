/** Bandwidth of copies by size from a device profile, with the link's limit. */

import { programRate } from '../../core/apps/sweep/programRate.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import type { CostModel } from '../../core/machine/costModel.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { linkBytesPerSecond } from '../../core/program/engine.ts';
import type { LineSpec, Row } from './spec.ts';

/** Sizes in bytes, each four times the one before: from sizes limited by latency to sizes limited by the link. */
const sizes = Array.from({ length: 11 }, (_, power) => 256 * 4 ** power);

export function profileBandwidth(profile: DeviceProfile): LineSpec {
  const costs = profileCosts(profile);
  const cells = (rate: (size: number) => number | null) =>
    sizes.map((size) => {
      const value = rate(size);
      return value === null ? null : { value };
    });
  const rows = copies.flatMap(({ direction, memory, paint }): Row[] => {
    const name = `${direction.toUpperCase()} ${memory}`;
    const engine = cells((size) => engineRate(costs, direction, memory, size));
    return [
      { name, paint, cells: cells((size) => programRate(profile, direction, memory, size)) },
      { name: `${name}, copy engine`, paint, isBeside: true, cells: engine },
    ];
  });
  const value = linkBytesPerSecond(profile.device);
  const limit: Row[] =
    value === null ? [] : [{ name: 'limit of the PCIe link', isLimit: true, cells: cells(() => value) }];
  return {
    kind: 'lines',
    title: `Bandwidth of a copy that runs alone, from call to arrival, in profile ${profile.name}`,
    provenance: { origins: ['simulated'], device: profile.device.name, date: '' },
    x: { name: 'Size of a copy', unit: 'B', values: sizes, scale: 'log' },
    value: { name: 'Bandwidth', unit: 'B/s' },
    rows: [...rows, ...limit],
  };
}

const copies = [
  { direction: 'h2d', memory: 'pinned', paint: 'h2d' },
  { direction: 'd2h', memory: 'pinned', paint: 'd2h' },
  { direction: 'h2d', memory: 'pageable', paint: 'kernel' },
  { direction: 'd2h', memory: 'pageable', paint: 'd2d' },
] as const;

/** Returns the rate of the copy engine alone, without the call. */
function engineRate(costs: CostModel, direction: 'h2d' | 'd2h', memory: 'pinned' | 'pageable', size: number) {
  const [src, dst] = direction === 'h2d' ? ([memory, 'device'] as const) : (['device', memory] as const);
  const cost = costs.copy(size, { src, dst, from: -1, to: -1 }, false);
  return cost === null ? null : (size / cost.deviceNs) * 1e9;
}
