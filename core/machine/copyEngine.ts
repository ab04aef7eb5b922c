/**
 * A copy engine of a device: first come first served, but it stays with a queue as long as that has another copy ready.
 * On H200 machines a ready copy waited 180 and 320 us for copies of another stream, some of which were issued after it
 * (test/fixtures: background-4 of blind2, background-1 of blind). Rules (core/rules): one-engine-per-direction,
 * copy-queues.
 */
import { CopyQueues } from './copyQueues.ts';
import { StreamEntry } from './entry.ts';
import type { Actor, EventQueue } from './eventQueue.ts';
import { Fifo } from './fifo.ts';
import type { Link, LinkCopies } from './link.ts';

export interface CopySink {
  /** Called when the engine starts an entry, or the next piece of one. */
  copyStarted(entry: StreamEntry, nowNs: number): void;
  copyFinished(entry: StreamEntry, nowNs: number): void;
}

/** Clock event for the end of the gap behind a copy. Other events are plan numbers of the active copy. */
const gapOver = 0;

export class CopyEngine implements Actor, LinkCopies {
  /** Bytes per nanosecond that the active copy moves alone. */
  linkIn = 0;
  linkOut = 0;
  readonly isKernel = false;
  readonly #link: Link;
  readonly #clock: EventQueue;
  readonly #sink: CopySink;
  readonly #gapNs: number;
  readonly #queues: CopyQueues;
  /** Copies in the order in which they became ready; only the first of each queue. */
  readonly #waiting = new Fifo<CopyJob>();
  #active: StreamEntry | null = null;
  /** Next copy of the same stream, which is about to be submitted. */
  #expected: StreamEntry | null = null;
  /** Next copy if it is of another stream; the gap before it has begun. */
  #next: CopyJob | null = null;
  /** Remaining time of the active copy at full speed, as of `#sinceNs`. */
  #remainingNs = 0;
  #sinceNs = 0;
  #rate = 1;
  /** Number of the event for the active copy's end; events scheduled for an earlier rate are ignored. */
  #schedule = gapOver;

  /** `number`: index on its device. `gapNs`: from the end of a copy to the start of another stream's copy. */
  constructor(number: number, link: Link, clock: EventQueue, sink: CopySink, gapNs: number) {
    this.#queues = new CopyQueues(number);
    this.#link = link;
    this.#clock = clock;
    this.#sink = sink;
    this.#gapNs = gapNs;
    link.add(this);
  }

  /** Queues a copy that was put into its stream. A staged copy arrives in pieces, and takes no place before. */
  issued(entry: StreamEntry): void {
    const queue = this.#queues.of(entry.step.stream);
    if (entry.step.route !== 'engine') return;
    entry.queue = queue;
    queue.entries.push(entry);
  }

  submit(entry: StreamEntry, aloneNs: number, bytes: number): void {
    if (entry === this.#expected) {
      this.#expected = null;
      this.#takeUp({ entry, aloneNs, bytes });
    } else if (entry.queue !== null && entry.queue.entries.first !== entry) {
      entry.job = { entry, aloneNs, bytes };
    } else if (this.#active !== null || this.#expected !== null || this.#next !== null) {
      this.#waiting.push({ entry, aloneNs, bytes });
    } else this.#takeUp({ entry, aloneNs, bytes });
  }

  act(what: number, nowNs: number): void {
    if (what === gapOver) this.#startNext(nowNs);
    else if (what === this.#schedule && this.#active !== null) this.#end(this.#active, nowNs);
  }

  setLinkRate(rate: number, nowNs: number): void {
    if (this.#active === null || rate === this.#rate) return;
    this.#remainingNs = Math.max(0, this.#remainingNs - (nowNs - this.#sinceNs) * this.#rate);
    this.#sinceNs = nowNs;
    this.#rate = rate;
    this.#scheduleEnd();
  }

  /** Starts a copy on the idle engine. */
  #takeUp(job: CopyJob): void {
    const { nowNs } = this.#clock;
    const backlogNs = this.#link.backlogNs(nowNs);
    if (backlogNs === 0) {
      this.#start(job.entry, job.aloneNs, job.bytes, nowNs);
      return;
    }
    this.#next = job;
    this.#clock.schedule(nowNs + backlogNs, this, gapOver);
  }

  #end(entry: StreamEntry, nowNs: number): void {
    this.#active = null;
    this.linkIn = 0;
    this.linkOut = 0;
    entry.queue?.entries.shift();
    // Prefers its own queue, whatever waits in others.
    const behind = entry.queue?.entries.first?.job ?? null;
    this.#expected = behind === null ? nextInStream(entry, nowNs) : null;
    this.#next = this.#expected === null ? (behind ?? this.#waiting.shift() ?? null) : null;
    const untilNs = nowNs + this.#gapNs + (this.#next === null ? 0 : this.#link.backlogNs(nowNs));
    if (this.#next !== null && untilNs === nowNs) this.#startNext(nowNs);
    else this.#link.share(nowNs);
    if (this.#next !== null && untilNs > nowNs) this.#clock.schedule(untilNs, this, gapOver);
    this.#sink.copyFinished(entry, nowNs);
    // Finishing may have brought the entry's next piece, which is then active already.
  }

  #startNext(nowNs: number): void {
    const next = this.#next;
    this.#next = null;
    if (next !== null) this.#start(next.entry, next.aloneNs, next.bytes, nowNs);
  }

  #start(entry: StreamEntry, aloneNs: number, bytes: number, nowNs: number): void {
    this.#active = entry;
    const outwards = isFromDevice(entry);
    this.linkIn = outwards ? 0 : bytes / aloneNs;
    this.linkOut = outwards ? bytes / aloneNs : 0;
    this.#remainingNs = aloneNs + this.#link.besideNs(outwards);
    this.#sinceNs = nowNs;
    this.#rate = 0;
    this.#sink.copyStarted(entry, nowNs);
    this.#link.share(nowNs);
  }

  #scheduleEnd(): void {
    this.#schedule = (this.#schedule + 1) & 0x3fffffff || gapOver + 1;
    this.#clock.schedule(this.#sinceNs + this.#remainingNs / this.#rate, this, this.#schedule);
  }
}

const isFromDevice = ({ step }: StreamEntry): boolean => step.src === 'device';

/** A copy, or a piece of one, whose turn has come in its stream. */
export interface CopyJob {
  readonly entry: StreamEntry;
  readonly aloneNs: number;
  readonly bytes: number;
}

/** Returns the next copy in the stream if it is on the device and waits for nothing else; otherwise null. */
function nextInStream({ step, engine, stream, dependents, moved }: StreamEntry, nowNs: number): StreamEntry | null {
  if (step.route !== 'engine' && moved + 1 < step.pieces) return null;
  for (const next of dependents) {
    if (next.stream !== stream || !(next instanceof StreamEntry)) continue;
    const isHere = next.step.route === 'engine' || (next.step.route === 'stage-in' && next.staged > 0);
    if (!isHere || next.engine !== engine || next.pending > 1 || next.readyNs > nowNs) continue;
    if (next.queue === null || next.queue.entries.first === next) return next;
  }
  return null;
}
