/** Rows of a run's representative iteration as objects, for the GPU tests. */
import type { Run } from '../../core/trace/run.ts';
import { copyDirection, memoryKinds, rowKinds } from '../../core/trace/trace.ts';

export interface Row {
  readonly kind: string;
  readonly name: string;
  readonly op: number;
  readonly correlation: number;
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  /** Id of the row's lane. */
  readonly lane: string;
  /** Direction of a copy; null for anything else. */
  readonly direction: string | null;
}

function rowsOf({ trace: { columns, count, lanes, names }, info }: Run): Row[] {
  const rows: Row[] = [];
  for (let row = 0; row < count; row += 1) {
    if (columns.iteration[row] !== info.iterations.representative) continue;
    const [start, duration] = [columns.startNs[row] ?? 0, columns.durationNs[row] ?? 0];
    const [src, dst] = [memoryKinds[columns.srcMemory[row] ?? 0], memoryKinds[columns.dstMemory[row] ?? 0]];
    rows.push({
      kind: rowKinds[columns.kind[row] ?? 0] ?? '',
      name: names[columns.name[row] ?? -1] ?? '',
      op: columns.op[row] ?? -1,
      correlation: columns.correlation[row] ?? 0,
      start,
      end: start + duration,
      bytes: columns.bytes[row] ?? 0,
      lane: lanes[columns.lane[row] ?? -1]?.id ?? '',
      direction: src === undefined || dst === undefined ? null : copyDirection(src, dst),
    });
  }
  return rows;
}

const onDevice: readonly string[] = ['copy', 'kernel', 'memset', 'host-function'];

/** Returns the rows of streams, in order of start. */
export const deviceRows = (run: Run): Row[] => rowsOf(run).filter(({ kind }) => onDevice.includes(kind));

/** Returns the calls and waits of host threads, in order of start. */
export const hostRows = (run: Run): Row[] =>
  rowsOf(run).filter(({ kind }) => kind.startsWith('host-') && kind !== 'host-function');

export const overlapping = (a: Row, b: Row): boolean => a.start < b.end && b.start < a.end;
