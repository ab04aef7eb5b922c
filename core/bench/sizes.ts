/** Sizes as people type them: 4KiB, 64K, 1MiB, 256M, 1G, 1000000. */
import { GiB, KiB, MiB } from '../units.ts';

const factors: Readonly<Record<string, number>> = { '': 1, K: KiB, M: MiB, G: GiB };
export const mostBenchBytes = 16 * GiB;

/** Bytes; null where it is no size, or not from 1 byte to 16 GiB. K, M and G are binary, as CUDA counts memory. */
export function parseSize(text: string): number | null {
  const [, digits, unit = ''] = /^(\d+)\s*([KMG])?(?:i?B)?$/i.exec(text.trim()) ?? [];
  const bytes = Number(digits) * (factors[unit.toUpperCase()] ?? Number.NaN);
  return bytes >= 1 && bytes <= mostBenchBytes ? bytes : null;
}
