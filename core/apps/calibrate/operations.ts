/** Operations of which probes are made. Findings look them up by label. */
import { KiB, MiB } from '../../units.ts';
import type { Operation } from './plan.ts';

export const spin = (label: string, durationNs: number, stream = 'work') => ({
  op: 'kernel' as const,
  label,
  kernel: { kind: 'spin' as const, durationNs },
  stream,
});

export const copy = (label: string, src: string, dst: string, bytes?: number, stream = 'work') => ({
  op: 'copy' as const,
  label,
  src,
  dst,
  stream,
  ...(bytes === undefined ? {} : { bytes }),
});

export const synchronize = (label = 'synchronise', stream = 'work') => ({
  op: 'synchronizeStream' as const,
  label,
  stream,
});

export const pause = (durationNs: number) => ({ op: 'work' as const, label: 'pause', durationNs });

export const repeat = <Repeated>(count: number, ...operations: Repeated[]) => ({
  op: 'repeat' as const,
  count,
  operations,
});

/** Repeats an operation, so that extra costs of first calls are over when the measured ones begin. */
export const warmUp = (operation: Operation) => repeat<Operation>(4, operation, synchronize('end warm'));

/** Used between copies, so that it pays for driver cache entries that the copy before has evicted. */
export const query = { op: 'queryStream' as const, label: 'query', stream: 'work' };

export const stream = { id: 'work', flags: 'non-blocking' as const };

/** Returns sizes of copies, from bound by latency to bound by bandwidth. */
export const copySizes = (largest: number): number[] =>
  [
    ...[256, 4 * KiB, 16 * KiB, 64 * KiB, 128 * KiB, 256 * KiB, 512 * KiB, MiB, 2 * MiB, 4 * MiB, 8 * MiB, 16 * MiB],
    ...[32 * MiB, 64 * MiB, 128 * MiB, 256 * MiB, 512 * MiB, 1024 * MiB],
  ].filter((bytes) => bytes <= largest);

/** Returns the gaps between the ends of spans and the starts of the next. */
export function gaps(spans: readonly { readonly startNs: number; readonly endNs: number }[]): number[] {
  return spans.slice(1).map((span, index) => span.startNs - (spans[index]?.endNs ?? span.startNs));
}
