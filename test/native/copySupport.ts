/** Tensors with known bytes, and simulated devices, for the tests of startCopy. */
import { expect } from 'vitest';
import { nativeCopies } from '../../native/copy/nativeCopies.ts';
import type { HostTensor } from '../../native/index.ts';

export const device = 'cpu-device:0';
export const other = 'cpu-device:1';

/** Returns bytes that differ by position and by seed. */
export function bytes(count: number, seed = 1): Uint8Array {
  const made = new Uint8Array(count);
  for (let at = 0; at < count; at += 1) made[at] = (at * 31 + seed * 7 + (at >> 8)) % 256;
  return made;
}

/** Sets the behaviour of a simulated device: a failing copy, slow copies, a held copy, little memory. */
export function simulate(order: {
  device?: string;
  failAfter?: number;
  failHandleAfter?: number;
  delayNs?: number;
  holdNext?: number;
  memoryBytes?: number;
}): void {
  nativeCopies().copySimulate({ device, ...order });
}

export const calm = { failAfter: -1, failHandleAfter: -1, delayNs: 0, holdNext: 0, memoryBytes: 2 ** 34 };

/** Expects one tensor for each source, with the same bytes. */
export function expectBytes(results: readonly HostTensor[], sources: readonly Uint8Array[]): void {
  expect(results.length).toBe(sources.length);
  results.forEach((result, index) => {
    expect(Buffer.compare(result.bytes, sources[index] ?? new Uint8Array()), `tensor ${index}`).toBe(0);
  });
}
