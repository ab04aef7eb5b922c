/** Figures from what was measured. */

import type { ErrorInfo } from '../errors.ts';
import { median } from '../statistics.ts';
import type { BenchRow, Figure, FigureUnit } from './document.ts';
import type { Measured } from './measurement.ts';
import type { BenchItem, FigurePlan } from './plan.ts';

const units: Readonly<Record<FigurePlan['as'], FigureUnit>> = {
  rate: 'B/s',
  time: 'ns',
  each: 'ns',
  operations: 'operations',
};

export function measuredRow(item: BenchItem, measured: Measured): BenchRow {
  const wrong = measured.wrong > 0;
  return {
    ...place(item),
    status: wrong ? 'failed' : 'done',
    ...(wrong ? { error: wrongBytes(measured) } : {}),
    figures: item.figures.map((plan) => figure(plan, item, measured)),
    clock: measured.onHostClock ? 'host' : 'device',
    verification: { bytesChecked: measured.checked, bytesWrong: measured.wrong },
  };
}

export const failedRow = (item: BenchItem, error: ErrorInfo): BenchRow => ({
  ...place(item),
  status: 'failed',
  error,
  figures: [],
});

export const waivedRow = (item: BenchItem, reason: string): BenchRow => ({
  ...place(item),
  status: 'waived',
  reason,
  figures: [],
});

const place = ({ section, row, column, measurement: { bytes, count } }: BenchItem) => ({
  section,
  row,
  column,
  ...(section === 'launch' || section === 'queue' ? {} : { bytes }),
  count,
});

const wrongBytes = ({ checked, wrong }: Measured): ErrorInfo => ({
  code: 'verification.failed',
  message: `${wrong} of ${checked} bytes are wrong after the copies.`,
});

function figure(plan: FigurePlan, { measurement }: BenchItem, measured: Measured): Figure {
  const samples = samplesOf(plan, measured, measurement.count);
  return {
    name: plan.name,
    unit: units[plan.as],
    median: median(samples),
    least: Math.min(...samples),
    most: Math.max(...samples),
    samples,
  };
}

function samplesOf({ from, as, share }: FigurePlan, measured: Measured, count: number): number[] {
  // The queue's depth is what each sample found.
  if (from === 'depth') return [...measured.ns];
  const times = [...measured[from]];
  if (as === 'rate') return times.map((ns) => (ns > 0 ? (measured.bytes * (share ?? 1) * 1e9) / ns : 0));
  return as === 'each' ? times.map((ns) => ns / count) : times;
}
