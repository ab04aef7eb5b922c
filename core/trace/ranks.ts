/** Ranks of a job whose traces were merged into one. Each has its own threads, streams and engines. */
import { columnNames, columnsLike, gather } from './order.ts';
import type { Lane, Trace } from './trace.ts';

const ofDevice = /^(.*)gpu\d+$/;
const ofThread = /^thread:([^:]+):/;

/** Returns the name of a lane's rank, such as '[rank3]'; empty if the lane names none. */
export function rankOfLane({ kind, id, device }: Lane): string {
  if (kind !== 'host-thread') return ofDevice.exec(device)?.[1] ?? '';
  return readPid(ofThread.exec(id)?.[1] ?? '').rank;
}

/** Returns the names of ranks with both threads and streams, in order of lanes. Empty if there are fewer than two. */
export function ranksIn({ lanes }: Pick<Trace, 'lanes'>): string[] {
  const having = (kind: Lane['kind']): Set<string> =>
    new Set(lanes.flatMap((lane) => (lane.kind === kind ? [rankOfLane(lane)] : [])));
  const streams = having('stream');
  const found = [...having('host-thread')].filter((rank) => streams.has(rank));
  return found.length > 1 ? found : [];
}

/** Returns numbers of ranks, such as 3 for '[rank3]', or their positions if the names have no distinct numbers. */
export function rankNumbers(names: readonly string[]): number[] {
  const numbers = names.map((name) => Number(/\d+/.exec(name)?.[0] ?? Number.NaN));
  const areTold = new Set(numbers).size === names.length && numbers.every(Number.isSafeInteger);
  return areTold ? numbers : names.map((_, index) => index);
}

/** Returns the trace of one rank. Times stay those of the whole trace. */
export function rankTrace(trace: Trace, rank: string): Trace {
  const places = new Int32Array(trace.lanes.length).fill(-1);
  const lanes: Lane[] = [];
  for (const [index, one] of trace.lanes.entries()) if (rankOfLane(one) === rank) places[index] = lanes.push(one) - 1;
  const { lane, engine } = trace.columns;
  let count = 0;
  for (let row = 0; row < trace.count; row += 1) if ((places[lane[row] as number] as number) >= 0) count += 1;
  const rows = new Int32Array(count);
  count = 0;
  for (let row = 0; row < trace.count; row += 1) {
    if ((places[lane[row] as number] as number) < 0) continue;
    rows[count] = row;
    count += 1;
  }
  const columns = columnsLike(trace.columns, count);
  for (const name of columnNames(columns)) gather(trace.columns[name], columns[name], rows);
  for (let row = 0; row < count; row += 1) {
    columns.lane[row] = places[columns.lane[row] as number] as number;
    const on = engine[rows[row] as number] as number;
    columns.engine[row] = on < 0 ? -1 : (places[on] as number);
  }
  return { ...trace, count, columns, lanes };
}

/**
 * Process id in a trace merged from several ranks. Mergers such as SGLang's keep each rank's own device, stream and call
 * numbers, and put the rank next to the number of process or device: "[TP00] 424" for the host, "[TP00] 0" for its GPU.
 */
export interface Pid {
  /** Text next to the number, as one word: '[TP00]'. Empty in a trace of one process. */
  readonly rank: string;
  /** Number as written; empty if there is none. */
  readonly number: string;
}

/** Longer ranks, as in a hostile file, are cut, so that they fit into a device's id. */
const longestRank = 60;
const longestPid = 200;

/** Looks for the number at the end, or else at the beginning, since a rank has digits of its own. */
export function readPid(text: string): Pid {
  const pid = text.slice(0, longestPid);
  const [number = ''] = /^-?\d+|\d+(?=\D*$)/.exec(pid) ?? [];
  const at = pid.startsWith(number) ? 0 : pid.lastIndexOf(number);
  const rank = `${pid.slice(0, at)} ${pid.slice(at + number.length)}`;
  return { rank: rank.trim().replace(/\s+/g, '_').slice(0, longestRank), number };
}
