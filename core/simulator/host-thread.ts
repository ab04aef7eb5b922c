/**
 * One host thread: executes its steps in turn, pays for its calls, and is held by those that block. Rules (core/rules):
 * issue-before-run, pageable-copy-holds-host, pageable-destination-holds-host, host-to-host-copy, blocking-memcpy,
 * synchronize-holds-host, launch-queue.
 */
import type { CopyListener, Devices } from './device.ts';
import type { Dependent, StreamEntry } from './entry.ts';
import { entryPieceStaged } from './entry.ts';
import type { Actor, EventQueue } from './event-queue.ts';
import type { Step } from './plan.ts';
import type { DeviceProfile } from './profile.ts';
import type { SlotWaiter } from './streams.ts';
import type { TraceOutput } from './trace-output.ts';

// What a thread may be told by the clock.
const goOn = 0;
const retry = 1;
const callReturns = 2;
const pieceStaged = 3;
const pieceDrained = 4;

/** Returned by a step that holds the thread. */
const held = -1;

export class HostThread implements Actor, Dependent, SlotWaiter, CopyListener {
  /** Steps executed so far, each round of a repeat counted. */
  executed = 0;
  readonly #index: number;
  readonly #steps: readonly Step[];
  readonly #devices: Devices;
  readonly #clock: EventQueue;
  readonly #output: TraceOutput;
  readonly #latencyNs: number;
  readonly #costs: DeviceProfile['calls'];
  readonly #slots: number;
  /** Rounds left of each repeat, at its step's index. */
  readonly #rounds: Float64Array;
  readonly #ranges: { step: Step; startNs: number }[] = [];
  #next = 0;
  #callStartNs = 0;
  /** End of the last launch. */
  #launchedNs = Number.NEGATIVE_INFINITY;
  #correlation = 0;
  /** Things that the current call still waits for, and the earliest time it may return. */
  #waits = 0;
  #earliestNs = 0;
  /** The staged copy the thread is in: its entry while pieces move, and how many pieces went through. */
  #staging: StreamEntry | null = null;
  #staged = 0;
  #landed = 0;
  #drained = 0;
  /** A piece is being copied by this thread. */
  #copying = false;

  constructor(
    index: number,
    steps: readonly Step[],
    profile: DeviceProfile,
    devices: Devices,
    clock: EventQueue,
    output: TraceOutput,
  ) {
    this.#index = index;
    this.#steps = steps;
    this.#devices = devices;
    this.#clock = clock;
    this.#output = output;
    this.#latencyNs = profile.queue.launchToStartNs;
    this.#costs = profile.calls;
    this.#slots = profile.staging.slots;
    this.#rounds = new Float64Array(steps.length);
    clock.schedule(0, this, goOn);
  }

  /** The step it stands at; undefined once it has executed all. */
  get current(): Step | undefined {
    return this.#steps[this.#next];
  }

  act(what: number, nowNs: number): void {
    if (what === goOn) this.#run(nowNs);
    else if (what === retry) this.#retry(nowNs);
    else if (what === callReturns) this.#return(nowNs);
    else if (what === pieceStaged) this.#pieceStaged(nowNs);
    else if (what === pieceDrained) this.#pieceDrained(nowNs);
  }

  dependencyDone(nowNs: number): void {
    this.#waits -= 1;
    if (this.#waits === 0)
      this.#clock.schedule(Math.max(this.#earliestNs, nowNs + this.#costs.wakeNs), this, callReturns);
  }

  slotFree(nowNs: number): void {
    this.#clock.schedule(nowNs, this, retry);
  }

  hostCopyDone(nowNs: number): void {
    this.#clock.schedule(nowNs, this, callReturns);
  }

  pieceMoved(entry: StreamEntry, nowNs: number): void {
    if (entry !== this.#staging) return;
    this.#landed += 1;
    if (entry.step.route === 'stage-in') this.#stagePiece(nowNs);
    else {
      if (this.#landed === entry.step.pieces) this.#staging = null;
      this.#drainPiece(entry.step, nowNs);
    }
  }

  #run(fromNs: number): void {
    let nowNs = fromNs;
    for (;;) {
      const step = this.#steps[this.#next];
      if (step === undefined) return;
      this.#callStartNs = nowNs;
      const untilNs = this.#execute(step, nowNs);
      if (untilNs === held) return;
      this.#next += 1;
      this.executed += 1;
      if (untilNs !== nowNs && !this.#clock.skipTo(untilNs)) {
        this.#clock.schedule(untilNs, this, goOn);
        return;
      }
      nowNs = untilNs;
    }
  }

  /** The time at which the thread goes on, or `held`. */
  #execute(step: Step, nowNs: number): number {
    switch (step.code) {
      case 'work':
        return this.#spend(step, 'host-work', step.label, nowNs);
      case 'read':
        return this.#spend(step, 'host-read', step.label, nowNs);
      case 'write':
        return this.#spend(step, 'host-write', step.label, nowNs);
      case 'queryStream':
      case 'queryEvent':
        return this.#spend(step, 'host-call', step.call, nowNs);
      case 'repeat':
        this.#rounds[this.#next] = step.count;
        return nowNs;
      case 'endRepeat':
        this.#endRound(step);
        return nowNs;
      case 'beginRange':
        this.#ranges.push({ step, startNs: nowNs });
        return nowNs;
      case 'endRange':
        this.#endRange(nowNs);
        return nowNs;
      case 'synchronizeStream':
        return this.#synchronize(step, this.#devices.streams.watchStream(step.stream, this), nowNs);
      case 'synchronizeEvent':
        return this.#synchronize(step, this.#devices.streams.watchEvent(step.event, this), nowNs);
      case 'synchronizeDevice':
        return this.#synchronize(step, this.#devices.streams.watchDevice(step.device, this), nowNs);
      default:
        return this.#issue(step, nowNs);
    }
  }

  #spend(
    step: Step,
    kind: 'host-work' | 'host-read' | 'host-write' | 'host-call',
    name: string,
    nowNs: number,
  ): number {
    const untilNs = nowNs + step.callNs;
    this.#output.host(this.#index, kind, name, step, nowNs, untilNs);
    return untilNs;
  }

  #endRound(step: Step): void {
    const left = (this.#rounds[step.jump] ?? 0) - 1;
    this.#rounds[step.jump] = left;
    if (left > 0) this.#next = step.jump;
  }

  #endRange(nowNs: number): void {
    const range = this.#ranges.pop();
    if (range === undefined) return;
    this.#output.host(this.#index, 'host-range', range.step.label, range.step, range.startNs, nowNs);
  }

  #synchronize(step: Step, waits: number, nowNs: number): number {
    const untilNs = nowNs + step.callNs;
    if (waits > 0) return this.#wait(waits, untilNs);
    this.#output.host(this.#index, 'host-sync', step.call, step, nowNs, untilNs);
    return untilNs;
  }

  #wait(waits: number, earliestNs: number): number {
    this.#waits = waits;
    this.#earliestNs = earliestNs;
    return held;
  }

  /** A place in the queue came free; another thread may have taken it meanwhile. */
  #retry(nowNs: number): void {
    const step = this.#steps[this.#next];
    const untilNs = step === undefined ? held : this.#issue(step, nowNs);
    if (untilNs === held) return;
    this.#next += 1;
    this.executed += 1;
    this.#clock.schedule(untilNs, this, goOn);
  }

  /** The call that held the thread is over. */
  #return(nowNs: number): void {
    const step = this.#steps[this.#next];
    if (step === undefined) return;
    const kind = step.route === 'none' ? 'host-sync' : 'host-call';
    this.#output.host(this.#index, kind, step.call, step, this.#callStartNs, nowNs, this.#correlation);
    this.#correlation = 0;
    this.#next += 1;
    this.executed += 1;
    this.#run(nowNs);
  }

  #issue(step: Step, nowNs: number): number {
    const { streams } = this.#devices;
    if (streams.isFull(step.stream)) {
      streams.waitForSlot(step.stream, this);
      return held;
    }
    const correlation = this.#output.nextCorrelation();
    const untilNs = nowNs + (step.code === 'kernel' ? this.#launchNs(step, nowNs) : step.callNs);
    if (step.route === 'stage-in' || step.route === 'stage-out') return this.#beginStaging(step, correlation, nowNs);
    if (step.route === 'host') {
      this.#correlation = correlation;
      streams.issue(step, this.#index, correlation, untilNs);
      return held;
    }
    const entry = streams.issue(step, this.#index, correlation, untilNs + this.#latencyNs);
    if (step.blocking) {
      this.#correlation = correlation;
      entry.dependents.push(this);
      return this.#wait(1, untilNs);
    }
    this.#output.host(this.#index, 'host-call', step.call, step, this.#callStartNs, untilNs, correlation);
    return untilNs;
  }

  /** A launch costs more when it is the first for some time: what it needs has left the host's caches. */
  #launchNs(step: Step, nowNs: number): number {
    const costNs = nowNs - this.#launchedNs > this.#costs.launchWarmNs ? this.#costs.coldLaunchNs : step.callNs;
    this.#launchedNs = nowNs + costNs;
    return costNs;
  }

  #beginStaging(step: Step, correlation: number, nowNs: number): number {
    this.#correlation = correlation;
    this.#staged = 0;
    this.#landed = 0;
    this.#drained = 0;
    this.#copying = false;
    this.#staging = this.#devices.streams.issue(step, this.#index, correlation, nowNs + this.#latencyNs);
    if (step.route === 'stage-in') this.#stagePiece(nowNs);
    return held;
  }

  /** Copies the next piece into the driver's buffer, where one of its slots is free. */
  #stagePiece(nowNs: number): void {
    const entry = this.#staging;
    if (entry === null || this.#copying || this.#staged === entry.step.pieces) return;
    if (this.#staged - entry.moved >= this.#slots) return;
    this.#copying = true;
    const { step } = entry;
    const share = pieceBytes(step, this.#staged) / step.bytes;
    this.#clock.schedule(nowNs + step.callNs * share, this, pieceStaged);
  }

  #pieceStaged(nowNs: number): void {
    const entry = this.#staging;
    if (entry === null) return;
    this.#copying = false;
    this.#staged += 1;
    this.#clock.schedule(nowNs + this.#latencyNs, entry, entryPieceStaged);
    if (this.#staged < entry.step.pieces) {
      this.#stagePiece(nowNs);
      return;
    }
    this.#staging = null;
    if (entry.step.blocking) {
      entry.dependents.push(this);
      this.#wait(1, nowNs);
    } else this.#return(nowNs);
  }

  /**
   * Copies a piece that has landed out of the driver's buffer. The call's measured time is the start of the first
   * piece, its way over the link, and then this for every byte, the host being slower than the link.
   */
  #drainPiece(step: Step, nowNs: number): void {
    if (this.#copying || this.#drained >= this.#landed) return;
    this.#copying = true;
    const firstNs = step.pieces === 1 ? step.lastPieceNs : step.deviceNs;
    const drainNs = Math.max(0, step.callNs - this.#latencyNs - firstNs);
    this.#clock.schedule(nowNs + (drainNs * pieceBytes(step, this.#drained)) / step.bytes, this, pieceDrained);
  }

  #pieceDrained(nowNs: number): void {
    const step = this.#steps[this.#next];
    if (step === undefined) return;
    this.#copying = false;
    this.#drained += 1;
    if (this.#staging !== null) this.#devices.pieceDrained(this.#staging);
    if (this.#drained === step.pieces) this.#return(nowNs);
    else this.#drainPiece(step, nowNs);
  }
}

function pieceBytes(step: Step, piece: number): number {
  return piece === step.pieces - 1 ? step.bytes - piece * step.pieceBytes : step.pieceBytes;
}
