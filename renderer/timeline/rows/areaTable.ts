/** Activities in a time range by name: number, duration, bytes, and the share that other work overlapped. */

import { selfTimes } from '../../../core/explain/figures/selfTime.ts';
import { spread } from '../../../core/statistics.ts';
import type { TextTable } from '../../../core/tableText.ts';
import { coveredLength, type Intervals, union } from '../../../core/trace/intervals.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { type PaintName, paintCode, paintNames } from '../../common/palette.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';

export interface AreaRow {
  readonly name: string;
  readonly paint: PaintName;
  /** Number of rows with a part in the time range. */
  readonly count: number;
  /** Time within the range, summed over the rows; simultaneous rows each count. */
  readonly totalNs: number;
  /** The total without activities nested in the rows of their lane, such as the calls that a range makes. */
  readonly selfNs: number;
  /** totalNs over the range's length; above 1 if rows run at the same time. */
  readonly share: number;
  readonly leastNs: number;
  readonly medianNs: number;
  readonly greatestNs: number;
  readonly meanNs: number;
  /** The row that takes longest within the range. */
  readonly longest: RowIndex;
  /** Bytes of copies, in proportion to the part within the range. */
  readonly bytes: number;
  /** bytes over totalNs; null if nothing moved. */
  readonly bytesPerSecond: number | null;
  /** Share of totalNs in which work of another kind ran on a device; null for host activities. */
  readonly overlapped: number | null;
}

interface Group {
  readonly name: number;
  readonly paint: number;
  readonly starts: number[];
  readonly ends: number[];
  bytes: number;
  totalNs: number;
  selfNs: number;
  longest: RowIndex;
  longestNs: number;
}

/** Returns the rows in order of total time, longest first. */
export function areaTable(view: IterationView, startNs: number, endNs: number): AreaRow[] {
  const groups = grouped(view, startNs, endNs);
  const busy = deviceBusy(groups);
  const { names } = view.run.trace;
  const rows = groups.map((group): AreaRow => {
    const { totalNs, bytes, starts, ends, selfNs, longest } = group;
    const { median, min, max } = spread(starts.map((start, at) => (ends[at] as number) - start)) ?? noSpread;
    return {
      name: names[group.name] ?? '',
      paint: paintNames[group.paint] ?? 'mark',
      count: starts.length,
      totalNs,
      selfNs,
      share: endNs > startNs ? totalNs / (endNs - startNs) : 0,
      leastNs: min,
      medianNs: median,
      greatestNs: max,
      meanNs: totalNs / starts.length,
      longest,
      bytes,
      bytesPerSecond: bytes > 0 && totalNs > 0 ? (bytes / totalNs) * 1e9 : null,
      overlapped: overlapped(group, busy),
    };
  });
  return rows.sort((a, b) => b.totalNs - a.totalNs || b.count - a.count);
}

const noSpread = { median: 0, min: 0, max: 0 };

function grouped({ run: { trace }, rows }: IterationView, startNs: number, endNs: number): Group[] {
  const { columns } = trace;
  const own = selfTimes(trace, rows, startNs, endNs);
  const groups = new Map<number, Group>();
  for (let row = rows.from; row < rows.to; row += 1) {
    const start = columns.startNs[row] as number;
    // Rows are in order of start.
    if (start >= endNs) break;
    const duration = columns.durationNs[row] as number;
    if (start + duration < startNs || (duration > 0 && start + duration === startNs)) continue;
    const paint = paintCode(trace, row);
    const name = columns.name[row] as number;
    const key = name * paintNames.length + paint;
    const group = groups.get(key) ?? newGroup(name, paint);
    groups.set(key, group);
    const [from, to] = [Math.max(start, startNs), Math.min(start + duration, endNs)];
    group.starts.push(from);
    group.ends.push(to);
    group.totalNs += to - from;
    group.selfNs += own[row - rows.from] as number;
    if (to - from > group.longestNs) [group.longest, group.longestNs] = [row, to - from];
    if (duration > 0) group.bytes += (columns.bytes[row] as number) * ((to - from) / duration);
  }
  return [...groups.values()];
}

const newGroup = (name: number, paint: number): Group => ({
  ...{ name, paint, starts: [], ends: [], bytes: 0, totalNs: 0, selfNs: 0 },
  ...{ longest: -1, longestNs: -1 },
});

const onDevice: readonly PaintName[] = ['h2d', 'd2h', 'd2d', 'kernel', 'memset'];

export const isOnDevice = ({ paint }: AreaRow): boolean => onDevice.includes(paint);

/** Returns the intervals in which work of each kind ran on any device. */
function deviceBusy(groups: readonly Group[]): Map<number, Intervals> {
  return new Map(
    onDevice.map((name) => {
      const paint = paintNames.indexOf(name);
      const own = groups.filter((group) => group.paint === paint);
      return [
        paint,
        union(
          own.flatMap(({ starts }) => starts),
          own.flatMap(({ ends }) => ends),
        ),
      ];
    }),
  );
}

function overlapped({ paint, starts, ends, totalNs }: Group, busy: Map<number, Intervals>): number | null {
  if (!busy.has(paint)) return null;
  if (totalNs === 0) return 0;
  const others = [...busy].filter(([other]) => other !== paint).map(([, intervals]) => [...intervals]);
  const flat = others.flat();
  const other = union(
    flat.filter((_, index) => index % 2 === 0),
    flat.filter((_, index) => index % 2 === 1),
  );
  let covered = 0;
  for (let at = 0; at < starts.length; at += 1) covered += coveredLength(other, starts[at] ?? 0, ends[at] ?? 0);
  return covered / totalNs;
}

const titles = [
  ...['Name', 'Kind', 'Count', 'Total (ns)', 'Self (ns)', 'Share', 'Least (ns)', 'Median (ns)', 'Greatest (ns)'],
  ...['Mean (ns)', 'Bytes', 'Bytes/s', 'Overlapped'],
];

const cells = (row: AreaRow): string[] => [
  row.name,
  row.paint,
  String(row.count),
  row.totalNs.toFixed(0),
  row.selfNs.toFixed(0),
  row.share.toFixed(4),
  row.leastNs.toFixed(0),
  row.medianNs.toFixed(1),
  row.greatestNs.toFixed(0),
  row.meanNs.toFixed(1),
  row.bytes.toFixed(0),
  row.bytesPerSecond === null ? '' : row.bytesPerSecond.toFixed(0),
  row.overlapped === null ? '' : row.overlapped.toFixed(4),
];

/** Returns plain numbers in nanoseconds and bytes, for other programs. */
export const areaText = (rows: readonly AreaRow[]): TextTable => ({ titles, words: 2, rows: rows.map(cells) });
