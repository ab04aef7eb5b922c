/**
 * The copy engines of a device: one for each direction, first come first served, with one link between them. Rules
 * (core/rules): one-engine-per-direction, directions-share-link.
 */
import type { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './event-queue.ts';
import { Fifo } from './fifo.ts';

export interface CopySink {
  /** The engine takes up an entry, or the next piece of one. */
  copyStarted(entry: StreamEntry, nowNs: number): void;
  copyFinished(entry: StreamEntry, nowNs: number): void;
}

export class CopyEngine implements Actor {
  readonly link: Link;
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
    this.link = link;
    this.#clock = clock;
    this.#sink = sink;
    link.engines.push(this);
  }

  /** Bytes per nanosecond that the active copy moves alone; 0 where none is active. */
  get demand(): number {
    return this.#active === null ? 0 : this.#active.bytes / this.#active.aloneNs;
  }

  submit(entry: StreamEntry, aloneNs: number, bytes: number): void {
    this.#waiting.push({ entry, aloneNs, bytes });
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

  /** Goes on at another rate from now on. */
  setRate(rate: number, nowNs: number): void {
    if (this.#active === null || rate === this.#rate) return;
    this.#remainingNs = Math.max(0, this.#remainingNs - (nowNs - this.#sinceNs) * this.#rate);
    this.#sinceNs = nowNs;
    this.#rate = rate;
    this.#scheduleEnd();
  }

  #startNext(nowNs: number): void {
    const next = this.#waiting.shift();
    this.#active = next ?? null;
    if (next !== undefined) {
      this.#remainingNs = next.aloneNs;
      this.#sinceNs = nowNs;
      this.#rate = 0;
      this.#sink.copyStarted(next.entry, nowNs);
    }
    this.link.share(nowNs);
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
}

/**
 * The link to the host. Copies that together want no more than it carries run as if alone; otherwise each gets the
 * same part of its own rate (fluid model: rates change only when a copy starts or ends, so the times are exact).
 */
export class Link {
  readonly engines: CopyEngine[] = [];
  readonly #bytesPerNs: number;

  constructor(bothBytesPerSecond: number) {
    this.#bytesPerNs = bothBytesPerSecond / 1e9;
  }

  share(nowNs: number): void {
    let demand = 0;
    let active = 0;
    for (const engine of this.engines) {
      if (engine.demand > 0) active += 1;
      demand += engine.demand;
    }
    const rate = active > 1 && demand > this.#bytesPerNs ? this.#bytesPerNs / demand : 1;
    for (const engine of this.engines) engine.setRate(rate, nowNs);
  }
}
