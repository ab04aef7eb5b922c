/**
 * The compute channel of a device: kernels, memsets, device-to-device copies and what travels in the command buffer.
 * Work starts once its share of the multiprocessors is free: of what is ready the more urgent first (stream priority),
 * then in the order it became ready; what fits beside the running work may pass what doesn't, so that no free share is
 * left idle. Work that runs at once shares the device's memory, its arithmetic and the link: fluid model, as link.ts.
 * Rules (core/rules): sm-share, stream-priority, mapped-memory, copy-without-engine.
 */
import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { Link, LinkUser } from './link.ts';

/** Shares are sums of decimal fractions: what exceeds 1 by no more than rounding still fits. */
const rounding = 1e-9;

export interface ComputeSink {
  kernelStarted(entry: StreamEntry, nowNs: number): void;
  kernelFinished(entry: StreamEntry, nowNs: number): void;
}

export class Compute {
  readonly #clock: EventQueue;
  readonly #sink: ComputeSink;
  readonly #link: Link;
  readonly #most: number;
  #used = 0;
  readonly #running: Running[] = [];
  readonly #spare: Running[] = [];
  #waiting: StreamEntry[] = [];
  /** Sums of what the running work takes of the device's throughput. */
  #memory = 0;
  #arithmetic = 0;

  /** At most `most` pieces of work run at once. */
  constructor(clock: EventQueue, sink: ComputeSink, link: Link, most: number) {
    this.#clock = clock;
    this.#sink = sink;
    this.#link = link;
    this.#most = most;
  }

  submit(entry: StreamEntry): void {
    if (this.#fits(entry)) this.#start(entry);
    else this.#wait(entry);
  }

  /** Running work has ended. */
  over(running: Running, nowNs: number): void {
    const { entry } = running;
    if (entry === null) return;
    this.#running.splice(this.#running.indexOf(running), 1);
    if (running.usesLink) this.#link.remove(running);
    this.#spare.push(running);
    const { step } = entry;
    const idle = this.#running.length === 0;
    this.#used = idle ? 0 : this.#used - step.share;
    this.#memory = idle ? 0 : this.#memory - step.memoryPart;
    this.#arithmetic = idle ? 0 : this.#arithmetic - step.arithmeticPart;
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
    // The usual case, kernels that fill the device one after another, without going through the whole queue.
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
    return step.isSingle ? this.#used < 1 - rounding : this.#used + step.share <= 1 + rounding;
  }

  #start(entry: StreamEntry): void {
    const { step } = entry;
    const { nowNs } = this.#clock;
    this.#used += step.share;
    this.#memory += step.memoryPart;
    this.#arithmetic += step.arithmeticPart;
    const running = this.#spare.pop() ?? new Running(this, this.#clock);
    running.begin(entry, nowNs);
    this.#running.push(running);
    this.#sink.kernelStarted(entry, nowNs);
    if (running.usesLink) this.#link.add(running);
    this.#share(running.usesLink, nowNs);
  }

  #share(link: boolean, nowNs: number): void {
    if (link) this.#link.share(nowNs);
    const memory = this.#memory > 1 + rounding ? 1 / this.#memory : 1;
    const arithmetic = this.#arithmetic > 1 + rounding ? 1 / this.#arithmetic : 1;
    for (const running of this.#running) running.setParts(memory, arithmetic, nowNs);
  }
}

/** One piece of running work. Used again, so that a long run makes no more than run at once. */
class Running implements Actor, LinkUser {
  entry: StreamEntry | null = null;
  usesLink = false;
  linkIn = 0;
  linkOut = 0;
  readonly isKernel = true;
  readonly #compute: Compute;
  readonly #clock: EventQueue;
  /** Time it would still take alone, as of #sinceNs, and the part of that speed at which it goes. */
  #remainingNs = 0;
  #sinceNs = 0;
  #rate = 0;
  /** What the device's throughput and the link leave it; the device's is not known before it is shared out. */
  #ownRate = 0;
  #linkRate = 1;
  #schedule = 0;

  constructor(compute: Compute, clock: EventQueue) {
    this.#compute = compute;
    this.#clock = clock;
  }

  begin(entry: StreamEntry, nowNs: number): void {
    const { step } = entry;
    this.entry = entry;
    this.#remainingNs = step.deviceNs;
    this.#sinceNs = nowNs;
    this.#rate = 0;
    this.#ownRate = 0;
    this.#linkRate = 1;
    this.usesLink = step.linkIn > 0 || step.linkOut > 0;
    this.linkIn = this.usesLink ? step.linkIn / step.deviceNs : 0;
    this.linkOut = this.usesLink ? step.linkOut / step.deviceNs : 0;
  }

  setLinkRate(rate: number, nowNs: number): void {
    this.#linkRate = rate;
    this.#apply(nowNs);
  }

  setParts(memory: number, arithmetic: number, nowNs: number): void {
    const step = this.entry?.step;
    if (step === undefined) return;
    this.#ownRate = Math.min(step.memoryPart > 0 ? memory : 1, step.arithmeticPart > 0 ? arithmetic : 1);
    this.#apply(nowNs);
  }

  #apply(nowNs: number): void {
    const rate = Math.min(this.#ownRate, this.#linkRate);
    if (rate === this.#rate) return;
    this.#remainingNs = Math.max(0, this.#remainingNs - (nowNs - this.#sinceNs) * this.#rate);
    this.#sinceNs = nowNs;
    this.#rate = rate;
    this.#schedule = (this.#schedule + 1) | 0;
    this.#clock.schedule(nowNs + this.#remainingNs / rate, this, this.#schedule);
  }

  act(what: number, nowNs: number): void {
    if (what === this.#schedule) this.#compute.over(this, nowNs);
  }
}
