/** Sends an operation whose turn has come to its engine, and handles its end. */
import type { Program } from '../program/program.ts';
import { Compute, type ComputeSink } from './compute.ts';
import { CopyEngine, type CopySink } from './copyEngine.ts';
import type { CostModel } from './costModel.ts';
import { deviceOf, type EngineIndex, engineIndex, isCompute, isCopyEngine, Passing } from './engines.ts';
import { type EntryHandler, entryDone, entryPieceStaged, entryReady, type StreamEntry } from './entry.ts';
import type { EventQueue } from './eventQueue.ts';
import { type Graph, GraphRun, type Launched } from './graph.ts';
import { type FunctionSink, HostFunctions } from './hostFunctions.ts';
import type { HostWork } from './hostWork.ts';
import { Link } from './link.ts';
import type { ManagedMemory } from './managed.ts';
import { StreamSet } from './streams.ts';
import type { TraceOutput } from './traceOutput.ts';

/** Called with progress of the copy that blocks a host thread. */
export interface CopyListener {
  pieceMoved(entry: StreamEntry, nowNs: number): void;
  hostCopyDone(nowNs: number): void;
}

export class Devices implements EntryHandler, CopySink, ComputeSink, FunctionSink {
  readonly streams: StreamSet;
  /** The program's host threads, in order; filled before anything is issued. */
  readonly threads: CopyListener[] = [];
  /** Latest capture of each graph. */
  readonly graphs = new Map<number, Graph>();
  /** Graph of each launch; a new capture of the graph doesn't change it. */
  readonly #launched = new WeakMap<StreamEntry, Launched>();
  readonly #clock: EventQueue;
  readonly #output: TraceOutput;
  readonly #engines: ReadonlyMap<EngineIndex, CopyEngine>;
  /** Prefetches wait for no copies: on an H200 both shared the link, and one to the host took as long next to a copy. */
  readonly #prefetches: ReadonlyMap<EngineIndex, CopyEngine>;
  readonly #computes: readonly Compute[];
  readonly #functions: HostFunctions;
  readonly #graphPassing: Passing;
  readonly #slots: number;
  readonly #hostWork: HostWork;
  readonly #managed: ManagedMemory;
  /** Turns of each device without a copy engine; empty if they have some. */
  readonly #turns: readonly Turns[];

  constructor(
    program: Program,
    costs: CostModel,
    clock: EventQueue,
    output: TraceOutput,
    hostWork: HostWork,
    managed: ManagedMemory,
  ) {
    const { facts } = costs;
    this.#clock = clock;
    this.#output = output;
    this.#hostWork = hostWork;
    this.#managed = managed;
    this.#slots = facts.staging.slots;
    this.#graphPassing = Passing.ofGraphs(costs);
    this.streams = new StreamSet(program, clock, Passing.ofStreams(costs), this, facts.queueDepth);
    this.#functions = new HostFunctions(clock, this);
    const links = program.devices.map(() => new Link(costs.link));
    this.#engines = new Map(links.flatMap((link, device) => this.#copyEngines(link, device, costs)));
    const isManaged = program.buffers.some(({ memory }) => memory === 'managed');
    this.#prefetches = new Map(
      isManaged ? links.flatMap((link, device) => this.#copyEngines(link, device, costs)) : [],
    );
    this.#computes = links.map((link) => new Compute(clock, this, link, facts));
    this.#turns = facts.copyEngines > 0 ? [] : links.map(() => new Turns());
  }

  /** With one copy engine, both directions share it. Peer copies have a link of their own. */
  #copyEngines(link: Link, device: number, { facts, gaps: { copyNs } }: CostModel): [EngineIndex, CopyEngine][] {
    const first = new CopyEngine(0, link, this.#clock, this, copyNs);
    const second = facts.copyEngines > 1 ? new CopyEngine(1, link, this.#clock, this, copyNs) : first;
    const wide = {
      bytesPerSecond: Infinity,
      bothBytesPerSecond: Infinity,
      besideNs: 0,
      besideMappedPart: null,
      mappedBacklogNs: 0,
    };
    const peer = new CopyEngine(2, new Link(wide), this.#clock, this, copyNs);
    return [
      [engineIndex(device, 'h2d'), first],
      [engineIndex(device, 'd2h'), second],
      [engineIndex(device, 'peer'), peer],
    ];
  }

  entryIssued(entry: StreamEntry): void {
    if (isCopyEngine(entry.engine)) this.#engineOf(entry)?.issued(entry);
  }

  entryActs(entry: StreamEntry, what: number, nowNs: number): void {
    if (what === entryReady) this.#start(entry, nowNs);
    else if (what === entryDone) this.#done(entry, nowNs);
    else if (what === entryPieceStaged) {
      entry.staged += 1;
      this.#movePiece(entry);
    }
  }

  kernelStarted(entry: StreamEntry, nowNs: number): void {
    entry.startNs = nowNs;
  }

  copyStarted(entry: StreamEntry, nowNs: number): void {
    if (entry.startNs < 0) entry.startNs = nowNs;
  }

  copyFinished(entry: StreamEntry, nowNs: number): void {
    this.#turns[deviceOf(entry.engine)]?.over();
    if (entry.step.route === 'engine') {
      this.#complete(entry, nowNs);
      return;
    }
    entry.moving = false;
    entry.moved += 1;
    this.threads[entry.thread]?.pieceMoved(entry, nowNs);
    if (entry.moved === entry.step.pieces) this.#complete(entry, nowNs);
    else this.#movePiece(entry);
  }

  kernelFinished(entry: StreamEntry, nowNs: number): void {
    this.#turns[deviceOf(entry.engine)]?.over();
    this.#complete(entry, nowNs);
  }

  functionFinished(entry: StreamEntry, nowNs: number): void {
    this.#complete(entry, nowNs);
  }

  /** Counts a piece that the host has copied out of the driver's buffer. */
  pieceDrained(entry: StreamEntry): void {
    entry.drained += 1;
    this.#movePiece(entry);
  }

  #start(entry: StreamEntry, nowNs: number): void {
    if (entry.step.pages.length > 0) this.#meetPages(entry);
    const { step } = entry;
    entry.ready = true;
    switch (step.route) {
      case 'mark':
        this.#output.mark(entry, nowNs);
        this.streams.complete(entry, nowNs);
        break;
      case 'host':
        entry.startNs = nowNs;
        if (!this.#hostWork.isShared(step.bytes)) this.#clock.schedule(nowNs + entry.deviceNs, entry, entryDone);
        else this.#hostWork.start(step.bytes, entry.deviceNs, { hostWorkDone: (ns) => this.#done(entry, ns) }, nowNs);
        break;
      case 'engine':
        this.#inTurn(entry, entry.deviceNs, step.code === 'prefetch' ? step.linkIn + step.linkOut : step.bytes);
        break;
      case 'function':
        this.#functions.submit(entry, nowNs);
        break;
      case 'graph':
        this.#startGraph(entry, nowNs);
        break;
      default:
        this.#movePiece(entry);
    }
  }

  #engineOf({ engine, step }: StreamEntry): CopyEngine | undefined {
    return (step.code === 'prefetch' ? this.#prefetches : this.#engines).get(engine);
  }

  #meetPages(entry: StreamEntry): void {
    const step = this.#managed.onDevice(entry.step);
    entry.deviceNs += step.deviceNs - entry.step.deviceNs;
    entry.step = step;
  }

  /** Starts a launch, with the graph as it is now. All of it has arrived at `arrivesNs`. */
  launched(launch: StreamEntry, arrivesNs: number): void {
    const graph = this.graphs.get(launch.step.index);
    if (graph !== undefined) this.#launched.set(launch, { graph, arrivesNs });
  }

  #startGraph(launch: StreamEntry, nowNs: number): void {
    const launched = this.#launched.get(launch);
    const over = (entry: StreamEntry, atNs: number): void => this.streams.complete(entry, atNs);
    if (launched === undefined) over(launch, nowNs);
    else new GraphRun(launched, launch, this.#clock, this.#graphPassing, this, over);
  }

  /** Ends a copy on the host. */
  #done(entry: StreamEntry, nowNs: number): void {
    const listener = this.threads[entry.thread];
    this.#complete(entry, nowNs);
    listener?.hostCopyDone(nowNs);
  }

  #complete(entry: StreamEntry, nowNs: number): void {
    this.#output.activity(entry, nowNs);
    entry.owner.complete(entry, nowNs);
  }

  /** Pieces of one copy move one after another; copies of other streams may come in between. */
  #movePiece(entry: StreamEntry): void {
    const { step } = entry;
    const limit = step.route === 'stage-in' ? entry.staged : Math.min(step.pieces, entry.drained + this.#slots);
    if (!entry.ready || entry.moving || entry.moved >= limit) return;
    entry.moving = true;
    const last = entry.moved === step.pieces - 1;
    const bytes = last ? step.bytes - entry.moved * step.pieceBytes : step.pieceBytes;
    this.#inTurn(entry, last ? step.lastPieceNs : step.deviceNs, bytes);
  }

  #inTurn(entry: StreamEntry, aloneNs: number, bytes: number): void {
    const turns = this.#turns[deviceOf(entry.engine)];
    if (turns === undefined) this.#submit(entry, aloneNs, bytes);
    else turns.submit(isCompute(entry.engine), this.#submit.bind(this, entry, aloneNs, bytes));
  }

  #submit(entry: StreamEntry, aloneNs: number, bytes: number): void {
    if (isCompute(entry.engine)) this.#computes[deviceOf(entry.engine)]?.submit(entry);
    else this.#engineOf(entry)?.submit(entry, aloneNs, bytes);
  }
}

/** Copies and work on the compute channel of a device without a copy engine: only one kind runs at a time. */
class Turns {
  readonly #waiting: { readonly isCompute: boolean; readonly begin: () => void }[] = [];
  #isCompute = false;
  #count = 0;

  submit(isCompute: boolean, begin: () => void): void {
    this.#waiting.push({ isCompute, begin });
    this.#next();
  }

  over(): void {
    this.#count -= 1;
    this.#next();
  }

  #next(): void {
    for (;;) {
      const [first] = this.#waiting;
      if (first === undefined || (this.#count > 0 && first.isCompute !== this.#isCompute)) return;
      this.#waiting.shift();
      this.#isCompute = first.isCompute;
      this.#count += 1;
      first.begin();
    }
  }
}
