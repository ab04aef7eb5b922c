/** Figures of a comparison in words, for the window and the terminal. */
import { intervalText } from '../../machine/cost/interval.ts';
import { formatDuration } from '../../units.ts';
import type { Difference, MatchedBy, OperationDifference, RunComparison } from './comparison.ts';
import type { Spread } from './spread.ts';

export const matchedByWords: Readonly<Record<MatchedBy, string>> = {
  number: 'matched by number: the experiments have the same operations',
  document: 'matched by label, content and place: the experiments differ',
  name: 'matched by name, and copies by direction and size: one of the runs has no experiment',
};

/** Returns '1.20 ms (1.10 ms to 1.30 ms)', or without brackets if there is no spread. */
export function formatSpread(spread: Spread | null, withRange = true): string {
  if (spread === null) return 'none';
  const median = formatDuration(spread.median);
  if (!withRange || spread.low === spread.high) return median;
  return `${median} (${formatDuration(spread.low)} to ${formatDuration(spread.high)})`;
}

/** Returns '+120 µs (+9.8 %)', '-1.20 ms' or '0'; empty if there is no difference. */
export function formatDifference({ differenceNs, ratio }: Pick<Difference, 'differenceNs' | 'ratio'>): string {
  if (differenceNs === null) return '';
  if (differenceNs === 0) return '0';
  const time = `${differenceNs > 0 ? '+' : '−'}${formatDuration(Math.abs(differenceNs))}`;
  return ratio === null ? time : `${time} (${formatChange(ratio)})`;
}

/** Returns '+9.8 %', '−50 %', '×12.3' or '<0.1 %'. */
export function formatChange(ratio: number): string {
  if (ratio >= 10) return `×${ratio.toFixed(1)}`;
  const percent = Math.abs(ratio - 1) * 100;
  if (percent < 0.05) return '<0.1 %';
  const text = percent.toFixed(percent < 99.95 ? 1 : 0);
  return `${ratio >= 1 ? '+' : '−'}${text} %`;
}

/** Describes where a run lies within its prediction's interval. Returns null for other pairs. */
export function predictedWords({ a, b, makespan }: RunComparison): string | null {
  const [interval, other] =
    a.makespanInterval === null ? [b.makespanInterval, makespan.a] : [a.makespanInterval, makespan.b];
  if (interval === null || other === null || (a.makespanInterval !== null && b.makespanInterval !== null)) return null;
  const { lowNs, highNs } = interval;
  const place = other.median < lowNs ? 'below' : other.median > highNs ? 'above' : 'within';
  return `The recorded makespan lies ${place} the predicted interval: ${intervalText(interval)}.`;
}

/** Returns the effect on the makespan or step. An operation that only one run has counts completely. */
export const effectNs = ({ spent }: Pick<OperationDifference, 'spent'>): number =>
  (spent.b?.median ?? 0) - (spent.a?.median ?? 0);

/** Sorts by effect on the makespan, then by difference of duration, largest first. */
export const bySize = (operations: readonly OperationDifference[]): OperationDifference[] =>
  operations.toSorted(
    (a, b) =>
      Math.abs(effectNs(b)) - Math.abs(effectNs(a)) ||
      Math.abs(b.duration.differenceNs ?? 0) - Math.abs(a.duration.differenceNs ?? 0),
  );
