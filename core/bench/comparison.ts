/** The same payloads in PyTorch: what is asked of it, and the ratios. */
import { median } from '../statistics.ts';
import type { BenchDocument, BenchRow, Comparison, Figure } from './document.ts';
import type { BenchItem } from './plan.ts';

/** A payload for assets/bench/pytorch.py. */
export interface PeerTask {
  /** Index of the item in the plan. */
  readonly item: number;
  readonly kind: 'copy' | 'latency' | 'small';
  readonly direction: 'h2d' | 'd2h' | 'd2d';
  readonly pinned: boolean;
  readonly bytes: number;
  readonly count: number;
  readonly samples: number;
  readonly warmups: number;
}

export interface PeerResult {
  readonly item: number;
  /** What was called, as code. */
  readonly call: string;
  /** Of a sample, in nanoseconds. */
  readonly ns: readonly number[];
}

/** Below this a loop of PyTorch's calls measures the interpreter, and not the link. */
const leastBandwidthBytes = 1024 * 1024;

/** The items that PyTorch has a call for. Small copies are compared whole: our best method beside its loops. */
export function peerTasks(plan: readonly BenchItem[]): PeerTask[] {
  return plan.flatMap((item, index): PeerTask[] => {
    const { section, measurement } = item;
    const { memory, direction, bytes, count, samples, warmups } = measurement;
    const common = { item: index, direction, bytes, count, samples, warmups, pinned: memory !== 'pageable' };
    const ordinary = memory === 'pinned' || memory === 'pageable';
    if ((section === 'copies' || section === 'device') && ordinary && bytes >= leastBandwidthBytes) {
      return [{ ...common, kind: 'copy' }];
    }
    if (section === 'latency' && ordinary) return [{ ...common, kind: 'latency' }];
    return section === 'small' && measurement.method !== 'graph' ? [{ ...common, kind: 'small' }] : [];
  });
}

export function comparisons(rows: readonly BenchRow[], results: readonly PeerResult[]): Comparison[] {
  return results.flatMap(({ item, call, ns }) => {
    const row = rows[item];
    const [figure] = row?.figures ?? [];
    if (row === undefined || figure === undefined || row.status !== 'done' || ns.length === 0) return [];
    return [comparison(row, figure, call, median(ns))];
  });
}

function comparison(row: BenchRow, figure: Figure, call: string, ns: number): Comparison {
  const moved = (row.bytes ?? 0) * (row.count ?? 1);
  const isRate = figure.unit === 'B/s';
  const pytorch = isRate ? (moved * 1e9) / ns : ns;
  const { section, column } = row;
  const ratio = isRate ? figure.median / pytorch : pytorch / figure.median;
  return { section, row: row.row, column, call, unit: figure.unit, copyscope: figure.median, pytorch, ratio };
}

export const hasFailures = ({ rows }: BenchDocument): boolean => rows.some(({ status }) => status === 'failed');
