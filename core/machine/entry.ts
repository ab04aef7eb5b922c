/** An operation in a stream, from issue to completion. */

import type { CopyJob } from './copyEngine.ts';
import type { CopyQueue } from './copyQueues.ts';
import { type EngineIndex, noEngine, type Passing } from './engines.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { Step } from './step.ts';

/** Another operation or a host thread that waits for an operation. */
export interface Dependent {
  /** Stream of the waiting operation; undefined for others. */
  readonly stream?: number;
  /**
   * Called when a dependency is complete. `via` is the engine that did it, or that did the work it followed, until
   * `engineNs`. A mark or launch that ends later than the work before it doesn't hide the gap behind that work.
   */
  dependencyDone(nowNs: number, via: EngineIndex, engineNs: number): void;
}

/** Clock events of an entry. */
export const entryReady = 0;
export const entryPieceStaged = 1;
export const entryDone = 2;

/** Keeps an entry's order: its stream, or the graph that it is part of. */
export interface EntryOwner {
  complete(entry: StreamEntry, nowNs: number): void;
}

/** Handles an entry when its turn has come. */
export interface EntryHandler {
  /** Called when it was put into its stream. */
  entryIssued(entry: StreamEntry): void;
  entryActs(entry: StreamEntry, what: number, nowNs: number): void;
}

/** Entries are reused after they complete, so a long run creates only as many as are pending at once. */
export class StreamEntry implements Actor, Dependent {
  step: Step;
  /** Number of its operation. */
  op = -1;
  owner: EntryOwner;
  /** Device time alone; for a staged copy, of one whole piece. */
  deviceNs = 0;
  /** Engine that executes it. */
  engine: EngineIndex = noEngine;
  /** Stream on whose lane it is shown. */
  stream = -1;
  /** CUDA's priority: lower is more urgent. */
  priority = 0;
  correlation = 0;
  /** Host thread that issued it. */
  thread = -1;
  /** Number of operations that must still complete first. */
  pending = 0;
  /** Earliest start known so far. */
  readyNs = 0;
  /** Engine of the dependency that ended last, and when. A mark passes both on to whatever waits for the mark. */
  via: EngineIndex = noEngine;
  engineNs = Number.NEGATIVE_INFINITY;
  startNs = -1;
  /** Whether everything before it in its stream is complete. */
  ready = false;
  complete = false;
  /** Pieces of a staged copy: staged by the host, moved, and whether one is being moved. */
  staged = 0;
  moved = 0;
  moving = false;
  /** Pieces of a stage-out that the host has copied out of the driver's buffer. */
  drained = 0;
  /** Queue of its copy engine, and the entry's job there once the stream allows it. */
  queue: CopyQueue | null = null;
  job: CopyJob | null = null;
  readonly dependents: Dependent[] = [];
  readonly #clock: EventQueue;
  readonly #passing: Passing;
  readonly #handler: EntryHandler;

  constructor(step: Step, owner: EntryOwner, clock: EventQueue, passing: Passing, handler: EntryHandler) {
    this.step = step;
    this.owner = owner;
    this.#clock = clock;
    this.#passing = passing;
    this.#handler = handler;
  }

  reset(step: Step, op: number, thread: number, correlation: number, arrivesNs: number): void {
    this.step = step;
    this.engine = step.engine;
    this.deviceNs = step.deviceNs;
    this.op = op;
    this.stream = step.stream;
    this.thread = thread;
    this.correlation = correlation;
    this.readyNs = arrivesNs;
    this.via = noEngine;
    this.engineNs = Number.NEGATIVE_INFINITY;
    this.startNs = -1;
    this.pending = 0;
    this.ready = false;
    this.complete = false;
    this.staged = 0;
    this.moved = 0;
    this.moving = false;
    this.drained = 0;
    this.queue = null;
    this.job = null;
  }

  /** Adds a dependency that completed at `doneNs`. Its engine `via` ended at `engineNs`. */
  follow(doneNs: number, via: EngineIndex, engineNs: number): void {
    this.readyNs = Math.max(this.readyNs, doneNs, engineNs + this.#passing.between(via, this.engine));
    if (engineNs < this.engineNs) return;
    this.engineNs = engineNs;
    this.via = via;
  }

  dependencyDone(nowNs: number, via: EngineIndex, engineNs: number): void {
    this.follow(nowNs, via, engineNs);
    this.pending -= 1;
    this.scheduleIfReady();
  }

  scheduleIfReady(): void {
    if (this.pending === 0) this.#clock.schedule(this.readyNs, this, entryReady);
  }

  act(what: number, nowNs: number): void {
    this.#handler.entryActs(this, what, nowNs);
  }
}
