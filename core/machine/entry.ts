/** One operation in a stream, from being issued to being complete. */

import type { CopyJob } from './copyEngine.ts';
import type { CopyQueue } from './copyQueues.ts';
import { type EngineIndex, noEngine, type Passing } from './engines.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { Step } from './step.ts';

/** What waits for an operation: another operation, or a host thread. */
export interface Dependent {
  /** The stream that an operation is in; left out by what is in none. */
  readonly stream?: number;
  /**
   * One of the things waited for is complete, and engine `via` did it, or what it followed, until `engineNs`: a mark or
   * a launch that ends later than the work before it hides nothing of the gap behind that work.
   */
  dependencyDone(nowNs: number, via: EngineIndex, engineNs: number): void;
}

/** What an entry may be told by the clock. */
export const entryReady = 0;
export const entryPieceStaged = 1;
export const entryDone = 2;

/** Whoever keeps an entry's order: its stream, or the graph that it is part of. */
export interface EntryOwner {
  complete(entry: StreamEntry, nowNs: number): void;
}

/** Takes over when an entry's turn has come. */
export interface EntryHandler {
  /** It has been put into its stream. */
  entryIssued(entry: StreamEntry): void;
  entryActs(entry: StreamEntry, what: number, nowNs: number): void;
}

/** Entries are used again after they complete, so a long run makes no more of them than are pending at once. */
export class StreamEntry implements Actor, Dependent {
  step: Step;
  /** Number of its operation. */
  op = -1;
  owner: EntryOwner;
  /** Device time alone; for a staged copy that of one whole piece. */
  deviceNs = 0;
  /** The engine that takes it. */
  engine: EngineIndex = noEngine;
  /** The stream on whose lane it is shown. */
  stream = -1;
  /** CUDA's: lower is more urgent. */
  priority = 0;
  correlation = 0;
  /** Host thread that issued it. */
  thread = -1;
  /** Operations that must complete first and haven't. */
  pending = 0;
  /** Earliest start by what is known so far. */
  readyNs = 0;
  /** Engine of whatever it follows that ended last, and when: a mark passes both on to what waits for the mark. */
  via: EngineIndex = noEngine;
  engineNs = Number.NEGATIVE_INFINITY;
  startNs = -1;
  /** Everything before it in its stream is complete. */
  ready = false;
  complete = false;
  /** Pieces of a staged copy: handed to the engine's side by the host, moved, and being moved. */
  staged = 0;
  moved = 0;
  moving = false;
  /** Pieces of a stage-out that the host has copied out of the driver's buffer. */
  drained = 0;
  /** The queue of a copy engine that it is in, and what it waits there for others with once its stream lets it. */
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

  /** Counts in something that completed at `doneNs`, whose engine `via` had ended at `engineNs`. */
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
