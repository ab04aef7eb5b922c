/**
 * The chain of work that decided how long an iteration took. A graph of two nodes for each call, piece of host work and
 * device activity, its start and its end; its longest path by the weights is the critical path:
 *
 *   own time        start -> end: the duration; 0 for a call that waits (a synchronise, cudaMemcpy, pageable memory)
 *   host order      end -> start of the thread's next row: the time between them, which the host spent otherwise
 *   launch          start of the call -> start of its activity: the time between them where the stream had nothing else
 *                   to finish first, or else 0
 *   stream order    end -> start of the stream's next activity: the time between them where that had been issued
 *                   already, or else 0
 *   waiting         end of the last activity that ended during a call that waits -> end of the call: 0
 *
 * An edge never goes back in time. Host rows inside another row of their thread (a driver call in a runtime call) are
 * left to the outer one. Holistic Trace Analysis weighs its graph in the same way; it also has edges between operators.
 */
import { lowerBound } from '../lowerBound.ts';
import { type Iteration, rowKind, rowStart, rowsOfKind } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';
import { hostCalls } from './hostCalls.ts';
import { holdingCalls } from './hostTime.ts';
import { share } from './overlap.ts';

export const pathKinds = ['host', 'launch', 'device', 'stream-order'] as const;
export type PathKind = (typeof pathKinds)[number];

export interface PathPart {
  readonly kind: PathKind;
  /** Lane id: the host thread; the copy engine or compute lane for 'device'; the stream for the other two. */
  readonly lane: string;
  readonly timeNs: number;
  readonly shareOfPath: number;
}

export interface CriticalPath {
  /** Sum of the weights. */
  readonly lengthNs: number;
  /** The one that took most first. */
  readonly parts: readonly PathPart[];
  /** Rows that the path goes through, first to last; each once. */
  readonly rows: readonly RowIndex[];
}

const none = -1;

/** Up to two edges lead to a node: 2 * node and 2 * node + 1 are their places. Node 2k is row k's start, 2k + 1 its end. */
class Graph {
  readonly from: Int32Array;
  readonly weight: Float64Array;
  readonly times: Float64Array;

  constructor(times: Float64Array) {
    this.times = times;
    this.from = new Int32Array(times.length * 2).fill(none);
    this.weight = new Float64Array(times.length * 2);
  }

  connect(from: number, to: number, weight: number): void {
    if ((this.times[from] ?? 0) > (this.times[to] ?? 0)) return;
    const place = this.from[2 * to] === none ? 2 * to : 2 * to + 1;
    this.from[place] = from;
    this.weight[place] = weight;
  }

  between(from: number, to: number): number {
    return (this.times[to] ?? 0) - (this.times[from] ?? 0);
  }
}

export function criticalPath(iteration: Iteration): CriticalPath {
  const rows = pathRows(iteration);
  const { trace } = iteration;
  const times = new Float64Array(rows.length * 2);
  for (const [k, row] of rows.entries()) {
    times[2 * k] = rowStart(trace, row);
    times[2 * k + 1] = rowEndNs(trace, row);
  }
  const graph = new Graph(times);
  connectRows(iteration, rows, graph);
  return longestPath(iteration, rows, graph);
}

/** Rows that are part of the graph, in order of start, without host rows inside another of their thread. */
function pathRows(iteration: Iteration): RowIndex[] {
  const { trace } = iteration;
  const reached = new Map<number, number>();
  const host = ['host-call', 'host-sync', 'host-work', 'host-read', 'host-write'] as const;
  return rowsOfKind(iteration, ...host, 'copy', 'kernel', 'memset', 'host-function').filter((row) => {
    if (!rowKind(trace, row).startsWith('host-') || rowKind(trace, row) === 'host-function') return true;
    const lane = trace.columns.lane[row] ?? none;
    const end = rowEndNs(trace, row);
    if (end < (reached.get(lane) ?? 0) || (end === reached.get(lane) && rowStart(trace, row) < end)) return false;
    reached.set(lane, end);
    return true;
  });
}

function connectRows(iteration: Iteration, rows: readonly RowIndex[], graph: Graph): void {
  const { trace } = iteration;
  const calls = hostCalls(iteration);
  const holding = holdingCalls(iteration);
  const isHost = rows.map((row) => onThread(trace, row));
  const nodes = new Map(rows.map((row, k) => [row, k]));
  const ended = endings(rows, isHost, graph);
  const last = new Map<number, number>();
  for (const [k, row] of rows.entries()) {
    const lane = trace.columns.lane[row] ?? none;
    const [start, end] = [2 * k, 2 * k + 1];
    const before = last.get(lane);
    last.set(lane, k);
    if (isHost[k] === true) {
      const waits = rowKind(trace, row) === 'host-sync' || holding.has(row);
      const awaited = waits ? ended.lastWithin(graph.times[start] ?? 0, graph.times[end] ?? 0) : none;
      if (before !== undefined) graph.connect(2 * before + 1, start, graph.between(2 * before + 1, start));
      graph.connect(start, end, awaited === none ? graph.between(start, end) : 0);
      if (awaited !== none) graph.connect(2 * awaited + 1, end, 0);
      continue;
    }
    graph.connect(start, end, graph.between(start, end));
    const callRow = calls.get(row);
    const call = callRow === undefined ? undefined : nodes.get(callRow);
    // Issued after the stream had run dry, or while it was still at work.
    const issuedNs = call === undefined ? Number.NEGATIVE_INFINITY : (graph.times[2 * call] ?? 0);
    const isBehind = before !== undefined && issuedNs <= (graph.times[2 * before + 1] ?? 0);
    if (before !== undefined) {
      graph.connect(2 * before + 1, start, isBehind ? graph.between(2 * before + 1, start) : 0);
    }
    if (call !== undefined) graph.connect(2 * call, start, isBehind ? 0 : graph.between(2 * call, start));
  }
}

/** Device activities by their ends. */
function endings(rows: readonly RowIndex[], isHost: readonly boolean[], { times }: Graph) {
  const byEnd = rows.flatMap((_, k) => (isHost[k] === true ? [] : [k]));
  byEnd.sort((a, b) => (times[2 * a + 1] ?? 0) - (times[2 * b + 1] ?? 0));
  return {
    /** The one that ended last after `startNs` and no later than `endNs`; -1 for none. */
    lastWithin(startNs: number, endNs: number): number {
      const later = lowerBound(0, byEnd.length, (at) => (times[2 * (byEnd[at] ?? 0) + 1] ?? 0) <= endNs);
      const found = byEnd[later - 1];
      return found !== undefined && (times[2 * found + 1] ?? 0) > startNs ? found : none;
    },
  };
}

function longestPath(iteration: Iteration, rows: readonly RowIndex[], graph: Graph): CriticalPath {
  const count = graph.times.length;
  const lengths = new Float64Array(count);
  /** Place of the edge by which a node is reached best; -1 for none. */
  const best = new Int32Array(count).fill(none);
  for (const node of topological(graph)) {
    for (const place of [2 * node, 2 * node + 1]) {
      const from = graph.from[place] ?? none;
      if (from === none) continue;
      const reached = (lengths[from] ?? 0) + (graph.weight[place] ?? 0);
      if (best[node] !== none && reached <= (lengths[node] ?? 0)) continue;
      lengths[node] = reached;
      best[node] = place;
    }
  }
  let last = 0;
  for (let node = 1; node < count; node += 1) if ((lengths[node] ?? 0) > (lengths[last] ?? 0)) last = node;
  const edges: { readonly place: number; readonly to: number }[] = [];
  for (let node = last; count > 0 && best[node] !== none; ) {
    const place = best[node] ?? none;
    edges.push({ place, to: node });
    node = graph.from[place] ?? none;
  }
  return describe(iteration, rows, graph, edges.reverse(), lengths[last] ?? 0);
}

/** Nodes after all that lead to them. Times that are equal could lead in a circle; the edge that closes it is cut. */
function topological(graph: Graph): Int32Array {
  const count = graph.times.length;
  const order = new Int32Array(count);
  const state = new Uint8Array(count);
  const [unseen, open, done] = [0, 1, 2];
  let placed = 0;
  const stack: number[] = [];
  for (let root = 0; root < count; root += 1) {
    if (state[root] !== unseen) continue;
    stack.push(root);
    while (stack.length > 0) {
      const node = stack.at(-1) ?? 0;
      if (state[node] === unseen) {
        state[node] = open;
        for (const place of [2 * node, 2 * node + 1]) {
          const from = graph.from[place] ?? none;
          if (from === none) continue;
          if (state[from] === open) graph.from[place] = none;
          else if (state[from] === unseen) stack.push(from);
        }
        continue;
      }
      stack.pop();
      if (state[node] === done) continue;
      state[node] = done;
      order[placed] = node;
      placed += 1;
    }
  }
  return order;
}

function describe(
  { trace }: Iteration,
  rows: readonly RowIndex[],
  graph: Graph,
  edges: readonly { readonly place: number; readonly to: number }[],
  lengthNs: number,
): CriticalPath {
  const parts = new Map<string, { kind: PathKind; lane: string; timeNs: number }>();
  const through = new Set<RowIndex>();
  for (const { place, to } of edges) {
    const from = graph.from[place] ?? 0;
    const [before, row] = [rows[from >> 1] ?? 0, rows[to >> 1] ?? 0];
    through.add(before).add(row);
    const timeNs = graph.weight[place] ?? 0;
    if (timeNs === 0) continue;
    const kind = partKind(onThread(trace, before), onThread(trace, row), before === row);
    const engine = trace.lanes[kind === 'device' ? (trace.columns.engine[row] ?? none) : none];
    const id = (engine ?? trace.lanes[trace.columns.lane[row] ?? none])?.id ?? '';
    const key = `${kind} ${id}`;
    const part = parts.get(key) ?? { kind, lane: id, timeNs: 0 };
    part.timeNs += timeNs;
    parts.set(key, part);
  }
  const sorted = [...parts.values()].sort((a, b) => b.timeNs - a.timeNs);
  return {
    lengthNs,
    parts: sorted.map((part) => ({ ...part, shareOfPath: share(part.timeNs, lengthNs) ?? 0 })),
    rows: [...through],
  };
}

const onThread = (trace: Trace, row: RowIndex): boolean =>
  trace.lanes[trace.columns.lane[row] ?? none]?.kind === 'host-thread';

function partKind(fromHost: boolean, toHost: boolean, isOwnTime: boolean): PathKind {
  if (toHost) return 'host';
  if (fromHost) return 'launch';
  return isOwnTime ? 'device' : 'stream-order';
}
