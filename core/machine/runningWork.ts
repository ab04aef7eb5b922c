/** One piece of work that runs on the compute channel: its speed, and its end. Objects are reused. */
import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { LinkKernel } from './link.ts';

export interface WorkListener {
  over(work: RunningWork, nowNs: number): void;
}

export class RunningWork implements Actor, LinkKernel {
  entry: StreamEntry | null = null;
  usesLink = false;
  linkIn = 0;
  linkOut = 0;
  readonly isKernel = true;
  places = 0;
  multiprocessors = 0;
  readonly #listener: WorkListener;
  readonly #clock: EventQueue;
  /** Remaining time at full speed, as of #sinceNs, and the current share of that speed. */
  #remainingNs = 0;
  #sinceNs = 0;
  #rate = 0;
  /** Share of its speed that multiprocessors and arithmetic allow, and the share of its work that has to wait. */
  #offered = 0;
  #heldPart = 0;
  #heldNs = 0;
  /** Shares of its speed that the device and the link allow. The device's is set by `apply`. */
  #ownRate = 0;
  #linkRate = 1;
  /** Number of the current plan; scheduled events of earlier plans are ignored. */
  #plan = 0;

  constructor(listener: WorkListener, clock: EventQueue) {
    this.#listener = listener;
    this.#clock = clock;
  }

  begin(entry: StreamEntry, nowNs: number): void {
    const { step, deviceNs } = entry;
    this.entry = entry;
    this.#remainingNs = deviceNs;
    this.#sinceNs = nowNs;
    this.#rate = 0;
    this.#heldNs = 0;
    this.#ownRate = 0;
    this.#linkRate = 1;
    this.places = step.share;
    // If `exclusive` is 0, each block has a share of the multiprocessors.
    this.multiprocessors = step.exclusive > 0 ? step.exclusive : step.share;
    this.usesLink = step.linkIn + step.linkOut > 0;
    this.linkIn = this.usesLink ? step.linkIn / deviceNs : 0;
    this.linkOut = this.usesLink ? step.linkOut / deviceNs : 0;
  }

  leftNs(nowNs: number): number {
    return this.#rate === 0 ? Number.POSITIVE_INFINITY : this.#left(nowNs) / this.#rate;
  }

  setLinkRate(rate: number, nowNs: number): void {
    this.#linkRate = rate;
    this.#replan(this.#heldNs, nowNs);
  }

  /** Sets values for `apply`: `heldPart` of the work waits for places taken by other kernels' blocks. */
  offer(part: number, heldPart: number): void {
    this.#offered = part;
    this.#heldPart = heldPart;
  }

  /** `memory`: share of the demanded memory throughput that the device can provide to all running work. */
  apply(memory: number, nowNs: number): void {
    if (this.entry === null) return;
    const { step, deviceNs } = this.entry;
    this.#ownRate = Math.min(step.memoryPart > 0 ? memory : 1, this.#offered);
    this.#replan(this.#heldPart * deviceNs, nowNs);
  }

  #left(nowNs: number): number {
    return Math.max(0, this.#remainingNs - (nowNs - this.#sinceNs) * this.#rate);
  }

  #replan(heldNs: number, nowNs: number): void {
    const rate = Math.min(this.#ownRate, this.#linkRate);
    if (rate === this.#rate && heldNs === this.#heldNs) return;
    this.#remainingNs = this.#left(nowNs);
    this.#sinceNs = nowNs;
    this.#heldNs = heldNs;
    const isHeld = heldNs > 0 && this.#remainingNs <= heldNs;
    this.#rate = isHeld ? 0 : rate;
    this.#plan = (this.#plan + 1) & 0x3fffffff;
    if (this.#rate === 0) return;
    this.#clock.schedule(nowNs + (this.#remainingNs - heldNs) / this.#rate, this, this.#plan);
  }

  act(what: number, nowNs: number): void {
    if (what !== this.#plan) return;
    if (this.#heldNs > 0) {
      this.#remainingNs = this.#heldNs;
      this.#sinceNs = nowNs;
      this.#rate = 0;
      return;
    }
    this.#plan = (this.#plan + 1) & 0x3fffffff;
    this.#listener.over(this, nowNs);
  }
}
