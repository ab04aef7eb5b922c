/** Throughput that copies from and to pinned memory certainly reach over the link, in bytes per second. */
import type { DeviceInfo } from '../program/engine.ts';
import type { Activity } from '../trace/iteration.ts';
import { MiB } from '../units.ts';

/** Smaller copies don't show the rate of the link: their start takes as long as their bytes. */
const leastToldBytes = MiB;

/** PCI Express 3.0 has 0.985 GB/s per lane, each later generation twice that. Copies reach about four fifths of it. */
const laneRate = (generation: number): number => 0.8 * 0.985e9 * 2 ** (generation - 3);

/** Devices of compute capability 8 came with PCI Express 4.0, later ones with 5.0. */
const generationOf = (device: DeviceInfo | null): number =>
  Math.min(5, Math.max(3, Math.floor(Number(device?.computeCapability ?? 0)) - 4));

/**
 * Returns, by direction, the rate of the device's link, or of the fastest copy in the trace if that is higher. Assumes
 * 16 lanes of the third generation if the device is unknown.
 */
export function linkRates(copies: readonly Activity[], device: DeviceInfo | null): (copy: Activity) => number {
  const least = laneRate(generationOf(device)) * (device?.linkWidth ?? 16);
  const rates = new Map<Activity['direction'], number>();
  for (const { bytes, startNs, endNs, direction } of copies) {
    if (bytes < leastToldBytes || endNs <= startNs) continue;
    rates.set(direction, Math.max(rates.get(direction) ?? 0, (bytes / (endNs - startNs)) * 1e9));
  }
  return ({ direction }) => Math.max(least, rates.get(direction) ?? 0);
}
