/** A copy engine of a device: first come first served. Rule (core/rules): one-engine-per-direction. */
import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import { Fifo } from './fifo.ts';
import type { Link, LinkUser } from './link.ts';

export interface CopySink {
  /** The engine takes up an entry, or the next piece of one. */
  copyStarted(entry: StreamEntry, nowNs: number): void;
  copyFinished(entry: StreamEntry, nowNs: number): void;
}

export class CopyEngine implements Actor, LinkUser {
  /** What the active copy moves alone, in bytes a nanosecond. */
  linkIn = 0;
  linkOut = 0;
  readonly isKernel = false;
  readonly #link: Link;
  readonly #clock: EventQueue;
  readonly #sink: CopySink;
  readonly #waiting = new Fifo<Job>();
  #active: Job | null = null;
  /** Time the active copy would still take alone, as of `#sinceNs`. */
  #remainingNs = 0;
  #sinceNs = 0;
  #rate = 1;
  /** Number of the event that is the active copy's end; those scheduled for a former rate are ignored. */
  #schedule = 0;

  constructor(link: Link, clock: EventQueue, sink: CopySink) {
    this.#link = link;
    this.#clock = clock;
    this.#sink = sink;
    link.add(this);
  }

  /** `moreNs`: what it takes longer without asking less of the link. */
  submit(entry: StreamEntry, aloneNs: number, bytes: number, moreNs = 0): void {
    this.#waiting.push({ entry, aloneNs, bytes, moreNs });
    if (this.#active === null) this.#startNext(this.#clock.nowNs);
  }

  act(what: number, nowNs: number): void {
    if (what !== this.#schedule || this.#active === null) return;
    const { entry } = this.#active;
    this.#active = null;
    this.#startNext(nowNs);
    this.#sink.copyFinished(entry, nowNs);
    // Finishing may have brought the entry's next piece, which then is active already.
  }

  setLinkRate(rate: number, nowNs: number): void {
    if (this.#active === null || rate === this.#rate) return;
    this.#remainingNs = Math.max(0, this.#remainingNs - (nowNs - this.#sinceNs) * this.#rate);
    this.#sinceNs = nowNs;
    this.#rate = rate;
    this.#scheduleEnd();
  }

  #startNext(nowNs: number): void {
    const next = this.#waiting.shift();
    this.#active = next ?? null;
    const demand = next === undefined ? 0 : next.bytes / next.aloneNs;
    const outwards = next?.entry.step.src === 'device';
    this.linkIn = outwards ? 0 : demand;
    this.linkOut = outwards ? demand : 0;
    if (next !== undefined) {
      this.#remainingNs = next.aloneNs + next.moreNs + this.#link.besideNs(outwards);
      this.#sinceNs = nowNs;
      this.#rate = 0;
      this.#sink.copyStarted(next.entry, nowNs);
    }
    this.#link.share(nowNs);
  }

  #scheduleEnd(): void {
    this.#schedule = (this.#schedule + 1) | 0;
    this.#clock.schedule(this.#sinceNs + this.#remainingNs / this.#rate, this, this.#schedule);
  }
}

interface Job {
  readonly entry: StreamEntry;
  readonly aloneNs: number;
  readonly bytes: number;
  readonly moreNs: number;
}
