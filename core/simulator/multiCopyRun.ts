/**
 * A multi-tensor copy with threads of its own, the calling one among them. They take units in order, copy them on the
 * host, and whoever completes a chunk puts it into the stream; a slot is used again once its chunk has crossed. Helpers take
 * part as far as they wake in time (native/src/copy/worker_pool.cpp): nobody waits for one that has not begun.
 */
import type { Dependent } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { HostCopies, HostCopyOwner } from './hostCopies.ts';
import type { Run, ThreadedPlan } from './multiCopyPlan.ts';
import type { DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';
import type { SlotWaiter, StreamSet } from './streams.ts';

/** What a thread may be told by the clock. */
const takeNext = 0;
const submitOn = 1;
const begin = 2;

export interface MultiCopyParts {
  readonly plan: ThreadedPlan;
  /** Number of the operation. */
  readonly op: number;
  readonly correlation: number;
  readonly profile: DeviceProfile;
  readonly clock: EventQueue;
  readonly streams: StreamSet;
  readonly copies: HostCopies;
  /** From the start to the first step of each helper, counted from 1. */
  readonly wakeNs: (helper: number) => number;
  /** What the first call of each helper takes longer. */
  readonly firstNs: number;
  /** Time to copy what has just arrived from the device, in parts of what it takes otherwise; 1 where nothing has. */
  readonly arrivedPart: number;
  /** The part of the host's memory, 0 to 1, that has left its caches. */
  readonly gonePart: number;
  /** A thread has copied on the host since `startNs`: 0 is the calling one, and its helpers count from 1. */
  readonly staged: (thread: number, bytes: number, startNs: number, endNs: number) => void;
  /**
   * What a run puts into the stream: a copy between page-locked memory and the device, or a kernel before it. The last run
   * of a chunk that threads have copied is the newest.
   */
  readonly steps: (run: Run, isNewest: boolean) => readonly Step[];
  /** All data is where it belongs. */
  readonly done: (nowNs: number) => void;
}

interface ChunkState {
  /** Units to copy, and copies that haven't arrived; -1 before it is submitted. */
  units: number;
  arriving: number;
  readonly waiters: Worker[];
}

interface Unit {
  readonly chunk: number;
  readonly bytes: number;
}

type Phase = 'only' | 'first' | 'second' | 'over';

export class MultiCopyRun {
  readonly parts: MultiCopyParts;
  /** When the last call returns, which thread makes it, and what it costs another thread to come next. */
  #calledUntilNs = 0;
  #caller = -1;
  /** Bytes that are copied in all. */
  readonly payload: number;
  readonly #chunks: ChunkState[];
  readonly #units: readonly Unit[];
  /** When each helper has woken. */
  readonly #wakesNs: readonly number[];
  #next = 0;
  /** Threads that have begun. */
  #working = 1;
  #arriving = 0;
  /** 'after': copies first, then the host's part. */
  #phase: Phase;

  constructor(parts: MultiCopyParts, nowNs: number) {
    this.parts = parts;
    const { plan } = parts;
    this.#chunks = plan.chunks.map(({ units }) => ({ units: units.length, arriving: -1, waiters: [] }));
    this.#units = plan.chunks.flatMap(({ units }, chunk) => units.map((bytes) => ({ chunk, bytes })));
    this.payload = this.#units.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#phase = plan.order === 'after' ? 'first' : 'only';
    const threads = Math.min(plan.threads, Math.max(1, this.#units.length));
    this.#wakesNs = Array.from({ length: threads - 1 }, (_, index) => nowNs + parts.wakeNs(index + 1));
    const caller = new Worker(this, 0);
    if (plan.order === 'from-device') caller.submitFirst(this.#prefill());
    parts.clock.schedule(nowNs, caller, takeNext);
    this.#wakesNs.forEach((wakesNs, index) => {
      parts.clock.schedule(wakesNs, new Worker(this, index + 1), begin);
    });
  }

  get phase(): Phase {
    return this.#phase;
  }

  /** A helper has woken, and begins what it was woken for. */
  joined(): void {
    this.#working += 1;
  }

  /** Bytes that the worker copies on the host next; null where it has to wait, 0 where there is nothing to copy. */
  take(worker: Worker): Unit | 'wait' | 'over' {
    const unit = this.#units[this.#next];
    if (unit === undefined) return 'over';
    const { order, slots } = this.parts.plan;
    const needs = order === 'from-device' ? unit.chunk : order === 'to-device' ? unit.chunk - slots : -1;
    const needed = this.#chunks[needs];
    if (needed !== undefined && needed.arriving !== 0) {
      needed.waiters.push(worker);
      this.#next += 1;
      worker.reserved = unit;
      return 'wait';
    }
    this.#next += 1;
    return unit;
  }

  /** Copies on the host come in the second of two phases, or in the only one. */
  get copiesOnHost(): boolean {
    return this.#phase !== 'first';
  }

  /** A unit is copied: the chunk to put into the stream now, or -1. */
  copied({ chunk }: Unit): number {
    const state = this.#chunks[chunk];
    if (state === undefined) return -1;
    state.units -= 1;
    const { order, slots } = this.parts.plan;
    if (state.units > 0 || this.#phase === 'second' || order === 'host') return -1;
    if (order !== 'from-device') return chunk;
    return chunk + slots < this.#chunks.length ? chunk + slots : -1;
  }

  submitting(chunk: number): readonly Step[] {
    const { steps, plan } = this.parts;
    const { runs: own = [], units = [] } = plan.chunks[chunk] ?? {};
    const isCopied = units.some((bytes) => bytes > 0);
    const runs = own.flatMap((run, index) => steps(run, isCopied && index === own.length - 1));
    const state = this.#chunks[chunk];
    if (state !== undefined) state.arriving = runs.length;
    this.#arriving += runs.length;
    return runs;
  }

  /** When a call of this thread returns: calls of several threads go one after another. */
  call(thread: number, callNs: number, nowNs: number): number {
    const isContended = this.#caller !== thread && nowNs < this.#calledUntilNs;
    const beginsNs = isContended ? this.#calledUntilNs + (this.parts.profile.calls.contendedNs ?? 0) : nowNs;
    this.#caller = thread;
    this.#calledUntilNs = Math.max(this.#calledUntilNs, beginsNs + callNs);
    return beginsNs + callNs;
  }

  arrived(chunk: number, nowNs: number): void {
    this.#arriving -= 1;
    const state = this.#chunks[chunk];
    if (state === undefined) return;
    state.arriving -= 1;
    if (state.arriving > 0) return;
    const { clock, profile } = this.parts;
    for (const worker of state.waiters) clock.schedule(nowNs + profile.calls.wakeNs, worker, takeNext);
    state.waiters.length = 0;
    this.#endIfOver(nowNs, profile.calls.wakeNs);
  }

  stopped(nowNs: number): void {
    this.#working -= 1;
    this.#endIfOver(nowNs, 0);
  }

  #endIfOver(nowNs: number, laterNs: number): void {
    if (this.#working > 0 || this.#arriving > 0) return;
    const endNs = nowNs + laterNs;
    if (this.#phase !== 'first') {
      this.#phase = 'over';
      this.parts.done(endNs);
      return;
    }
    this.#phase = 'second';
    this.#next = 0;
    this.#chunks.forEach((state, chunk) => {
      state.units = this.parts.plan.chunks[chunk]?.units.length ?? 0;
    });
    this.#working = 1;
    const { clock, profile } = this.parts;
    clock.schedule(endNs, new Worker(this, 0), takeNext);
    this.#wakesNs.forEach((wakesNs, index) => {
      clock.schedule(Math.max(wakesNs, endNs + profile.host.wakeNs), new Worker(this, index + 1), begin);
    });
  }

  #prefill(): number[] {
    return this.#chunks.slice(0, this.parts.plan.slots).map((_, chunk) => chunk);
  }
}

/** One of the threads. */
class Worker implements Actor, HostCopyOwner, SlotWaiter {
  /** A unit that it has taken and can't start yet. */
  reserved: Unit | null = null;
  readonly #run: MultiCopyRun;
  readonly #number: number;
  /** In which it was woken. */
  readonly #phase: Phase;
  #unit: Unit | null = null;
  #copyingSinceNs = 0;
  /** Chunks and runs that it is putting into the stream. */
  #chunks: number[] = [];
  #runs: readonly Step[] = [];
  #run0 = 0;
  /** What its next call takes longer. */
  #firstNs: number;

  constructor(run: MultiCopyRun, number: number) {
    this.#run = run;
    this.#number = number;
    this.#phase = run.phase;
    this.#firstNs = number === 0 ? 0 : run.parts.firstNs;
  }

  submitFirst(chunks: number[]): void {
    this.#chunks = chunks;
  }

  act(what: number, nowNs: number): void {
    if (what === begin) {
      if (this.#run.phase !== this.#phase) return;
      this.#run.joined();
    }
    if (what === submitOn || this.#chunks.length > 0) this.#submit(nowNs);
    else this.#take(nowNs);
  }

  slotFree(nowNs: number): void {
    this.#run.parts.clock.schedule(nowNs, this, submitOn);
  }

  hostCopied(nowNs: number): void {
    const unit = this.#unit;
    if (unit === null) return;
    this.#unit = null;
    if (this.#run.copiesOnHost && unit.bytes > 0)
      this.#run.parts.staged(this.#number, unit.bytes, this.#copyingSinceNs, nowNs);
    const chunk = this.#run.copied(unit);
    if (chunk < 0) {
      this.#take(nowNs);
      return;
    }
    this.#chunks = [chunk];
    this.#submit(nowNs);
  }

  #take(nowNs: number): void {
    const unit = this.reserved ?? this.#run.take(this);
    if (unit === 'wait') return;
    this.reserved = null;
    if (unit === 'over') {
      this.#run.stopped(nowNs);
      return;
    }
    this.#unit = unit;
    this.#copyingSinceNs = nowNs;
    const { copies, arrivedPart, gonePart } = this.#run.parts;
    if (this.#run.copiesOnHost) copies.start(unit.bytes * arrivedPart, this.#run.payload, gonePart, this, nowNs);
    else this.hostCopied(nowNs);
  }

  /** One copy at a call; the next when that has returned. */
  #submit(nowNs: number): void {
    const { op, streams, clock, profile, correlation } = this.#run.parts;
    if (this.#run0 === this.#runs.length) {
      const next = this.#chunks[0];
      if (next === undefined) {
        this.#take(nowNs);
        return;
      }
      [this.#runs, this.#run0] = [this.#run.submitting(next), 0];
    }
    const step = this.#runs[this.#run0];
    if (step === undefined) return;
    if (streams.isFull(step.stream)) {
      streams.waitForSlot(step.stream, this);
      return;
    }
    const untilNs = this.#run.call(this.#number, step.callNs + this.#firstNs, nowNs);
    this.#firstNs = 0;
    const entry = streams.issue(step, op, -1, correlation, untilNs + profile.queue.launchToStartNs);
    entry.dependents.push(new Arrival(this.#run, this.#chunks[0] ?? -1));
    this.#run0 += 1;
    if (this.#run0 === this.#runs.length) this.#chunks = this.#chunks.slice(1);
    clock.schedule(untilNs, this, this.#chunks.length > 0 ? submitOn : takeNext);
  }
}

class Arrival implements Dependent {
  readonly #run: MultiCopyRun;
  readonly #chunk: number;

  constructor(run: MultiCopyRun, chunk: number) {
    this.#run = run;
    this.#chunk = chunk;
  }

  dependencyDone(nowNs: number): void {
    this.#run.arrived(this.#chunk, nowNs);
  }
}
