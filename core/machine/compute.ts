/**
 * The compute channel of a device: kernels, memsets, device-to-device copies and copies in the command buffer. Work
 * starts once the device has room for some of its blocks: the more urgent first (stream priority), then in the order in
 * which it became ready. Work that fits may pass work that doesn't, so no room stays idle. Blocks that need a
 * multiprocessor each start together; others start as room becomes free.
 *
 * Concurrent work shares the device's memory and the link, as a fluid model like link.ts. Arithmetic throughput goes to
 * older work first. Rules (core/rules): sm-share, stream-priority, mapped-memory, copy-without-engine.
 */
import type { MachineFacts } from './costModel.ts';
import type { StreamEntry } from './entry.ts';
import type { EventQueue } from './eventQueue.ts';
import type { Link } from './link.ts';
import { RunningWork } from './runningWork.ts';
import type { Step } from './step.ts';

/** Shares are sums of decimal fractions, so a sum above 1 by rounding alone still fits. */
const rounding = 1e-9;

export interface ComputeSink {
  kernelStarted(entry: StreamEntry, nowNs: number): void;
  kernelFinished(entry: StreamEntry, nowNs: number): void;
}

export class Compute {
  readonly #clock: EventQueue;
  readonly #sink: ComputeSink;
  readonly #link: Link;
  /** Limit of work that runs at once. */
  readonly #most: number;
  readonly #linkKernelPart: number;
  /** Sums of the shares of the device's threads, and of multiprocessors with an exclusive block. */
  #used = 0;
  #exclusive = 0;
  /** In the order in which it began. */
  readonly #running: RunningWork[] = [];
  readonly #spare: RunningWork[] = [];
  #waiting: StreamEntry[] = [];

  constructor(clock: EventQueue, sink: ComputeSink, link: Link, facts: MachineFacts) {
    this.#clock = clock;
    this.#sink = sink;
    this.#link = link;
    this.#most = facts.concurrentKernels;
    this.#linkKernelPart = facts.linkKernelPart;
  }

  submit(entry: StreamEntry): void {
    if (this.#fits(entry)) {
      this.#start(entry);
      return;
    }
    this.#wait(entry);
  }

  /** Removes work that has ended. */
  over(running: RunningWork, nowNs: number): void {
    const { entry } = running;
    if (entry === null) return;
    // Avoids the array that splice() makes in the usual case of a single piece of work.
    if (this.#running.at(-1) === running) this.#running.pop();
    else this.#running.splice(this.#running.indexOf(running), 1);
    if (running.usesLink) this.#link.remove(running);
    this.#spare.push(running);
    const { step } = entry;
    const idle = this.#running.length === 0;
    this.#used = idle ? 0 : this.#used - step.share;
    this.#exclusive = idle ? 0 : this.#exclusive - step.exclusive;
    if (this.#waiting.length > 0) this.#startWaiting();
    this.#share(running.usesLink, nowNs);
    this.#sink.kernelFinished(entry, nowNs);
  }

  #wait(entry: StreamEntry): void {
    let place = this.#waiting.length;
    while (place > 0 && (this.#waiting[place - 1]?.priority ?? 0) > entry.priority) place -= 1;
    if (place === this.#waiting.length) this.#waiting.push(entry);
    else this.#waiting.splice(place, 0, entry);
  }

  #startWaiting(): void {
    const first = this.#waiting[0];
    // Avoids going through the whole queue in the usual case of kernels that each fill the device.
    if (first !== undefined && this.#fits(first)) {
      this.#waiting.shift();
      this.#start(first);
    }
    if (this.#running.length === this.#most || this.#used >= 1) return;
    this.#waiting = this.#waiting.filter((entry) => {
      const fits = this.#fits(entry);
      if (fits) this.#start(entry);
      return !fits;
    });
  }

  #fits({ step }: StreamEntry): boolean {
    if (this.#running.length === this.#most) return false;
    if (step.exclusive > 0)
      return this.#exclusive + step.exclusive <= 1 + rounding && this.#used + step.share <= 1 + rounding;
    return this.#used < 1 - rounding || (step.share === 0 && !step.isSingle);
  }

  #start(entry: StreamEntry): void {
    const { step } = entry;
    const { nowNs } = this.#clock;
    this.#used += step.share;
    this.#exclusive += step.exclusive;
    const running = this.#spare.pop() ?? new RunningWork(this, this.#clock);
    running.begin(entry, nowNs);
    this.#running.push(running);
    this.#sink.kernelStarted(entry, nowNs);
    if (running.usesLink) this.#link.add(running);
    this.#share(running.usesLink, nowNs);
  }

  #share(link: boolean, nowNs: number): void {
    if (link) this.#link.share(nowNs);
    const [first] = this.#running;
    // The usual case: nothing to share.
    if (this.#running.length < 2) {
      first?.offer(1, 0);
      first?.apply(1, nowNs);
      return;
    }
    let [room, memory, arithmetic, held] = [1, 0, 1, 0];
    for (const running of this.#running) {
      const step = running.entry?.step;
      if (step === undefined) continue;
      const part = step.share > room ? room / step.share : 1;
      room = Math.max(0, room - step.share * (running.usesLink ? this.#linkKernelPart : 1));
      memory += step.memoryPart * part;
      const wanted = step.arithmeticPart * part;
      const given = Math.max(0, Math.min(wanted, arithmetic));
      arithmetic -= given;
      running.offer(step.arithmeticPart > 0 ? given / step.arithmeticPart : part, heldPart(step, held));
      if (step.exclusive > 0 && step.arithmeticPart > 0) held += step.share;
    }
    const most = memory > 1 + rounding ? 1 / memory : 1;
    for (const running of this.#running) running.apply(most, nowNs);
  }
}

/**
 * Returns the share of an arithmetic kernel whose blocks share multiprocessors with an older one's: these do next to
 * nothing before the older ones end. On an H200 a kernel of 7 us ended with one of 60 us that had an eighth of the
 * multiprocessors.
 */
const heldPart = ({ exclusive, arithmeticPart }: Step, older: number): number =>
  exclusive === 0 && arithmeticPart > 0 ? Math.min(1, older) : 0;
