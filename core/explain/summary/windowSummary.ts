/** A run's summary for the window. Most of a summary is operations, so this keeps only the fields that lanes show. */
import type { Verdict } from '../verdicts/verdict.ts';
import type { LazySummary } from './summary.ts';
import type { SummaryDocument } from './summaryDocument.ts';

export interface WindowSummary extends Omit<SummaryDocument, 'operations'> {
  /** Highest attainable rate of the copies in each direction; null if no profile has it. */
  readonly attainable: Readonly<Record<'h2d' | 'd2h', number | null>>;
}

/** Returns the costliest verdicts, so that what shows them opens at once. Sums include all of them. */
export const costliest = (verdicts: readonly Verdict[], most = 1000): readonly Verdict[] =>
  verdicts.length <= most ? verdicts : verdicts.toSorted((a, b) => b.costNs - a.costNs).slice(0, most);

export function windowSummary({ operations, ...summary }: LazySummary): WindowSummary {
  const attainable = { h2d: 0, d2h: 0 };
  for (const { direction, attainableBytesPerSecond: rate } of operations) {
    if (direction === 'h2d' || direction === 'd2h') attainable[direction] = Math.max(attainable[direction], rate ?? 0);
  }
  return { ...summary, attainable: { h2d: attainable.h2d || null, d2h: attainable.d2h || null } };
}
