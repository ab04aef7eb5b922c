/** The operations that probes are made of. Labels are what findings ask for. */
import { KiB, MiB } from '../units.ts';
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

/** What a first call, and a first one of its kind, costs more is over when the others begin. */
export const warmUp = (operation: Operation) => repeat<Operation>(4, operation, synchronize('end warm'));

/** Between copies: it takes what the copy before has pushed out of the driver's caches. */
export const query = { op: 'queryStream' as const, label: 'query', stream: 'work' };

export const stream = { id: 'work', flags: 'non-blocking' as const };

/** Sizes of copies, from what costs only latency to what costs only bandwidth. */
export const copySizes = (largest: number): number[] =>
  [
    ...[256, 4 * KiB, 16 * KiB, 64 * KiB, 128 * KiB, 256 * KiB, 512 * KiB, MiB, 2 * MiB, 4 * MiB, 8 * MiB, 16 * MiB],
    ...[32 * MiB, 64 * MiB, 128 * MiB, 256 * MiB, 512 * MiB, 1024 * MiB],
  ].filter((bytes) => bytes <= largest);

/** The mean of what lies between the ends of neighbours and their starts. */
export function gaps(spans: readonly { readonly startNs: number; readonly endNs: number }[]): number[] {
  return spans.slice(1).map((span, index) => span.startNs - (spans[index]?.endNs ?? span.startNs));
}
