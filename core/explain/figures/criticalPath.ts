/**
 * The critical path: the chain of work that decided how long an iteration took. Each call, piece of host work and device
 * activity has two nodes in a graph, its start and its end. The path is the longest by these weights:
 *
 *   own time        start -> end: the duration; 0 for a call that waits (a synchronise, cudaMemcpy, pageable memory)
 *   host order      end -> start of the thread's next row: the time between them, which the host spent otherwise
 *   launch          start of the call -> start of its activity: the time between them if the stream had nothing else to
 *                   finish first, otherwise 0
 *   stream order    end -> start of the stream's next activity: the time between them if that was issued already,
 *                   otherwise 0
 *   waiting         end of the last activity that ended during a call that waits -> end of the call: 0
 *
 * An edge never goes back in time. Host rows inside another row of their thread (a driver call in a runtime call) are left
 * out. Holistic Trace Analysis uses the same weights; it also has edges between operators.
 */
import { lowerBound } from '../../lowerBound.ts';
import { inOrder } from '../../trace/inOrder.ts';
import { type Iteration, RowList, rowKind, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { type RowIndex, type RowKind, rowKinds, type Trace } from '../../trace/trace.ts';
import { hostCalls } from './hostCalls.ts';
import { holdingCalls } from './hostTime.ts';
import { share } from './overlap.ts';

export const pathKinds = ['host', 'launch', 'device', 'stream-order'] as const;
export type PathKind = (typeof pathKinds)[number];

export interface PathPart {
  readonly kind: PathKind;
  /** Thread; stream; for 'device' the engine. */
  readonly lane: string;
  readonly timeNs: number;
  readonly shareOfPath: number;
}

export interface CriticalPath {
  /** Sum of the weights. */
  readonly lengthNs: number;
  /** Longest first. */
  readonly parts: readonly PathPart[];
  /** Rows on the path, first to last; each once. */
  readonly rows: Int32Array;
}

const none = -1;
/** Index of a node's first and second incoming edge. */
const edges = [0, 1] as const;
const [first, second] = edges;
const [unseen, open, done] = [0, 1, 2];

/**
 * Node 2k is the start of row k, 2k + 1 its end. Up to two edges lead to a start: from the end of the lane's row before
 * and from the start of the row's call; and to an end: from its start and from the end of what the row waited for.
 */
class Graph {
  readonly #trace: Trace;
  readonly rows: Int32Array;
  /** Index + 1 of the row before in the same lane; 0 if there is none. */
  readonly #before: Int32Array;
  /** Index + 1 of an activity's call, or of the activity that a call waited for; 0 if there is none. */
  readonly #cause: Int32Array;
  /** Bit 2 * isEnd + edge for each existing edge, and `behind` if it was issued while its stream was busy. */
  readonly #bits: Uint8Array;

  constructor(trace: Trace, rows: Int32Array) {
    this.#trace = trace;
    this.rows = rows;
    this.#before = new Int32Array(rows.length);
    this.#cause = new Int32Array(rows.length);
    this.#bits = new Uint8Array(rows.length);
  }

  get size(): number {
    return 2 * this.rows.length;
  }

  time(node: number): number {
    const row = this.rows[node >> 1] as number;
    return (node & 1) === 0 ? rowStart(this.#trace, row) : rowEndNs(this.#trace, row);
  }

  isHost(k: number): boolean {
    return onThread(this.#trace, this.rows[k] as number);
  }

  addActivity(k: number, before: number, call: number): void {
    // Issued while the stream was busy, rather than after it had run dry.
    const isBehind = before !== none && (call === none || this.time(2 * call) <= this.time(2 * before + 1));
    if (isBehind) this.#bits[k] = behind;
    this.add(k, before, call);
  }

  add(k: number, before: number, cause: number): void {
    if (before !== none) this.#before[k] = before + 1;
    if (cause !== none) this.#cause[k] = cause + 1;
    this.#connect(2 * k);
    this.#connect(2 * k + 1);
  }

  /** Sets the bits of a node's edges that go forward in time. */
  #connect(node: number): void {
    for (const edge of edges) {
      const from = this.#source(node, edge);
      if (from === none || this.time(from) > this.time(node)) continue;
      this.#bits[node >> 1] = (this.#bits[node >> 1] as number) | bitOf(node, edge);
    }
  }

  /** Returns the node that an edge comes from; -1 if it doesn't exist. */
  from(node: number, edge: number): number {
    return ((this.#bits[node >> 1] as number) & bitOf(node, edge)) === 0 ? none : this.#source(node, edge);
  }

  cut(node: number, edge: number): void {
    this.#bits[node >> 1] = (this.#bits[node >> 1] as number) & ~bitOf(node, edge);
  }

  #source(node: number, edge: number): number {
    const k = node >> 1;
    const isEnd = (node & 1) === 1;
    if (edge === first && isEnd) return node - 1;
    const other = ((edge === first ? this.#before[k] : this.#cause[k]) as number) - 1;
    if (other === none) return none;
    if (edge === first) return 2 * other + 1;
    // An end follows an end, a start the start of its call. A call has no call, and an activity waits for nothing.
    return isEnd === this.isHost(k) ? 2 * other + (node & 1) : none;
  }

  weight(node: number, edge: number): number {
    const k = node >> 1;
    const isBehind = ((this.#bits[k] as number) & behind) !== 0;
    const counts =
      (node & 1) === 1
        ? edge === first && !(this.#cause[k] !== 0 && this.isHost(k))
        : edge === first
          ? isBehind || this.isHost(k)
          : !isBehind;
    return counts ? this.time(node) - this.time(this.#source(node, edge)) : 0;
  }
}

const bitOf = (node: number, edge: number): number => 1 << (2 * (node & 1) + edge);
const behind = 1 << 4;

export function criticalPath(iteration: Iteration): CriticalPath {
  const graph = new Graph(iteration.trace, pathRows(iteration));
  connectRows(iteration, graph);
  const { path, lengthNs } = longestPath(graph);
  return describe(iteration, graph, path, lengthNs);
}

const onHost: readonly RowKind[] = ['host-call', 'host-sync', 'host-work', 'host-read', 'host-write'];
const onDevice: readonly RowKind[] = ['copy', 'kernel', 'memset', 'host-function'];
const isOnHost = Uint8Array.from(rowKinds, (kind) => (onHost.includes(kind) ? 1 : 0));
const isOnDevice = Uint8Array.from(rowKinds, (kind) => (onDevice.includes(kind) ? 1 : 0));

/** Returns the rows of the graph in order of start, without host rows inside another row of their thread. */
function pathRows({ trace, begin, end }: Iteration): Int32Array {
  const { kind, lane } = trace.columns;
  const reached = new Float64Array(trace.lanes.length);
  const rows = new Int32Array(end - begin);
  let found = 0;
  for (let row = begin; row < end; row += 1) {
    if (isOnHost[kind[row] as number] === 1) {
      const [on, endNs] = [lane[row] as number, rowEndNs(trace, row)];
      const reachedNs = reached[on] as number;
      if (endNs < reachedNs || (endNs === reachedNs && rowStart(trace, row) < endNs)) continue;
      reached[on] = endNs;
    } else if (isOnDevice[kind[row] as number] !== 1) continue;
    rows[found] = row;
    found += 1;
  }
  return rows.subarray(0, found);
}

function connectRows(iteration: Iteration, graph: Graph): void {
  const { trace, begin, end } = iteration;
  const { rows } = graph;
  const calls = hostCalls(iteration);
  const holding = holdingCalls(iteration);
  /** Index + 1 of a host row, by row from `begin`. */
  const placeOf = new Int32Array(end - begin);
  for (const [k, row] of rows.entries()) if (graph.isHost(k)) placeOf[row - begin] = k + 1;
  const ended = endings(graph);
  const last = new Int32Array(trace.lanes.length).fill(none);
  for (const [k, row] of rows.entries()) {
    const lane = trace.columns.lane[row] as number;
    const before = last[lane] as number;
    last[lane] = k;
    if (graph.isHost(k)) {
      const waits = rowKind(trace, row) === 'host-sync' || holding.has(row);
      graph.add(k, before, waits ? ended.lastWithin(graph.time(2 * k), graph.time(2 * k + 1)) : none);
    } else {
      const call = calls.get(row);
      graph.addActivity(k, before, call === undefined ? none : (placeOf[call - begin] as number) - 1);
    }
  }
}

/** Finds device activities by their ends, which are sorted on first use. */
function endings(graph: Graph) {
  const endOf = (k: number): number => graph.time(2 * k + 1);
  let byEnd: Int32Array | null = null;
  const activities = (): Int32Array => {
    const list = new RowList();
    for (let k = 0; k < graph.rows.length; k += 1) if (!graph.isHost(k)) list.push(k);
    return list.rows;
  };
  return {
    /** Returns the activity that ended last after `startNs` and no later than `endNs`; -1 if there is none. */
    lastWithin(startNs: number, endNs: number): number {
      byEnd ??= inOrder(activities(), endOf);
      const ascending = byEnd;
      const later = lowerBound(0, ascending.length, (at) => endOf(ascending[at] as number) <= endNs);
      const found = ascending[later - 1];
      return found !== undefined && endOf(found) > startNs ? found : none;
    },
  };
}

/** Length of the longest path to each node. Stores only starts: from a start to its end is one step. */
class Lengths {
  readonly #graph: Graph;
  readonly #toStart: Float64Array;

  constructor(graph: Graph) {
    this.#graph = graph;
    this.#toStart = new Float64Array(graph.rows.length);
    visitForward(graph, (node) => {
      if ((node & 1) === 1) return;
      const lengthNs = this.#by(node, this.edgeTo(node));
      if (lengthNs !== 0) this.#toStart[node >> 1] = lengthNs;
    });
  }

  to(node: number): number {
    return (node & 1) === 0 ? (this.#toStart[node >> 1] ?? 0) : this.#by(node, this.edgeTo(node));
  }

  /** Returns the edge by which the longest path reaches the node, the first if equal; -1 if there is none. */
  edgeTo(node: number): number {
    const graph = this.#graph;
    const [isFirst, isSecond] = [graph.from(node, first) !== none, graph.from(node, second) !== none];
    if (isFirst && isSecond) return this.#by(node, second) > this.#by(node, first) ? second : first;
    return isFirst ? first : isSecond ? second : none;
  }

  #by(node: number, edge: number): number {
    return edge === none ? 0 : this.to(this.#graph.from(node, edge)) + this.#graph.weight(node, edge);
  }
}

/** Returns the nodes of the longest path, each as 2 * node + its edge, first to last; empty if there are no edges. */
function longestPath(graph: Graph): { readonly path: Int32Array; readonly lengthNs: number } {
  const lengths = new Lengths(graph);
  let [last, lengthNs] = [0, lengths.to(0)];
  for (let node = 1; node < graph.size; node += 1) {
    const reachedNs = lengths.to(node);
    if (reachedNs > lengthNs) [last, lengthNs] = [node, reachedNs];
  }
  const before = (node: number): number => graph.from(node, Math.max(first, lengths.edgeTo(node)));
  let steps = 0;
  for (let node = before(last); node !== none; node = before(node)) steps += 1;
  const path = new Int32Array(steps);
  for (let [node, at] = [last, steps - 1]; at >= 0; at -= 1) {
    path[at] = 2 * node + lengths.edgeTo(node);
    node = before(node);
  }
  return { path, lengthNs };
}

/** Visits nodes after all their predecessors. Equal times could form a cycle; the edge that closes it is cut. */
function visitForward(graph: Graph, visit: (node: number) => void): void {
  const state = new Uint8Array(graph.size);
  const stack: number[] = [];
  for (let root = 0; root < graph.size; root += 1) {
    if (state[root] !== unseen) continue;
    stack.push(root);
    while (stack.length > 0) {
      const node = stack.at(-1) as number;
      if (state[node] === unseen) {
        state[node] = open;
        for (const edge of edges) {
          const from = graph.from(node, edge);
          if (from === none) continue;
          if (state[from] === open) graph.cut(node, edge);
          else if (state[from] === unseen) stack.push(from);
        }
        continue;
      }
      stack.pop();
      if (state[node] === done) continue;
      state[node] = done;
      visit(node);
    }
  }
}

function describe({ trace }: Iteration, graph: Graph, path: Int32Array, lengthNs: number): CriticalPath {
  const parts = new Map<number, { kind: PathKind; lane: string; timeNs: number }>();
  const isThrough = new Uint8Array(graph.rows.length);
  const through = new Int32Array(path.length === 0 ? 0 : Math.min(graph.rows.length, path.length + 1));
  let passed = 0;
  const pass = (k: number): void => {
    if (isThrough[k] === 1) return;
    isThrough[k] = 1;
    through[passed] = graph.rows[k] as number;
    passed += 1;
  };
  for (const step of path) {
    const [node, edge] = [step >> 1, step & 1];
    const [before, k] = [graph.from(node, edge) >> 1, node >> 1];
    pass(before);
    pass(k);
    const timeNs = graph.weight(node, edge);
    if (timeNs === 0) continue;
    const kind = partKind(graph.isHost(before), graph.isHost(k), before === k);
    const row = graph.rows[k] as number;
    const engine = kind === 'device' ? (trace.columns.engine[row] ?? none) : none;
    const lane = engine === none ? (trace.columns.lane[row] as number) : engine;
    const key = lane * pathKinds.length + pathKinds.indexOf(kind);
    const part = parts.get(key) ?? { kind, lane: trace.lanes[lane]?.id ?? '', timeNs: 0 };
    part.timeNs += timeNs;
    parts.set(key, part);
  }
  const sorted = [...parts.values()].sort((a, b) => b.timeNs - a.timeNs);
  return {
    lengthNs,
    parts: sorted.map((part) => ({ ...part, shareOfPath: share(part.timeNs, lengthNs) ?? 0 })),
    rows: through.subarray(0, passed),
  };
}

const onThread = (trace: Trace, row: RowIndex): boolean =>
  trace.lanes[trace.columns.lane[row] ?? none]?.kind === 'host-thread';

function partKind(fromHost: boolean, toHost: boolean, isOwnTime: boolean): PathKind {
  if (toHost) return 'host';
  if (fromHost) return 'launch';
  return isOwnTime ? 'device' : 'stream-order';
}
