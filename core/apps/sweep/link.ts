/** Capacity of a PCI Express link in one direction, before packet overhead. */
import type { DeviceInfo } from '../../program/engine.ts';

/**
 * Transfers per second of a lane, and the share of bits that carry data, by generation. PCI Express Base Specification:
 * 1 and 2 encode 8 bits in 10, 3 to 5 encode 128 in 130, 6 sends 236 bytes of data in a flit of 256.
 */
const lanes: Readonly<Record<number, readonly [transfers: number, share: number]>> = {
  1: [2.5e9, 8 / 10],
  2: [5e9, 8 / 10],
  3: [8e9, 128 / 130],
  4: [16e9, 128 / 130],
  5: [32e9, 128 / 130],
  6: [64e9, 236 / 256],
};

/** Returns bytes per second in one direction; null if the link is unknown. */
export function linkBytesPerSecond(device: Pick<DeviceInfo, 'linkGeneration' | 'linkWidth'> | null): number | null {
  const lane = lanes[device?.linkGeneration ?? 0];
  if (lane === undefined || device?.linkWidth == null) return null;
  return (lane[0] * lane[1] * device.linkWidth) / 8;
}
