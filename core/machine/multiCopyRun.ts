/**
 * A multi-tensor copy with several threads, including the calling one. They take units in order and copy them on the
 * host; the thread that completes a chunk puts it into the stream. A slot is reused once its chunk has crossed. Helpers
 * take part if they wake in time (native/src/copy/worker_pool.cpp): nobody waits for a helper that hasn't begun.
 */
import type { CostModel } from './costModel.ts';
import type { Dependent } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { HostWork, HostWorkOwner } from './hostWork.ts';
import type { Run, ThreadedPlan } from './multiCopyPlan.ts';
import type { Step } from './step.ts';
import type { SlotWaiter, StreamSet } from './streams.ts';

/** Clock events of a thread. */
const takeNext = 0;
const submitOn = 1;
const begin = 2;

export interface MultiCopyParts {
  readonly plan: ThreadedPlan;
  /** Number of the operation. */
  readonly op: number;
  readonly correlation: number;
  readonly costs: CostModel;
  /** Returns the extra cost of a thread's first call, in parts of itself; 0 for its next ones. */
  readonly newPart: (thread: number) => number;
  readonly clock: EventQueue;
  readonly streams: StreamSet;
  readonly copies: HostWork;
  /** Called when a thread has copied on the host since `startNs`. 0 is the calling thread, helpers count from 1. */
  readonly staged: (thread: number, bytes: number, startNs: number, endNs: number) => void;
  /** Returns the stream work of a run: a copy between page-locked memory and the device, or a kernel before it. */
  readonly steps: (run: Run) => readonly Step[];
  /** Called when all data has arrived. */
  readonly done: (nowNs: number) => void;
}

interface ChunkState {
  /** Units left to copy, and copies that haven't arrived; -1 before the chunk is submitted. */
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
  /** Time at which the last call returns. */
  #calledUntilNs = 0;
  /** Total bytes copied on the host. */
  readonly payload: number;
  readonly #chunks: ChunkState[];
  readonly #units: readonly Unit[];
  /** Time at which each helper has woken. */
  readonly #wakesNs: readonly number[];
  #next = 0;
  /** Number of threads that have begun. */
  #working = 1;
  #arriving = 0;
  /** With order 'after', the copies are the first phase and the host's part the second. */
  #phase: Phase;

  constructor(parts: MultiCopyParts, nowNs: number) {
    this.parts = parts;
    const { plan } = parts;
    this.#chunks = plan.chunks.map(({ units }) => ({ units: units.length, arriving: -1, waiters: [] }));
    this.#units = plan.chunks.flatMap(({ units }, chunk) => units.map((bytes) => ({ chunk, bytes })));
    this.payload = this.#units.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#phase = plan.order === 'after' ? 'first' : 'only';
    const threads = Math.min(plan.threads, Math.max(1, this.#units.length));
    this.#wakesNs = Array.from({ length: threads - 1 }, () => nowNs + parts.costs.wakeNs('thread'));
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

  /** Counts a helper that has woken. */
  joined(): void {
    this.#working += 1;
  }

  /** Returns the next unit for the worker, 'wait' if its chunk isn't available yet, or 'over' if none is left. */
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

  /** The host copies in the second of two phases, or in the only one. */
  get copiesOnHost(): boolean {
    return this.#phase !== 'first';
  }

  /** Marks a unit as copied. Returns the chunk to put into the stream now, or -1. */
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
    const runs = (plan.chunks[chunk]?.runs ?? []).flatMap(steps);
    const state = this.#chunks[chunk];
    if (state !== undefined) state.arriving = runs.length;
    this.#arriving += runs.length;
    return runs;
  }

  /** Returns when a call that begins now returns: the driver lets threads in one after another, and wakes those that wait. */
  call(thread: number, callNs: number, nowNs: number): number {
    const waitsNs = nowNs < this.#calledUntilNs ? this.parts.costs.wakeNs('call') : 0;
    this.#calledUntilNs = Math.max(this.#calledUntilNs, nowNs) + waitsNs + (1 + this.parts.newPart(thread)) * callNs;
    return this.#calledUntilNs;
  }

  arrived(chunk: number, nowNs: number): void {
    this.#arriving -= 1;
    const state = this.#chunks[chunk];
    if (state === undefined) return;
    state.arriving -= 1;
    if (state.arriving > 0) return;
    const { clock, costs } = this.parts;
    for (const worker of state.waiters) clock.schedule(nowNs + costs.wakeNs('device'), worker, takeNext);
    state.waiters.length = 0;
    this.#endIfOver(nowNs, costs.wakeNs('device'));
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
    const { clock, costs } = this.parts;
    clock.schedule(endNs, new Worker(this, 0), takeNext);
    this.#wakesNs.forEach((wakesNs, index) => {
      clock.schedule(Math.max(wakesNs, endNs + costs.wakeNs('thread')), new Worker(this, index + 1), begin);
    });
  }

  #prefill(): number[] {
    return this.#chunks.slice(0, this.parts.plan.slots).map((_, chunk) => chunk);
  }
}

class Worker implements Actor, HostWorkOwner, SlotWaiter {
  /** Unit that it has taken but can't start yet. */
  reserved: Unit | null = null;
  readonly #run: MultiCopyRun;
  readonly #number: number;
  /** Phase in which it was woken. */
  readonly #phase: Phase;
  #unit: Unit | null = null;
  #copyingSinceNs = 0;
  /** Chunks and runs that it is putting into the stream. */
  #chunks: number[] = [];
  #runs: readonly Step[] = [];
  #run0 = 0;

  constructor(run: MultiCopyRun, number: number) {
    this.#run = run;
    this.#number = number;
    this.#phase = run.phase;
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

  hostWorkDone(nowNs: number): void {
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
    const { copies } = this.#run.parts;
    if (this.#run.copiesOnHost) copies.copyPart(unit.bytes, this.#run.payload, this, nowNs);
    else this.hostWorkDone(nowNs);
  }

  /** Submits one copy per call; the next when that call has returned. */
  #submit(nowNs: number): void {
    const { op, streams, clock, costs, correlation } = this.#run.parts;
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
    const untilNs = this.#run.call(this.#number, step.callNs, nowNs);
    const entry = streams.issue(step, op, -1, correlation, untilNs + costs.gaps.launchToStartNs);
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
