/**
 * One host thread: executes its steps in order, takes the time of its calls, and is held by calls that block. Rules
 * (core/rules): issue-before-run, pageable-copy-holds-host, pageable-destination-holds-host, host-to-host-copy,
 * blocking-memcpy, synchronize-holds-host, launch-queue.
 */

import { CopyscopeError } from '../errors.ts';
import type { RowKind } from '../trace/trace.ts';
import { Capturing } from './capturing.ts';
import type { CostModel, FirstCalls } from './costModel.ts';
import type { CopyListener, Devices } from './device.ts';
import type { Dependent, StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import { HeldCall, notYet } from './heldCall.ts';
import type { HostWork, HostWorkOwner } from './hostWork.ts';
import type { ManagedMemory } from './managed.ts';
import type { Memory, MemoryCall } from './memory.ts';
import type { MultiCopies } from './multiCopies.ts';
import type { ThreadPlan } from './plan.ts';
import type { Signals, SignalWaiter } from './signals.ts';
import { StagedCopy, type StagingCaller } from './staging.ts';
import type { StagingBuffer } from './stagingBuffer.ts';
import type { Step } from './step.ts';
import type { SlotWaiter } from './streams.ts';
import type { TraceOutput } from './traceOutput.ts';

// Clock events of a thread.
const goOn = 0;
const retry = 1;
const callReturns = 2;

const isSynchronise = ({ code }: Step): boolean => code.startsWith('synchronize');

/** Returned by a step that blocks the thread. */
const held = -1;

/** The machine that the threads of a program share. */
export interface Machine {
  readonly costs: CostModel;
  readonly devices: Devices;
  readonly clock: EventQueue;
  readonly output: TraceOutput;
  readonly signals: Signals;
  readonly memory: Memory;
  readonly managed: ManagedMemory;
  readonly multiCopies: MultiCopies;
  readonly hostWork: HostWork;
  readonly staging: StagingBuffer;
  readonly firstCalls: FirstCalls;
  /** Plans and work spaces that libraries have made at first uses in this iteration. */
  readonly plans: Set<string>;
}

export class HostThread
  implements Actor, Dependent, SlotWaiter, CopyListener, StagingCaller, SignalWaiter, HostWorkOwner
{
  /** Number of executed steps, counting each round of a repeat. */
  executed = 0;
  readonly #index: number;
  readonly #steps: readonly Step[];
  readonly #ops: readonly number[];
  readonly #machine: Machine;
  readonly #devices: Devices;
  readonly #clock: EventQueue;
  readonly #output: TraceOutput;
  readonly #latencyNs: number;
  readonly #calls: CallHistory;
  readonly #held: HeldCall;
  readonly #staging: StagedCopy;
  /** Remaining rounds of each repeat, at its step's index. */
  readonly #rounds: Float64Array;
  readonly #capturing: Capturing;
  readonly #ranges: { step: Step; op: number; startNs: number }[] = [];
  #next = 0;
  /** Number of the current step's operation. */
  #op = -1;
  #callStartNs = 0;

  constructor(index: number, { steps, ops }: ThreadPlan, machine: Machine) {
    const { costs, devices, clock, output } = machine;
    this.#index = index;
    this.#steps = steps;
    this.#ops = ops;
    this.#machine = machine;
    this.#devices = devices;
    this.#clock = clock;
    this.#output = output;
    this.#latencyNs = costs.gaps.launchToStartNs;
    this.#calls = new CallHistory(machine.firstCalls);
    this.#held = new HeldCall(costs.wakeNs('device'));
    this.#staging = new StagedCopy(this, this.#latencyNs, devices, clock, machine.staging);
    this.#capturing = new Capturing(devices, costs);
    this.#rounds = new Float64Array(steps.length);
    clock.schedule(0, this, goOn);
  }

  /** Returns number and name of the current operation; null after the last. */
  get current(): { readonly op: number; readonly name: string } | null {
    const step = this.#steps[this.#next];
    return step === undefined ? null : { op: this.#op, name: step.call || this.#label(step) };
  }

  #label(step: Step): string {
    return this.#output.labelOf(step, this.#op);
  }

  act(what: number, nowNs: number): void {
    if (what === goOn) this.#run(nowNs);
    else if (what === retry) this.#retry(nowNs);
    else if (what === callReturns) this.#return(nowNs);
  }

  dependencyDone(nowNs: number): void {
    const untilNs = this.#held.done(nowNs);
    if (untilNs !== notYet) this.#clock.schedule(untilNs, this, callReturns);
  }

  signalled(nowNs: number): void {
    this.#clock.schedule(nowNs + this.#machine.costs.wakeNs('thread'), this, callReturns);
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
      // Takes no time and is common in long programs, so it is handled first.
      if (step.code === 'endRepeat') {
        this.#endRound(step);
        continue;
      }
      this.#op = this.#ops[this.#next] ?? -1;
      this.#callStartNs = nowNs;
      const untilNs = this.#execute(step, nowNs + this.#calls.moreNs(step));
      if (untilNs === held) return;
      this.#next += 1;
      this.executed += 1;
      if (untilNs === nowNs) continue;
      nowNs = untilNs;
      if (this.#clock.skipTo(nowNs)) continue;
      this.#clock.schedule(nowNs, this, goOn);
      return;
    }
  }

  #goOnAfter(untilNs: number): void {
    if (this.#clock.skipTo(untilNs)) this.#run(untilNs);
    else this.#clock.schedule(untilNs, this, goOn);
  }

  /** Returns the time at which the thread continues, or `held`. */
  #execute(step: Step, nowNs: number): number {
    switch (step.code) {
      case 'work':
        return this.#work(step, 'host-work', step.bytes, nowNs);
      case 'read':
        return this.#access(step, 'host-read', nowNs);
      case 'write':
        return this.#access(step, 'host-write', nowNs);
      case 'advise':
        return this.#spend(step, 'host-call', step.call, nowNs, this.#machine.managed.advise(step));
      case 'queryStream':
      case 'queryEvent':
      case 'call':
        return this.#spend(step, 'host-call', step.call, nowNs);
      case 'frontend':
        this.#output.frontend(this.#index, nowNs, nowNs + step.callNs);
        return nowNs + step.callNs;
      case 'elapsedTime':
        return this.#elapsedTime(step, nowNs);
      case 'repeat':
        this.#rounds[this.#next] = step.count;
        return nowNs;
      case 'beginRange':
        this.#ranges.push({ step, op: this.#op, startNs: nowNs });
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
      case 'signal':
        return this.#signal(step, this.#machine.signals.signal(step.index, this, nowNs), nowNs);
      case 'waitSignal':
        return this.#signal(step, this.#machine.signals.wait(step.index, this, nowNs), nowNs);
      case 'allocate':
      case 'pinMemory':
        return this.#memoryCall(step, this.#allocate(step), nowNs);
      case 'free':
        return this.#memoryCall(step, this.#free(step), nowNs);
      case 'makePlan':
        return this.#makePlan(step, nowNs);
      case 'recordStream':
        this.#machine.memory.recordStream(step);
        return nowNs;
      case 'beginCapture':
        this.#capturing.begin(step);
        return this.#spend(step, 'host-call', step.call, nowNs);
      case 'endCapture':
      case 'instantiateGraph':
      case 'uploadGraph':
        return this.#spend(step, 'host-call', step.call, nowNs, this.#capturing.make(step));
      case 'multiCopy':
        return this.#multiCopy(step, nowNs);
      default:
        if (!step.captured) return this.#issue(step, nowNs);
        this.#capturing.add(step, this.#op);
        return this.#spend(step, 'host-call', step.call, nowNs);
    }
  }

  #spend(step: Step, kind: RowKind, name: string, nowNs: number, costNs = step.callNs): number {
    const untilNs = nowNs + costNs;
    this.#output.host(this.#index, kind, name, step, this.#op, this.#callStartNs, untilNs);
    return untilNs;
  }

  /** `copied`: bytes that it copies, or 0. */
  #work(step: Step, kind: RowKind, copied: number, nowNs: number): number {
    const { hostWork } = this.#machine;
    if (step.callNs === 0 || !hostWork.isShared(copied)) return this.#spend(step, kind, this.#label(step), nowNs);
    this.#held.begin(kind, this.#label(step));
    hostWork.start(copied, step.callNs, this, nowNs);
    return held;
  }

  /** The host reads or writes a buffer, and waits for pages that the device has. */
  #access(step: Step, kind: RowKind, nowNs: number): number {
    if (step.pages.length === 0) return this.#work(step, kind, 0, nowNs);
    return this.#work({ ...step, callNs: step.callNs + this.#machine.managed.hostNs(step) }, kind, 0, nowNs);
  }

  hostWorkDone(nowNs: number): void {
    this.#return(nowNs);
  }

  /** Throws if one of the events isn't reached, which is an error in CUDA too. */
  #elapsedTime(step: Step, nowNs: number): number {
    const { streams } = this.#devices;
    if (streams.isReached(step.event) && streams.isReached(step.index)) {
      return this.#spend(step, 'host-call', step.call, nowNs);
    }
    throw new CopyscopeError({
      code: 'run.event-not-complete',
      op: this.#op,
      message: `operation ${this.#op} (${this.#label(step)}) reads the time between two events, and one of them is not complete.`,
      remedy: 'Record both, and synchronise the later one before.',
    });
  }

  #signal(step: Step, passed: boolean, nowNs: number): number {
    if (passed) return this.#spend(step, 'host-sync', this.#label(step), nowNs);
    this.#held.begin('host-sync', this.#label(step));
    return held;
  }

  #allocate(step: Step): MemoryCall {
    const { streams } = this.#devices;
    this.#machine.managed.pages.allocate(step.buffer);
    return this.#machine.memory.allocate(step, this.#op, (stream, use) => streams.holdBack(stream, use));
  }

  #free(step: Step): MemoryCall {
    const { streams } = this.#devices;
    return this.#machine.memory.free(step, (stream) => streams.pendingUse(stream));
  }

  /** cudaFree, and on some machines cudaMalloc, first waits for all work of the device. */
  #memoryCall(step: Step, { call, ns, synchronises }: MemoryCall, nowNs: number): number {
    const name = call === '' ? this.#label(step) : call;
    const waits = synchronises ? this.#devices.streams.watchDevice(step.device, this) : 0;
    if (waits === 0) {
      this.#machine.memory.note(nowNs + ns);
      return this.#spend(step, 'host-call', name, nowNs, ns);
    }
    this.#held.begin('host-call', name);
    this.#held.wait(waits, nowNs, ns);
    return held;
  }

  /** Makes a library's plan or work space once, including its memory. */
  #makePlan(step: Step, nowNs: number): number {
    const { plans, costs } = this.#machine;
    if (plans.has(step.name)) return nowNs;
    plans.add(step.name);
    return this.#memoryCall(
      step,
      { call: step.call, ns: step.callNs, synchronises: costs.facts.mallocSynchronizes },
      nowNs,
    );
  }

  /** Holds the thread in its call until all threads of the copy have finished. */
  #multiCopy(step: Step, nowNs: number): number {
    const [op, label] = [this.#op, this.#label(step)];
    const correlation = this.#output.nextCorrelation();
    this.#held.begin('host-call', label, correlation);
    this.#machine.multiCopies.start(step, op, correlation, nowNs, {
      staged: (helper, bytes, startNs, endNs) => {
        this.#output.host(this.#index, 'host-work', label, { ...step, bytes }, op, startNs, endNs, 0, helper);
      },
      done: (endNs) => this.#clock.schedule(endNs, this, callReturns),
    });
    return held;
  }

  #endRound(step: Step): void {
    const left = (this.#rounds[step.jump] ?? 0) - 1;
    this.#rounds[step.jump] = left;
    this.#next = (left > 0 ? step.jump : this.#next) + 1;
    this.executed += 1;
  }

  #endRange(nowNs: number): void {
    const range = this.#ranges.pop();
    if (range === undefined) return;
    const { step, op, startNs } = range;
    this.#output.host(this.#index, 'host-range', this.#output.labelOf(step, op), step, op, startNs, nowNs);
  }

  #synchronize(step: Step, waits: number, nowNs: number): number {
    if (waits > 0) {
      this.#held.begin('host-sync', step.call);
      this.#held.wait(waits, nowNs + step.callNs);
      return held;
    }
    const untilNs = nowNs + step.callNs + this.#machine.memory.synchronized();
    this.#machine.memory.note(untilNs);
    this.#output.host(this.#index, 'host-sync', step.call, step, this.#op, this.#callStartNs, untilNs);
    return untilNs;
  }

  #waitFor(entry: StreamEntry, earliestNs: number): number {
    entry.dependents.push(this);
    this.#held.wait(1, earliestNs);
    return held;
  }

  /** Tries again after a place in the queue became free; another thread may have taken it. */
  #retry(nowNs: number): void {
    const step = this.#steps[this.#next];
    const untilNs = step === undefined ? held : this.#issue(step, nowNs);
    if (untilNs === held) return;
    this.#next += 1;
    this.executed += 1;
    this.#goOnAfter(untilNs);
  }

  /** Ends the call that blocked the thread. */
  #return(nowNs: number): void {
    const step = this.#steps[this.#next];
    if (step === undefined) return;
    const { kind, name, correlation } = this.#held;
    const releaseNs = isSynchronise(step) ? this.#machine.memory.synchronized() : 0;
    if (releaseNs > 0) {
      this.#clock.schedule(nowNs + releaseNs, this, callReturns);
      return;
    }
    this.#machine.memory.note(nowNs);
    this.#output.host(this.#index, kind, name, step, this.#op, this.#callStartNs, nowNs, correlation);
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
    const untilNs = nowNs + (step.route === 'graph' ? this.#launchNs(step) : step.callNs);
    if (step.buffer >= 0) this.#machine.memory.used(step.buffer, step.stream);
    // If the call is held, its row is written when it returns.
    this.#held.begin('host-call', step.call, correlation);
    if (step.route === 'stage-in' || step.route === 'stage-out') {
      this.#staging.begin(step, this.#op, this.#index, correlation, nowNs);
      return held;
    }
    if (step.route === 'host') {
      streams.issue(step, this.#op, this.#index, correlation, untilNs);
      return held;
    }
    const isAtOnce = step.code === 'prefetch' && streams.isIdle(step.stream);
    const issued = isAtOnce ? this.#machine.managed.atOnce(step) : step;
    const entry = streams.issue(issued, this.#op, this.#index, correlation, untilNs + this.#latencyNs);
    if (step.route === 'graph') this.#devices.launched(entry, untilNs + this.#latencyNs);
    if (step.blocking) return this.#waitFor(entry, untilNs);
    const endNs = untilNs + issued.callNs - step.callNs;
    this.#output.host(this.#index, 'host-call', step.call, step, this.#op, this.#callStartNs, endNs, correlation);
    return endNs;
  }

  #launchNs(step: Step): number {
    const graph = this.#devices.graphs.get(step.index);
    if (graph !== undefined) return this.#machine.costs.graphNs('cudaGraphLaunch', graph.nodes.length);
    throw new CopyscopeError({
      code: 'run.graph-not-captured',
      op: this.#op,
      message: `operation ${this.#op} (${this.#label(step)}) launches a graph that no thread has captured by then.`,
      remedy: 'Have this thread wait for a signal that the capturing one gives.',
    });
  }
}

const isWait = ({ code }: Step): boolean =>
  code === 'synchronizeStream' || code === 'synchronizeEvent' || code === 'synchronizeDevice';

class CallHistory {
  readonly #first: FirstCalls;
  readonly #called = new Set<string>();
  /** Kinds of call since the thread's last large staged copy; null before the first one. */
  #sinceStaged: Set<string> | null = null;

  constructor(first: FirstCalls) {
    this.#first = first;
  }

  /** Returns the extra time of a step: 0 for calls that wait for the device anyway; staged copies mostly copy. */
  moreNs(step: Step): number {
    const { call, captured } = step;
    if (call === '' || isWait(step)) return 0;
    const isStaged = step.route === 'stage-in' || step.route === 'stage-out';
    const moreNs = Math.max(this.#inIteration(step, isStaged), captured || isStaged ? 0 : this.#afterStaged(step));
    // The host's part of the copy drives the driver's code and data out of the processor's caches.
    if (isStaged && step.bytes >= this.#first.stagedBytes) this.#sinceStaged = new Set();
    return moreNs;
  }

  #inIteration({ call, route, captured, callNs }: Step, isStaged: boolean): number {
    const { ns, newPart } = this.#first;
    if ((ns === 0 && newPart === 0) || this.#called.has(call)) return 0;
    const isFirst = this.#called.size === 0;
    this.#called.add(call);
    if (isFirst) return ns * (route === 'mark' ? 0.5 : 1);
    return captured || isStaged ? 0 : newPart * callNs;
  }

  #afterStaged({ call, callNs }: Step): number {
    if (this.#sinceStaged === null || this.#sinceStaged.has(call)) return 0;
    this.#sinceStaged.add(call);
    return this.#first.afterStagedPart * callNs;
  }
}
