/**
 * One host thread: executes its steps in turn, pays for its calls, and is held by those that block. Rules (core/rules):
 * issue-before-run, pageable-copy-holds-host, pageable-destination-holds-host, host-to-host-copy, blocking-memcpy,
 * synchronize-holds-host, launch-queue.
 */
import type { CopyListener, Devices } from './device.ts';
import type { Dependent, StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './event-queue.ts';
import type { Step } from './plan.ts';
import type { DeviceProfile } from './profile.ts';
import { StagedCopy, type StagingCaller } from './staging.ts';
import type { SlotWaiter } from './streams.ts';
import type { TraceOutput } from './trace-output.ts';

// What a thread may be told by the clock.
const goOn = 0;
const retry = 1;
const callReturns = 2;

/** Returned by a step that holds the thread. */
const held = -1;

export class HostThread implements Actor, Dependent, SlotWaiter, CopyListener, StagingCaller {
  /** Steps executed so far, each round of a repeat counted. */
  executed = 0;
  readonly #index: number;
  readonly #steps: readonly Step[];
  readonly #devices: Devices;
  readonly #clock: EventQueue;
  readonly #output: TraceOutput;
  readonly #latencyNs: number;
  readonly #costs: DeviceProfile['calls'];
  readonly #staging: StagedCopy;
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
    this.#staging = new StagedCopy(this, profile, devices, clock);
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
    this.#staging.pieceMoved(entry, nowNs);
  }

  stagingOver(step: Step, moving: StreamEntry | null, nowNs: number): void {
    if (step.blocking && moving !== null) this.#waitFor(moving, nowNs);
    else this.#return(nowNs);
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

  #waitFor(entry: StreamEntry, earliestNs: number): number {
    entry.dependents.push(this);
    return this.#wait(1, earliestNs);
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
    const issues = step.route !== 'none';
    const correlation = issues ? this.#correlation : 0;
    const kind = issues ? 'host-call' : 'host-sync';
    this.#output.host(this.#index, kind, step.call, step, this.#callStartNs, nowNs, correlation);
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
    // Where the call is held, its row is written when it returns.
    this.#correlation = correlation;
    if (step.route === 'stage-in' || step.route === 'stage-out') {
      this.#staging.begin(step, this.#index, correlation, nowNs);
      return held;
    }
    if (step.route === 'host') {
      streams.issue(step, this.#index, correlation, untilNs);
      return held;
    }
    const entry = streams.issue(step, this.#index, correlation, untilNs + this.#latencyNs);
    if (step.blocking) return this.#waitFor(entry, untilNs);
    this.#output.host(this.#index, 'host-call', step.call, step, this.#callStartNs, untilNs, correlation);
    return untilNs;
  }

  /** A launch costs more when it is the first for some time: what it needs has left the host's caches. */
  #launchNs(step: Step, nowNs: number): number {
    const costNs = nowNs - this.#launchedNs > this.#costs.launchWarmNs ? this.#costs.coldLaunchNs : step.callNs;
    this.#launchedNs = nowNs + costNs;
    return costNs;
  }
}
