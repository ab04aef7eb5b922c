/**
 * Streams and events: what an issued operation waits for. Rules (core/rules): stream-order, streams-may-overlap,
 * legacy-default-stream, non-blocking-stream, event-order, graph-launches-in-turn, launch-queue.
 */
import type { Program, ProgramStream, StreamKind } from '../program/program.ts';
import { type AloneCopies, aloneCopies } from './aloneCopies.ts';
import type { Passing } from './engines.ts';
import { type Dependent, type EntryHandler, type EntryOwner, StreamEntry } from './entry.ts';
import type { EventQueue } from './eventQueue.ts';
import type { Step } from './step.ts';
import { emptyTail, follow, settle, type Tail, watch } from './tail.ts';

export interface SlotWaiter {
  /** Called when a place in the stream's queue is free. */
  slotFree(nowNs: number): void;
}

/** Least urgent priority of a stream: CUDA lowers larger values to it. */
const leastPriority = 0;

export class SimulatedStream {
  readonly kind: StreamKind;
  readonly priority: number;
  readonly device: number;
  readonly tail: Tail = emptyTail();
  /** Number of issued operations that aren't complete. */
  pending = 0;
  /** Number of the device's last legacy default operation that this stream already waits for. */
  legacySeen = 0;
  /** Whether it got work since the legacy default stream last waited for it. */
  touched = false;
  readonly slotWaiters: SlotWaiter[] = [];
  /** Work of other streams that its next operation waits for. */
  readonly held: PendingWork[] = [];

  constructor({ kind, device, priority }: ProgramStream) {
    this.kind = kind;
    this.device = device;
    this.priority = Math.min(priority, leastPriority);
  }
}

/** All work of a stream at some time, and operations of other streams that wait for it. */
export class PendingWork implements Dependent {
  isOver = false;
  readonly #waiting: StreamEntry[] = [];

  dependencyDone(...end: Parameters<Dependent['dependencyDone']>): void {
    this.isOver = true;
    for (const entry of this.#waiting) entry.dependencyDone(...end);
  }

  hold(entry: StreamEntry): void {
    if (this.isOver) return;
    this.#waiting.push(entry);
    entry.pending += 1;
  }
}

/** A device's legacy default stream, and the blocking streams that synchronise with it. */
interface LegacyGroup {
  readonly blocking: SimulatedStream[];
  touched: SimulatedStream[];
  legacy: SimulatedStream | null;
  issued: number;
}

export class StreamSet implements EntryOwner {
  readonly streams: readonly SimulatedStream[];
  readonly #events: readonly Tail[];
  /** Launches of a graph wait for each other. */
  readonly #graphs: Tail[];
  readonly #recorded: boolean[];
  readonly #groups: readonly LegacyGroup[];
  readonly #alone: AloneCopies | null;
  readonly #free: StreamEntry[] = [];
  readonly #clock: EventQueue;
  readonly #passing: Passing;
  readonly #handler: EntryHandler;
  readonly #depth: number;

  constructor(program: Program, clock: EventQueue, passing: Passing, handler: EntryHandler, depth: number) {
    this.streams = program.streams.map((stream) => new SimulatedStream(stream));
    this.#events = program.events.map(emptyTail);
    this.#graphs = program.graphs.map(emptyTail);
    this.#recorded = program.events.map(() => false);
    this.#groups = program.devices.map((_, device) => legacyGroup(this.streams, device));
    this.#alone = aloneCopies(program, this.streams);
    this.#clock = clock;
    this.#passing = passing;
    this.#handler = handler;
    this.#depth = depth;
  }

  isFull(stream: number): boolean {
    const found = this.streams[stream];
    return found !== undefined && found.pending >= this.#depth;
  }

  isIdle(stream: number): boolean {
    return this.streams[stream]?.pending === 0;
  }

  waitForSlot(stream: number, waiter: SlotWaiter): void {
    this.streams[stream]?.slotWaiters.push(waiter);
  }

  /** Puts an operation into its stream. It starts at `arrivesNs` at the earliest. */
  issue(step: Step, op: number, thread: number, correlation: number, arrivesNs: number): StreamEntry {
    const entry = this.#free.pop() ?? new StreamEntry(step, this, this.#clock, this.#passing, this.#handler);
    const stream = this.streams[step.stream];
    if (stream === undefined) throw new RangeError(`no stream ${step.stream}: lower() made a damaged program`);
    entry.reset(step, op, thread, correlation, arrivesNs);
    entry.priority = stream.priority;
    follow(entry, stream.tail);
    if (stream.held.length > 0) for (const work of stream.held.splice(0)) work.hold(entry);
    this.#legacyRules(entry, stream);
    this.#alone?.issue(entry);
    const event = step.event < 0 ? undefined : this.#events[step.event];
    // A wait refers to the latest record at this moment. An event that was never recorded counts as complete.
    if (event !== undefined && step.code === 'waitEvent') follow(entry, event);
    if (event !== undefined && step.code === 'recordEvent') {
      event.entry = entry;
      this.#recorded[step.event] = true;
    }
    const graph = step.route === 'graph' ? this.#graphs[step.index] : undefined;
    if (graph !== undefined) {
      follow(entry, graph);
      graph.entry = entry;
    }
    stream.tail.entry = entry;
    stream.pending += 1;
    this.#handler.entryIssued(entry);
    entry.scheduleIfReady();
    return entry;
  }

  complete(entry: StreamEntry, nowNs: number): void {
    const { step, dependents } = entry;
    if (step.route !== 'mark' && step.route !== 'graph') {
      entry.via = entry.engine;
      entry.engineNs = nowNs + this.#passing.behind(step);
    }
    entry.complete = true;
    const stream = this.streams[step.stream];
    const event = step.code === 'recordEvent' ? this.#events[step.event] : undefined;
    if (stream !== undefined) settle(stream.tail, entry, nowNs, entry.via);
    if (event !== undefined) settle(event, entry, nowNs, entry.via);
    const graph = step.route === 'graph' ? this.#graphs[step.index] : undefined;
    if (graph !== undefined) settle(graph, entry, nowNs, entry.via);
    this.#alone?.complete(entry, nowNs, entry.via);
    const { via, engineNs } = entry;
    for (let at = 0; at < dependents.length; at += 1)
      (dependents[at] as Dependent).dependencyDone(nowNs, via, engineNs);
    // pop() keeps the array's memory; setting the length would release it, and is slow.
    while (dependents.length > 0) dependents.pop();
    this.#free.push(entry);
    if (stream === undefined) return;
    stream.pending -= 1;
    stream.slotWaiters.shift()?.slotFree(nowNs);
  }

  /** Makes `waiter` depend on all pending work in the stream. Returns the number of operations to wait for. */
  watchStream(stream: number, waiter: Dependent): number {
    const found = this.streams[stream];
    if (found === undefined) return 0;
    const group = this.#groups[found.device];
    if (found.kind !== 'legacy-default' || group === undefined) return watch(found.tail, waiter);
    // Work in the legacy default stream first waits for all blocking streams, and so does synchronising it.
    return group.blocking.reduce((count, blocking) => count + watch(blocking.tail, waiter), watch(found.tail, waiter));
  }

  /** Resets a graph's order after a new capture: its launches don't wait for those of the old one. */
  newGraph(graph: number): void {
    this.#graphs[graph] = emptyTail();
  }

  watchEvent(event: number, waiter: Dependent): number {
    const found = this.#events[event];
    return found === undefined ? 0 : watch(found, waiter);
  }

  /** Returns an object whose `isOver` becomes true when all current work of the stream is complete. */
  pendingUse(stream: number): PendingWork {
    const work = new PendingWork();
    work.isOver = watch(this.streams[stream]?.tail ?? emptyTail(), work) === 0;
    return work;
  }

  /** Makes the next operation in the stream wait for work of another one. */
  holdBack(stream: number, work: PendingWork): void {
    this.streams[stream]?.held.push(work);
  }

  /** Returns whether the event was recorded and reached. */
  isReached(event: number): boolean {
    return this.#recorded[event] === true && this.#events[event]?.entry === null;
  }

  watchDevice(device: number, waiter: Dependent): number {
    return this.streams.reduce(
      (count, stream) => count + (stream.device === device ? watch(stream.tail, waiter) : 0),
      0,
    );
  }

  #legacyRules(entry: StreamEntry, stream: SimulatedStream): void {
    const group = this.#groups[stream.device];
    if (group === undefined || stream.kind === 'non-blocking') return;
    if (stream.kind === 'legacy-default') {
      for (const blocking of group.touched) {
        follow(entry, blocking.tail);
        blocking.touched = false;
      }
      group.touched.length = 0;
      group.issued += 1;
      return;
    }
    if (!stream.touched) {
      stream.touched = true;
      group.touched.push(stream);
    }
    if (group.legacy === null || stream.legacySeen === group.issued) return;
    stream.legacySeen = group.issued;
    follow(entry, group.legacy.tail);
  }
}

function legacyGroup(streams: readonly SimulatedStream[], device: number): LegacyGroup {
  const own = streams.filter((stream) => stream.device === device);
  return {
    blocking: own.filter((stream) => stream.kind === 'blocking' || stream.kind === 'per-thread-default'),
    touched: [],
    legacy: own.find((stream) => stream.kind === 'legacy-default') ?? null,
    issued: 0,
  };
}
