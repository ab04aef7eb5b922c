/** What the devices do with an operation whose turn has come: which engine it goes to, and what its end sets free. */
import type { Program } from '../program/program.ts';
import { Compute, type ComputeSink } from './compute.ts';
import { CopyEngine, type CopySink } from './copyEngine.ts';
import { deviceOf, type EngineIndex, engineIndex, Gaps, isCompute, isCopyEngine } from './engines.ts';
import { type EntryHandler, entryDone, entryPieceStaged, entryReady, type StreamEntry } from './entry.ts';
import type { EventQueue } from './eventQueue.ts';
import { type Graph, GraphCosts, GraphRun, type Launched } from './graph.ts';
import type { HostCaches } from './hostCaches.ts';
import { type FunctionSink, HostFunctions } from './hostFunctions.ts';
import { Link } from './link.ts';
import type { DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';
import { StreamSet } from './streams.ts';
import type { TraceOutput } from './traceOutput.ts';

/** What a host thread hears of the copy it is held in. */
export interface CopyListener {
  pieceMoved(entry: StreamEntry, nowNs: number): void;
  hostCopyDone(nowNs: number): void;
}

/**
 * What a turn takes longer beside a copy to the device. Kernels behind one of their stream began 2.1, 2.5 and 3.4 us after it with
 * two, three and four other streams' work waiting, and 3.1 and 5.4 us with two and three beside such a copy; otherwise 1.15.
 */
const besideCopyTimes = 2.6;

export class Devices implements EntryHandler, CopySink, ComputeSink, FunctionSink {
  readonly streams: StreamSet;
  readonly costs: GraphCosts;
  /** The program's host threads, in order; filled before anything is issued. */
  readonly threads: CopyListener[] = [];
  /** As they were captured last. */
  readonly graphs = new Map<number, Graph>();
  /** What each launch runs: a graph that is captured anew meanwhile doesn't change it. */
  readonly #launched = new WeakMap<StreamEntry, Launched>();
  readonly #clock: EventQueue;
  readonly #output: TraceOutput;
  readonly #engines: ReadonlyMap<EngineIndex, CopyEngine>;
  readonly #computes: readonly Compute[];
  readonly #functions: HostFunctions;
  readonly #graphGaps: Gaps;
  readonly #slots: number;
  readonly #queuedCopyNs: number;
  readonly #links: readonly Link[];
  readonly #fetchNs: number;
  readonly #caches: HostCaches;
  readonly #perFreshNs: number;
  readonly #overFreshNs: number;

  constructor(program: Program, profile: DeviceProfile, clock: EventQueue, output: TraceOutput, caches: HostCaches) {
    this.#clock = clock;
    this.#output = output;
    this.#slots = profile.staging.slots;
    this.#queuedCopyNs = profile.queue.queuedCopyNs ?? 0;
    this.#caches = caches;
    const { freshFactor = 1, overFreshFactor = 1, h2dBytesPerSecond, d2hBytesPerSecond } = profile.link;
    this.#perFreshNs = ((freshFactor - 1) / h2dBytesPerSecond) * 1e9;
    this.#overFreshNs = ((overFreshFactor - 1) / d2hBytesPerSecond) * 1e9;
    this.#graphGaps = Gaps.ofGraphs(profile);
    this.costs = new GraphCosts(profile);
    const gaps = Gaps.ofStreams(profile, (device) => this.#turns(device));
    this.streams = new StreamSet(program, clock, gaps, this, profile.queue.depth);
    this.#functions = new HostFunctions(profile, clock, this);
    this.#fetchNs = profile.queue.besideCopyNs ?? 0;
    const links = program.devices.map(() => new Link(profile.link));
    this.#links = links;
    this.#engines = new Map(links.flatMap((link, device) => this.#copyEngines(link, device, profile)));
    this.#computes = links.map((link) => new Compute(clock, this, link, profile));
  }

  /**
   * While others' kernels run, the compute channel looks at each stream that has work before it goes on with one, and fetches
   * what it finds from the host. What has just ended there still counts among its stream's work, but runs no longer.
   */
  #turns(device: number): number {
    if (this.#computes[device]?.isIdle !== false) return 0;
    const others = Math.max(0, this.streams.queuedStreams(device) - 1);
    return this.#links[device]?.isReadByCopies === true ? others * besideCopyTimes : others;
  }

  /** With one copy engine, both directions share it. Peers have a link of their own. */
  #copyEngines(link: Link, device: number, profile: DeviceProfile): [EngineIndex, CopyEngine][] {
    const gapNs = profile.queue.copyGapNs ?? 0;
    const first = new CopyEngine(0, link, this.#clock, this, gapNs);
    const second = profile.device.asyncEngineCount > 1 ? new CopyEngine(1, link, this.#clock, this, gapNs) : first;
    const wide = { h2dBytesPerSecond: Infinity, d2hBytesPerSecond: Infinity, bothBytesPerSecond: Infinity };
    const peer = new CopyEngine(2, new Link(wide), this.#clock, this, gapNs);
    return [
      [engineIndex(device, 'h2d'), first],
      [engineIndex(device, 'd2h'), second],
      [engineIndex(device, 'peer'), peer],
    ];
  }

  entryIssued(entry: StreamEntry): void {
    const { engine } = entry;
    if (isCopyEngine(engine)) this.#engines.get(engine)?.issued(entry);
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
    this.#complete(entry, nowNs);
  }

  functionFinished(entry: StreamEntry, nowNs: number): void {
    this.#complete(entry, nowNs);
  }

  /** The host has copied one more piece out of the driver's buffer. */
  pieceDrained(entry: StreamEntry): void {
    entry.drained += 1;
    this.#movePiece(entry);
  }

  #start(entry: StreamEntry, nowNs: number): void {
    const { step } = entry;
    if (this.#fetchNs > 0 && this.#isFetchedLate(entry, nowNs)) {
      entry.arrivalNs = Number.NEGATIVE_INFINITY;
      this.#clock.schedule(nowNs + this.#fetchNs, entry, entryReady);
      return;
    }
    entry.ready = true;
    switch (step.route) {
      case 'mark':
        this.#output.mark(entry, nowNs);
        this.streams.complete(entry, nowNs);
        break;
      case 'host':
        entry.startNs = nowNs;
        this.#clock.schedule(nowNs + step.deviceNs, entry, entryDone);
        break;
      case 'engine':
        if (isCompute(entry.engine)) this.#computes[deviceOf(entry.engine)]?.submit(entry);
        else this.#engines.get(entry.engine)?.submit(entry, this.#aloneNs(entry), step.bytes, this.#freshNs(step));
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

  /** What a device runs that has waited for nothing else, it fetches from the host; which waits behind copies to it. */
  #isFetchedLate({ step, engine, arrivalNs, thread }: StreamEntry, nowNs: number): boolean {
    if (arrivalNs !== nowNs || thread < 0 || step.route !== 'engine' || !isCompute(engine)) return false;
    return this.#links[deviceOf(engine)]?.isReadByCopies === true;
  }

  /** Behind other work a small copy to the device takes a slower way than through the compute channel. */
  #aloneNs({ step, queued }: StreamEntry): number {
    return !queued || step.dst !== 'device' ? step.deviceNs : Math.max(step.deviceNs, this.#queuedCopyNs);
  }

  /** What a copy takes longer over host memory that lies in caches as a thread has just written it. */
  #freshNs({ hostBuffer, hostOffset, bytes, dst }: Step): number {
    if (hostBuffer < 0) return 0;
    const fresh = this.#caches.freshBytes(hostBuffer, hostOffset, bytes);
    if (fresh === 0) return 0;
    if (dst === 'device') return this.#perFreshNs * fresh;
    this.#caches.overwritten(hostBuffer, hostOffset, bytes);
    return this.#overFreshNs * fresh;
  }

  /** A launch has been issued: it runs the graph as it is now, all of which is there at `arrivesNs`. */
  launched(launch: StreamEntry, arrivesNs: number): void {
    const graph = this.graphs.get(launch.step.index);
    if (graph !== undefined) this.#launched.set(launch, { graph, arrivesNs });
  }

  #startGraph(launch: StreamEntry, nowNs: number): void {
    const launched = this.#launched.get(launch);
    const over = (entry: StreamEntry, atNs: number): void => this.streams.complete(entry, atNs);
    if (launched === undefined) over(launch, nowNs);
    else new GraphRun(launched, launch, this.#clock, this.#graphGaps, this, over);
  }

  /** A copy on the host has ended. */
  #done(entry: StreamEntry, nowNs: number): void {
    const listener = this.threads[entry.thread];
    this.#complete(entry, nowNs);
    listener?.hostCopyDone(nowNs);
  }

  #complete(entry: StreamEntry, nowNs: number): void {
    this.#output.activity(entry, nowNs);
    entry.owner.complete(entry, nowNs);
  }

  /** Pieces of one copy move one after another; copies of other streams may come between them. */
  #movePiece(entry: StreamEntry): void {
    const { step } = entry;
    const limit = step.route === 'stage-in' ? entry.staged : Math.min(step.pieces, entry.drained + this.#slots);
    if (!entry.ready || entry.moving || entry.moved >= limit) return;
    entry.moving = true;
    const last = entry.moved === step.pieces - 1;
    const bytes = last ? step.bytes - entry.moved * step.pieceBytes : step.pieceBytes;
    this.#engines.get(step.engine)?.submit(entry, last ? step.lastPieceNs : step.deviceNs, bytes);
  }
}
