/** Metrics of a sweep's point: one number per recorded iteration, and their median and spread. */
import { deliveredRate } from '../../explain/figures/copyBandwidth.ts';
import { linkUse } from '../../explain/figures/engines.ts';
import { overlap } from '../../explain/figures/overlap.ts';
import { type Spread, spread } from '../../statistics.ts';
import { type Iteration, iterationOf, makespan, rowDevice, rowsOfKind } from '../../trace/iteration.ts';
import { iterationsOf } from '../../trace/rows.ts';
import type { Run } from '../../trace/run.ts';

export type MetricUnit = 'ns' | 'B/s' | 'share';

export interface Metric {
  readonly id: string;
  /** For example 'H2D bandwidth'. */
  readonly label: string;
  /** Sentence that explains how it is measured. */
  readonly meaning: string;
  readonly unit: MetricUnit;
  readonly best: 'least' | 'most';
}

interface IterationFacts {
  readonly makespanNs: number | null;
  readonly link: ReturnType<typeof linkUse>;
  /** Rates that the program gets from its copies. */
  readonly delivered: Readonly<Record<'h2d' | 'd2h', number | null>>;
  readonly overlap: ReturnType<typeof overlap>;
  /** Number of devices that ran kernels. */
  readonly kernelDevices: number;
}

type Count = (facts: IterationFacts) => number | null;

const rate = (bytes: number, ns: number | null): number | null =>
  ns !== null && ns > 0 && bytes > 0 ? (bytes / ns) * 1e9 : null;

const counted: readonly (Metric & { readonly of: Count })[] = [
  {
    id: 'makespan',
    label: 'Makespan',
    meaning: 'From an iteration’s start to the end of its last activity.',
    unit: 'ns',
    best: 'least',
    of: ({ makespanNs }) => makespanNs,
  },
  {
    id: 'h2dDelivered',
    label: 'H2D rate of the program',
    meaning: 'Bytes copied from host to device over the time from the call to the arrival, host time included.',
    unit: 'B/s',
    best: 'most',
    of: ({ delivered }) => delivered.h2d,
  },
  {
    id: 'd2hDelivered',
    label: 'D2H rate of the program',
    meaning: 'Bytes copied from device to host over the time from the call to the arrival, host time included.',
    unit: 'B/s',
    best: 'most',
    of: ({ delivered }) => delivered.d2h,
  },
  {
    id: 'h2dBandwidth',
    label: 'H2D bandwidth',
    meaning: 'Bytes copied from host to device over the time in which such a copy ran: the copy engine’s rate.',
    unit: 'B/s',
    best: 'most',
    of: ({ link }) => link.h2d.bytesPerSecond,
  },
  {
    id: 'd2hBandwidth',
    label: 'D2H bandwidth',
    meaning: 'Bytes copied from device to host over the time in which such a copy ran: the copy engine’s rate.',
    unit: 'B/s',
    best: 'most',
    of: ({ link }) => link.d2h.bytesPerSecond,
  },
  {
    id: 'h2dThroughput',
    label: 'H2D throughput',
    meaning: 'Bytes copied from host to device over the whole makespan.',
    unit: 'B/s',
    best: 'most',
    of: ({ link, makespanNs }) => rate(link.h2d.bytes, makespanNs),
  },
  {
    id: 'h2dOverlap',
    label: 'H2D time overlapped by kernels',
    meaning: 'Part of the time of H2D copies in which a kernel ran too.',
    unit: 'share',
    best: 'most',
    of: ({ overlap: { h2dKernel } }) => h2dKernel.shareOfCopy,
  },
  {
    id: 'd2hOverlap',
    label: 'D2H time overlapped by kernels',
    meaning: 'Part of the time of D2H copies in which a kernel ran too.',
    unit: 'share',
    best: 'most',
    of: ({ overlap: { d2hKernel } }) => d2hKernel.shareOfCopy,
  },
  {
    id: 'kernelOverlap',
    label: 'Kernel time overlapped by H2D copies',
    meaning: 'Part of the kernels’ time in which an H2D copy ran too.',
    unit: 'share',
    best: 'most',
    of: ({ overlap: { h2dKernel } }) => h2dKernel.shareOfKernel,
  },
  {
    id: 'bothDirections',
    label: 'H2D time overlapped by D2H copies',
    meaning: 'Part of the time of H2D copies in which a D2H copy ran too.',
    unit: 'share',
    best: 'most',
    of: ({ overlap: { h2dD2h } }) => h2dD2h.shareOfH2d,
  },
  {
    id: 'h2dUse',
    label: 'H2D use',
    meaning: 'Part of the makespan in which an H2D copy ran; of several devices the mean.',
    unit: 'share',
    best: 'most',
    of: ({ link }) => link.h2d.shareOfMakespan,
  },
  {
    id: 'kernelUse',
    label: 'Kernel use',
    meaning: 'Part of the makespan in which a kernel ran; of several devices the mean.',
    unit: 'share',
    best: 'most',
    of: ({ overlap: { kernelBusyNs }, makespanNs, kernelDevices }) =>
      makespanNs !== null && makespanNs > 0 && kernelBusyNs > 0 ? kernelBusyNs / (makespanNs * kernelDevices) : null,
  },
];

export const metrics: readonly Metric[] = counted;

/** By metric id; null if the metric has no meaning for the run, such as a bandwidth without copies. */
export type Figures = Readonly<Record<string, Spread | null>>;

/** Computes the metrics over all recorded iterations of a run. */
export function runFigures({ trace }: Run): Figures {
  const facts = iterationsOf(trace).map((number) => factsOf(iterationOf(trace, number)));
  return Object.fromEntries(counted.map(({ id, of }) => [id, spread(facts.map(of).filter((value) => value !== null))]));
}

const factsOf = (iteration: Iteration): IterationFacts => ({
  makespanNs: makespan(iteration),
  link: linkUse(iteration),
  delivered: { h2d: deliveredRate(iteration, 'h2d'), d2h: deliveredRate(iteration, 'd2h') },
  overlap: overlap(iteration),
  kernelDevices: new Set(rowsOfKind(iteration, 'kernel').map((row) => rowDevice(iteration.trace, row))).size,
});
