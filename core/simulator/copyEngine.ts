/**
 * A copy engine of a device: first come first served, but it goes on with a stream for as long as that has another copy
 * waiting. On H200 machines a copy that was ready waited 180 and 320 us for those of another stream, some of which were
 * issued after it (test/fixtures: background-4 of blind2, background-1 of blind). Rule (core/rules): one-engine-per-direction.
 */
import { StreamEntry } from './entry.ts';
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
  /** The next copy of the stream that the engine is at, which is about to be submitted. */
  #expected: StreamEntry | null = null;
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
    const job = { entry, aloneNs, bytes, moreNs };
    if (entry === this.#expected) {
      this.#expected = null;
      this.#start(job, this.#clock.nowNs);
      return;
    }
    this.#waiting.push(job);
    if (this.#active === null && this.#expected === null) this.#startNext(this.#clock.nowNs);
  }

  act(what: number, nowNs: number): void {
    if (what !== this.#schedule || this.#active === null) return;
    const { entry } = this.#active;
    this.#active = null;
    this.#expected = nextInStream(entry, nowNs);
    if (this.#expected === null) this.#startNext(nowNs);
    else this.#start(undefined, nowNs);
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
    this.#start(this.#waiting.shift(), nowNs);
  }

  #start(next: Job | undefined, nowNs: number): void {
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

/** The copy behind this one in its stream, where it is on the device already and waits for nothing else. */
function nextInStream({ step, stream, dependents }: StreamEntry, nowNs: number): StreamEntry | null {
  if (step.route !== 'engine') return null;
  for (const next of dependents) {
    const follows = next instanceof StreamEntry && next.stream === stream && next.step.route === 'engine';
    if (follows && next.step.engine === step.engine && next.pending === 1 && next.readyNs <= nowNs) return next;
  }
  return null;
}
