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

/** Returns a bar for each item, made of its parts end to end. */
const stacked = <Item>(
  provenance: Provenance,
  items: readonly Item[],
  texts: Pick<BarSpec, 'title' | 'by'> & { readonly value: string; readonly label: (item: Item) => string },
  parts: readonly (readonly [name: string, paint: PaintName, timeOf: (item: Item) => number])[],
): BarSpec | null =>
  items.length === 0
    ? null
    : {
        ...{ kind: 'bars', title: texts.title, by: texts.by, provenance, stacked: true },
        categories: items.map((item) => ({ label: texts.label(item) })),
        value: { name: texts.value, unit: 'ns' },
        rows: parts.map(([name, paint, timeOf]) => ({ name, paint, cells: items.map((one) => reading(timeOf(one))) })),
      };

function deviceTime({ temporal }: BreakdownSummary, provenance: Provenance): BarSpec | null {
  const value = 'From the first activity to the end of the last';
  const texts = { title: 'Time of the device', by: 'Device', value, label: ({ device }: Temporal) => device };
  return stacked(provenance, temporal, texts, [
    ['Kernels', 'kernel', ({ computeNs }) => computeNs],
    ['Only copies or communication', 'h2d', ({ nonComputeNs }) => nonComputeNs],
    ['Idle', 'host-sync', ({ idleNs }) => idleNs],
  ]);
}

function hostTime({ host }: BreakdownSummary, provenance: Provenance): BarSpec | null {
  const value = 'Time in an iteration';
  const texts = { title: 'Time of the host threads', by: 'Host thread', value, label: ({ name }: Host) => name };
  const spec = stacked(provenance, host, texts, [
    ['Issuing', 'host-call', ({ issuingNs }) => issuingNs],
    ['Blocked by a copy', 'd2h', ({ heldByCopyNs }) => heldByCopyNs],
    ['Blocked in synchronise', 'host-sync', ({ blockedInSynchronizeNs }) => blockedInSynchronizeNs],
    ['Working', 'host-work', ({ workingNs }) => workingNs],
    ['Other', 'host-range', ({ otherNs }) => otherNs],
  ]);
  const takesTime = ({ cells }: Row): boolean => cells.some((cell) => isReading(cell) && cell.value > 0);
  return spec === null ? null : { ...spec, rows: spec.rows.filter(takesTime) };
}

type Temporal = BreakdownSummary['temporal'][number];
type Host = BreakdownSummary['host'][number];

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
