/** Bandwidth of copies by size from a device profile, with the link's limit. */

import { programRate } from '../../core/apps/sweep/programRate.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import type { CostModel } from '../../core/machine/costModel.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { linkBytesPerSecond } from '../../core/program/engine.ts';
import type { PaintName } from '../common/palette.ts';
import type { Cell, LineSpec, Provenance, Row } from './spec.ts';

/** Readings by size in bytes. */
type Readings = ReadonlyMap<number, Exclude<Cell, null>>;

interface Named {
  readonly name: string;
  readonly readings: Readings;
  readonly paint?: PaintName;
  readonly isBeside?: boolean;
}

/** Sizes in bytes, each four times the one before: from sizes limited by latency to sizes limited by the link. */
const sizes = Array.from({ length: 11 }, (_, power) => 256 * 4 ** power);

export function profileBandwidth(profile: DeviceProfile): LineSpec {
  const costs = profileCosts(profile);
  const named = copies.flatMap(({ direction, memory, paint }): Named[] => {
    const name = `${direction.toUpperCase()} ${memory}`;
    return [
      { name, paint, readings: readings((size) => programRate(profile, direction, memory, size)) },
      {
        name: `${name}, copy engine`,
        paint,
        isBeside: true,
        readings: readings((size) => engineRate(costs, direction, memory, size)),
      },
    ];
  });
  const provenance: Provenance = { origins: ['simulated'], device: profile.device.name, date: '' };
  const title = `Bandwidth of a copy that runs alone, from call to arrival, in profile ${profile.name}`;
  return lines(title, named, provenance, linkBytesPerSecond(profile.device));
}

const copies = [
  { direction: 'h2d', memory: 'pinned', paint: 'h2d' },
  { direction: 'd2h', memory: 'pinned', paint: 'd2h' },
  { direction: 'h2d', memory: 'pageable', paint: 'kernel' },
  { direction: 'd2h', memory: 'pageable', paint: 'd2d' },
] as const;

const readings = (rate: (size: number) => number | null): Readings =>
  new Map(
    sizes.flatMap((size) => {
      const value = rate(size);
      return value === null ? [] : [[size, { value }] as const];
    }),
  );

/** Returns the rate of the copy engine alone, without the call. */
function engineRate(costs: CostModel, direction: 'h2d' | 'd2h', memory: 'pinned' | 'pageable', size: number) {
  const [src, dst] = direction === 'h2d' ? ([memory, 'device'] as const) : (['device', memory] as const);
  const cost = costs.copy(size, { src, dst, from: -1, to: -1 }, false);
  return cost === null ? null : (size / cost.deviceNs) * 1e9;
}

function lines(title: string, named: readonly Named[], provenance: Provenance, limit: number | null): LineSpec {
  const sizes = [...new Set(named.flatMap(({ readings }) => [...readings.keys()]))].sort((a, b) => a - b);
  const rows: Row[] = named.map(({ name, readings, paint, isBeside }) => ({
    name,
    ...(isBeside === true ? { isBeside } : {}),
    ...(paint === undefined ? {} : { paint }),
    cells: sizes.map((size) => readings.get(size) ?? null),
  }));
  const limits: Row[] =
    limit === null
      ? []
      : [{ name: 'limit of the PCIe link', isLimit: true, cells: sizes.map(() => ({ value: limit })) }];
  return {
    kind: 'lines',
    title,
    provenance,
    x: { name: 'Size of a copy', unit: 'B', values: sizes, scale: 'log' },
    value: { name: 'Bandwidth', unit: 'B/s' },
    rows: [...rows, ...limits],
  };
}
