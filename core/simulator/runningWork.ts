/** One piece of work that runs on the compute channel: how fast it goes, and when it ends. Used again by those behind. */
import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import type { LinkKernel } from './link.ts';

/** What it tells the channel. */
export interface WorkListener {
  /** Others wait for room. */
  readonly isAwaited: boolean;
  leavesRoom(work: RunningWork, nowNs: number): void;
  over(work: RunningWork, nowNs: number): void;
  /** What a kernel that would end now lasts longer because it still reads host memory. */
  lookNs(work: RunningWork): number;
}

/** What the clock tells it is twice the number of its present plan, and 1 where its blocks begin to end. */
const planned = 2;

export class RunningWork implements Actor, LinkKernel {
  entry: StreamEntry | null = null;
  /** None of its blocks has ended. */
  hasRoom = true;
  usesLink = false;
  linkIn = 0;
  linkOut = 0;
  readonly isKernel = true;
  places = 0;
  multiprocessors = 0;
  linkBytes = 0;
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
  #plan = 0;
  #hasLooked = false;

  constructor(listener: WorkListener, clock: EventQueue) {
    this.#listener = listener;
    this.#clock = clock;
  }

  begin(entry: StreamEntry, nowNs: number): void {
    const { step } = entry;
    this.entry = entry;
    this.hasRoom = true;
    this.#hasLooked = step.arithmeticPart === 0 && step.linkIn === 0;
    this.#remainingNs = step.deviceNs;
    this.#sinceNs = nowNs;
    this.#rate = 0;
    this.#heldNs = 0;
    this.#ownRate = 0;
    this.#linkRate = 1;
    this.places = step.share;
    // A share below 1 gives each block a multiprocessor of its own.
    this.multiprocessors = step.exclusive > 0 ? step.exclusive : step.share;
    this.linkBytes = step.linkIn + step.linkOut;
    this.usesLink = this.linkBytes > 0;
    this.linkIn = this.usesLink ? step.linkIn / step.deviceNs : 0;
    this.linkOut = this.usesLink ? step.linkOut / step.deviceNs : 0;
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
    const step = this.entry?.step;
    if (step === undefined) return;
    this.#ownRate = Math.min(step.memoryPart > 0 ? memory : 1, this.#offered);
    this.#replan(this.#heldPart * step.deviceNs, nowNs);
  }

  /** Somebody waits for room: it tells when its blocks begin to end. */
  expectRoom(nowNs: number): void {
    const step = this.entry?.step;
    if (step === undefined || step.leavesAtPart >= 1 || !this.hasRoom || this.#rate === 0) return;
    const untilNs = this.#left(nowNs) - (1 - step.leavesAtPart) * step.deviceNs;
    this.#clock.schedule(nowNs + Math.max(0, untilNs) / this.#rate, this, planned * this.#plan + 1);
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
    this.#plan = (this.#plan + 1) & 0x1fffffff;
    if (this.#rate === 0) return;
    this.#clock.schedule(nowNs + (this.#remainingNs - heldNs) / this.#rate, this, planned * this.#plan);
    if (this.#listener.isAwaited) this.expectRoom(nowNs);
  }

  act(what: number, nowNs: number): void {
    if (what >> 1 !== this.#plan) return;
    if (what % planned === 1) {
      if (!this.hasRoom) return;
      this.hasRoom = false;
      this.#listener.leavesRoom(this, nowNs);
    } else if (this.#heldNs > 0) {
      this.#remainingNs = this.#heldNs;
      this.#sinceNs = nowNs;
      this.#rate = 0;
    } else this.#end(nowNs);
  }

  /** An arithmetic kernel looks at a word of host memory first, and one that reads mapped memory at once waits for the last of it. */
  #end(nowNs: number): void {
    const lookNs = this.#hasLooked ? 0 : this.#listener.lookNs(this);
    this.#hasLooked = true;
    this.#plan = (this.#plan + 1) & 0x1fffffff;
    if (lookNs === 0) {
      this.#listener.over(this, nowNs);
      return;
    }

    this.#remainingNs = lookNs;
    this.#sinceNs = nowNs;
    this.#clock.schedule(nowNs + lookNs / this.#rate, this, planned * this.#plan);
  }
}
