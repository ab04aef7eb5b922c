/** One piece of work that runs on the compute channel: how fast it goes, and when it ends. Used again by those behind. */
import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { LinkKernel } from './link.ts';

/** What it tells the channel. */
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
  /** Time it would still take alone, as of #sinceNs, and the part of that speed at which it goes. */
  #remainingNs = 0;
  #sinceNs = 0;
  #rate = 0;
  /** The part of its speed that multiprocessors and arithmetic allow, and of all its work that has to wait. */
  #offered = 0;
  #heldPart = 0;
  #heldNs = 0;
  /** What the device and the link leave it; the device's is not known before it is shared out. */
  #ownRate = 0;
  #linkRate = 1;
  /** Number of the plan that holds: those before are ignored by the clock. */
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
    // A share below 1 gives each block a multiprocessor of its own.
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

  /** Takes effect with `apply`. Of all that it does, `heldPart` waits for places that other kernels' blocks have. */
  offer(part: number, heldPart: number): void {
    this.#offered = part;
    this.#heldPart = heldPart;
  }

  /** `memory`: the part of what they would move that the device's memory allows all who run. */
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
