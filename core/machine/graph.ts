/**
 * Captured graphs and their launches. The order of nodes is fixed at capture. A launch keeps its place in its stream
 * until all its nodes are done. Rule (core/rules): graph-runs-when-launched.
 */
import type { Passing } from './engines.ts';
import { type EntryHandler, type EntryOwner, StreamEntry } from './entry.ts';
import type { EventQueue } from './eventQueue.ts';
import type { Step } from './step.ts';

interface GraphNode {
  readonly step: Step;
  readonly op: number;
  /** Indices of the nodes that it waits for. */
  readonly after: readonly number[];
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  /** Stream of capture; the work is shown in the stream in which the graph is launched. */
  readonly origin: number;
}

/** A graph as it was at its launch, and when all of it has arrived at the device. */
export interface Launched {
  readonly graph: Graph;
  readonly arrivesNs: number;
}

/** A capture in progress. */
export class GraphCapture {
  readonly #nodes: GraphNode[] = [];
  readonly #origin: number;
  /** Nodes that the next node of each stream waits for, and nodes that each recorded event stands for. */
  readonly #streams = new Map<number, readonly number[]>();
  readonly #events = new Map<number, readonly number[]>();

  constructor(origin: number) {
    this.#origin = origin;
  }

  add(step: Step, op: number): void {
    const after = this.#streams.get(step.stream) ?? [];
    if (step.code === 'recordEvent') this.#events.set(step.event, after);
    else if (step.code === 'waitEvent') {
      this.#streams.set(step.stream, [...new Set([...after, ...(this.#events.get(step.event) ?? [])])]);
    } else this.#streams.set(step.stream, [this.#nodes.push({ step, op, after }) - 1]);
  }

  end(): Graph {
    return { nodes: this.#nodes, origin: this.#origin };
  }
}

/** One launch of a graph while it runs. */
export class GraphRun implements EntryOwner {
  readonly #launch: StreamEntry;
  readonly #over: (launch: StreamEntry, nowNs: number) => void;
  #left: number;

  constructor(
    { graph, arrivesNs }: Launched,
    launch: StreamEntry,
    clock: EventQueue,
    passing: Passing,
    handler: EntryHandler,
    over: (launch: StreamEntry, nowNs: number) => void,
  ) {
    this.#launch = launch;
    this.#over = over;
    this.#left = graph.nodes.length;
    const { nowNs } = clock;
    const entries = graph.nodes.map(({ step, op, after }) => {
      const entry = new StreamEntry(step, this, clock, passing, handler);
      entry.reset(step, op, -1, launch.correlation, Math.max(nowNs, arrivesNs));
      entry.priority = launch.priority;
      if (step.stream === graph.origin) entry.stream = launch.stream;
      // Nodes without predecessors follow the work that the launch waited for.
      if (after.length === 0) entry.follow(launch.readyNs, launch.via, launch.engineNs);
      entry.pending = after.length;
      return entry;
    });
    graph.nodes.forEach(({ after }, index) => {
      const entry = entries[index];
      if (entry === undefined) return;
      for (const other of after) entries[other]?.dependents.push(entry);
      entry.scheduleIfReady();
    });
    if (this.#left === 0) over(launch, nowNs);
  }

  complete(entry: StreamEntry, nowNs: number): void {
    entry.complete = true;
    for (const dependent of entry.dependents) dependent.dependencyDone(nowNs, entry.engine, nowNs);
    entry.dependents.length = 0;
    this.#left -= 1;
    this.#launch.via = entry.engine;
    this.#launch.engineNs = nowNs;
    if (this.#left === 0) this.#over(this.#launch, nowNs);
  }
}
