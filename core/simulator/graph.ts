/**
 * Graphs: stream work that was captured, and its launches. What follows what is fixed when it is captured; a launch
 * keeps its place in its stream until all of it is done. Rule (core/rules): graph-runs-when-launched.
 */
import { type Gaps, isCopyEngine } from './engines.ts';
import { type EntryHandler, type EntryOwner, StreamEntry } from './entry.ts';
import type { EventQueue } from './eventQueue.ts';
import type { DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';
import { timeTable } from './table.ts';

interface GraphNode {
  readonly step: Step;
  readonly op: number;
  /** Indices of the nodes that it waits for. */
  readonly after: readonly number[];
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  /** The captured stream; its work is shown in the stream that the graph is launched in. */
  readonly origin: number;
}

/** A graph as it was when it was launched, and when all of it has arrived at the device. */
export interface Launched {
  readonly graph: Graph;
  readonly arrivesNs: number;
}

/** A capture under way. */
export class GraphCapture {
  readonly #nodes: GraphNode[] = [];
  readonly #origin: number;
  /** The nodes that the next one of a stream waits for, and those that a recorded event stands for. */
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

/**
 * How many times as long each kernel makes a launch that doesn't follow another one: behind a wait it was 0.95 to 1.7 us in
 * 8 recorded runs, and 0.85 to 0.93 us in a row in 7.
 */
const notInRow = 1.4;

export class GraphCosts {
  readonly #profile: DeviceProfile['graph'];

  constructor({ graph }: DeviceProfile) {
    this.#profile = graph;
  }

  /** From the start of a launch until the first copy of its graph is handed over. */
  get firstCopyNs(): number {
    return this.#profile.launchNs + this.#profile.launchCopyNodeNs;
  }

  endCapture({ nodes }: Graph): number {
    return nodes.length === 0 ? 0 : byNodes(this.#profile.end, nodes.length);
  }

  instantiate(graph: Graph): number {
    return mixed(this.#profile.instantiate, graph);
  }

  upload(graph: Graph): number {
    return mixed(this.#profile.upload, graph);
  }

  /** `isInRow`: the thread's last call was a launch of a graph too. */
  launch(graph: Graph, isInRow: boolean): number {
    const copies = copiesIn(graph);
    const { launchNs, launchKernelNodeNs, launchCopyNodeNs } = this.#profile;
    const kernelNs = isInRow ? launchKernelNodeNs : notInRow * launchKernelNodeNs;
    return launchNs + copies * launchCopyNodeNs + (graph.nodes.length - copies) * kernelNs;
  }
}

type NodesTable = DeviceProfile['graph']['end'];

const byNodes = (points: NodesTable, nodes: number): number =>
  timeTable(points.map((point) => ({ bytes: point.nodes, ns: point.ns })))(nodes);

const copiesIn = ({ nodes }: Graph): number => nodes.filter(({ step }) => step.code === 'copy').length;

/** Graphs of both kinds of nodes cost the mean of both, weighted by number: neither was measured with the other. */
function mixed({ kernels, copies }: { kernels: NodesTable; copies: NodesTable }, graph: Graph): number {
  const count = graph.nodes.length;
  if (count === 0) return 0;
  const part = copiesIn(graph) / count;
  return part * byNodes(copies, count) + (1 - part) * byNodes(kernels, count);
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
    gaps: Gaps,
    handler: EntryHandler,
    over: (launch: StreamEntry, nowNs: number) => void,
  ) {
    this.#launch = launch;
    this.#over = over;
    this.#left = graph.nodes.length;
    const { nowNs } = clock;
    const entries = graph.nodes.map(({ step, op, after }) => {
      const entry = new StreamEntry(step, this, clock, gaps, handler);
      // Kernels are handed over together, at the end.
      const isCopy = step.route === 'engine' && isCopyEngine(step.engine);
      const isIdle = after.length === 0 && !launch.queued;
      entry.reset(step, op, -1, launch.correlation, isCopy ? nowNs : Math.max(nowNs, arrivesNs), isIdle);
      entry.priority = launch.priority;
      entry.queued = after.length > 0;
      if (step.stream === graph.origin) entry.stream = launch.stream;
      // What comes first follows whatever the launch waited for.
      if (after.length === 0)
        entry.follow(launch.readyNs, launch.via, launch.engineNs + gaps.beforeGraph(launch.via, entry.engine));
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
