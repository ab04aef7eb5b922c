/** Bytes per second that copies from and into pinned memory surely reach over the link. */
import type { DeviceInfo } from '../program/engine.ts';
import type { Activity } from '../trace/iteration.ts';
import { MiB } from '../units.ts';

/** Smaller copies don't show what the link can do: to start them takes as long as their bytes do. */
const leastToldBytes = MiB;

/** PCI Express 3.0 gives a lane 0.985 GB/s, each later generation twice that. Copies reach about four fifths of it. */
const laneRate = (generation: number): number => 0.8 * 0.985e9 * 2 ** (generation - 3);

/** Devices of compute capability 8 came with PCI Express 4.0, those of 9 and later ones with 5.0. */
const generationOf = (device: DeviceInfo | null): number =>
  Math.min(5, Math.max(3, Math.floor(Number(device?.computeCapability ?? 0)) - 4));

/**
 * By direction: what the device's link gives, or the fastest copy of the trace where that was faster. Where no device is
 * known, its link is taken to be one of the third generation with 16 lanes.
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
