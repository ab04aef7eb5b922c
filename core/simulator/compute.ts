/** The compute channel of a device: kernels, device-to-device copies and what travels in the command buffer. */
import { entryDone, type StreamEntry } from './entry.ts';
import type { EventQueue } from './event-queue.ts';

/** Shares are sums of decimal fractions: what exceeds 1 by no more than rounding still fits. */
const rounding = 1e-9;

export interface ComputeSink {
  kernelStarted(entry: StreamEntry, nowNs: number): void;
}

/**
 * Work starts as soon as its share of the multiprocessors is free, in the order it became ready; what fits beside
 * the running work may pass what doesn't, so that no free share is left idle.
 */
export class Compute {
  readonly #clock: EventQueue;
  readonly #sink: ComputeSink;
  readonly #most: number;
  #used = 0;
  #running = 0;
  #waiting: StreamEntry[] = [];

  /** At most `most` pieces of work run at once. */
  constructor(clock: EventQueue, sink: ComputeSink, most: number) {
    this.#clock = clock;
    this.#sink = sink;
    this.#most = most;
  }

  submit(entry: StreamEntry): void {
    if (this.#fits(entry)) this.#start(entry);
    else this.#waiting.push(entry);
  }

  finished(entry: StreamEntry): void {
    this.#running -= 1;
    this.#used = this.#running === 0 ? 0 : this.#used - entry.step.share;
    if (this.#waiting.length > 0) this.#startWaiting();
  }

  #startWaiting(): void {
    const first = this.#waiting[0];
    // The usual case, kernels that fill the device one after another, without going through the whole queue.
    if (first !== undefined && this.#fits(first)) {
      this.#waiting.shift();
      this.#start(first);
    }
    if (this.#running === this.#most) return;
    this.#waiting = this.#waiting.filter((entry) => {
      const fits = this.#fits(entry);
      if (fits) this.#start(entry);
      return !fits;
    });
  }

  #fits(entry: StreamEntry): boolean {
    return this.#running < this.#most && this.#used + entry.step.share <= 1 + rounding;
  }

  #start(entry: StreamEntry): void {
    this.#used += entry.step.share;
    this.#running += 1;
    this.#sink.kernelStarted(entry, this.#clock.nowNs);
    this.#clock.schedule(this.#clock.nowNs + entry.step.deviceNs, entry, entryDone);
  }
}
