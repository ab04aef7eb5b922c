import type { SettledPrediction } from '../../core/service/settled.ts';

/** Returns a prediction that was checked by the trace of this number. */
export const settledBy = (number: number, changes: Partial<SettledPrediction> = {}): SettledPrediction => ({
  profile: 'h200',
  before: { name: 'before', recordedAt: '2026-11-20T09:00:00.000Z' },
  after: { name: `after ${number}`, recordedAt: '2026-11-20T10:00:00.000Z' },
  changes: ['pin'],
  predictedShare: 0.4,
  lowShare: 0.3,
  highShare: 0.5,
  measuredShare: 0.45,
  holds: true,
  ...changes,
});
