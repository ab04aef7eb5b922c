/** Charts of one run from its summary: use of the engines, and where the time of host threads and devices went. */

import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import { laneTitles } from '../../core/trace/laneTitles.ts';
import type { RunOrigin } from '../../core/trace/run.ts';
import type { PaintName } from '../common/palette.ts';
import {
  type BarSpec,
  type Cell,
  type ChartSpec,
  isReading,
  type LineSpec,
  type Provenance,
  type Row,
} from './spec.ts';

export type BreakdownSummary = Pick<
  WindowSummary,
  'engines' | 'host' | 'temporal' | 'device' | 'profile' | 'machine' | 'createdAt'
>;

/** Ends of axes that make charts of several runs comparable. A chart picks its own end for null or a missing value. */
export interface AxisEnds {
  readonly makespanNs?: number | null;
  /** Limit of the link in one direction. */
  readonly bytesPerSecond?: number | null;
}

/** Returns the charts that have something to show, in display order. */
export function breakdownCharts(
  summary: BreakdownSummary,
  origin: RunOrigin,
  makespansNs: readonly number[],
  ends: AxisEnds = {},
): ChartSpec[] {
  const provenance: Provenance = { origins: [origin], device: deviceOf(summary), date: summary.createdAt };
  return [
    engineUse(summary, provenance),
    endingAt(engineBandwidth(summary, provenance), ends.bytesPerSecond),
    endingAt(deviceTime(summary, provenance), ends.makespanNs),
    endingAt(hostTime(summary, provenance), ends.makespanNs),
    endingAt(iterations(makespansNs, provenance), ends.makespanNs),
  ].filter((spec) => spec !== null);
}

const endingAt = <Spec extends ChartSpec>(spec: Spec | null, most: number | null | undefined): Spec | null =>
  spec === null || most == null ? spec : { ...spec, most };

export const deviceOf = ({
  device,
  profile,
  machine,
}: Pick<BreakdownSummary, 'device' | 'profile' | 'machine'>): string => device?.name ?? profile ?? machine?.cpu ?? '';

const reading = (value: number | null): Cell => (value === null ? null : { value });

function engineUse({ engines }: BreakdownSummary, provenance: Provenance): BarSpec | null {
  if (engines.length === 0) return null;
  return {
    kind: 'bars',
    title: 'Engine use',
    provenance,
    by: 'Engine',
    categories: laneTitles(engines).map((label) => ({ label })),
    value: { name: 'Busy part of the makespan', unit: 'share' },
    most: 1,
    rows: [{ name: 'Busy', cells: engines.map(({ shareOfMakespan }) => reading(shareOfMakespan)) }],
  };
}

function engineBandwidth({ engines }: BreakdownSummary, provenance: Provenance): BarSpec | null {
  const copying = engines.filter(({ kind, bytesPerSecond }) => kind === 'copy-engine' && bytesPerSecond !== null);
  if (copying.length === 0) return null;
  return {
    kind: 'bars',
    title: 'Bandwidth of the copy engines',
    provenance,
    by: 'Engine',
    categories: laneTitles(copying).map((label) => ({ label })),
    value: { name: 'Bytes over busy time', unit: 'B/s' },
    rows: [{ name: 'Bandwidth', cells: copying.map(({ bytesPerSecond }) => reading(bytesPerSecond)) }],
  };
}

const part = (name: string, paint: PaintName, times: readonly number[]): Row => ({
  name,
  paint,
  cells: times.map((time) => reading(time)),
});

function deviceTime({ temporal }: BreakdownSummary, provenance: Provenance): BarSpec | null {
  if (temporal.length === 0) return null;
  return {
    kind: 'bars',
    title: 'Time of the device',
    provenance,
    by: 'Device',
    stacked: true,
    categories: temporal.map(({ device }) => ({ label: device })),
    value: { name: 'From the first activity to the end of the last', unit: 'ns' },
    rows: [
      part(
        'Kernels',
        'kernel',
        temporal.map(({ computeNs }) => computeNs),
      ),
      part(
        'Only copies or communication',
        'h2d',
        temporal.map(({ nonComputeNs }) => nonComputeNs),
      ),
      part(
        'Idle',
        'host-sync',
        temporal.map(({ idleNs }) => idleNs),
      ),
    ],
  };
}

function hostTime({ host }: BreakdownSummary, provenance: Provenance): BarSpec | null {
  if (host.length === 0) return null;
  return {
    kind: 'bars',
    title: 'Time of the host threads',
    provenance,
    by: 'Host thread',
    stacked: true,
    categories: host.map(({ name }) => ({ label: name })),
    value: { name: 'Time in an iteration', unit: 'ns' },
    rows: [
      part(
        'Issuing',
        'host-call',
        host.map(({ issuingNs }) => issuingNs),
      ),
      part(
        'Held by a copy',
        'd2h',
        host.map(({ heldByCopyNs }) => heldByCopyNs),
      ),
      part(
        'Blocked in synchronise',
        'host-sync',
        host.map(({ blockedInSynchronizeNs }) => blockedInSynchronizeNs),
      ),
      part(
        'Working',
        'host-work',
        host.map(({ workingNs }) => workingNs),
      ),
      part(
        'Other',
        'host-range',
        host.map(({ otherNs }) => otherNs),
      ),
    ].filter(({ cells }) => cells.some((cell) => isReading(cell) && cell.value > 0)),
  };
}

/** Returns the makespan of each iteration, or null if there is only one. */
function iterations(makespansNs: readonly number[], provenance: Provenance): LineSpec | null {
  if (makespansNs.length < 2) return null;
  return {
    kind: 'lines',
    title: 'Makespan of each iteration',
    provenance,
    x: { name: 'Iteration', unit: 'count', scale: 'linear', values: makespansNs.map((_, index) => index + 1) },
    value: { name: 'Makespan', unit: 'ns' },
    rows: [{ name: 'Makespan', cells: makespansNs.map((value) => ({ value })) }],
  };
}
