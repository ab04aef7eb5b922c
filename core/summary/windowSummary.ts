/** A run's summary as the window holds it: of its operations, which are most of it, only what the lanes show of all. */
import type { LazySummary } from './summary.ts';
import type { SummaryDocument } from './summaryDocument.ts';

export interface WindowSummary extends Omit<SummaryDocument, 'operations'> {
  /** The highest attainable rate among the copies of each direction; null where no profile knows. */
  readonly attainable: Readonly<Record<'h2d' | 'd2h', number | null>>;
}

export function windowSummary({ operations, ...summary }: LazySummary): WindowSummary {
  const attainable = { h2d: 0, d2h: 0 };
  for (const { direction, attainableBytesPerSecond: rate } of operations) {
    if (direction === 'h2d' || direction === 'd2h') attainable[direction] = Math.max(attainable[direction], rate ?? 0);
  }
  return { ...summary, attainable: { h2d: attainable.h2d || null, d2h: attainable.d2h || null } };
}
