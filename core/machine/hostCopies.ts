/**
 * Host threads that copy memory at once. Together they reach the measured rate for their number, in equal parts. Rule
 * (core/rules): host-copies-share-memory.
 */
import type { CostModel } from './costModel.ts';
import type { Actor, EventQueue } from './eventQueue.ts';

export interface HostCopyOwner {
  hostCopied(nowNs: number): void;
}

interface Job {
  readonly owner: HostCopyOwner;
  /** Total of bytes per thread (see #served) at which this job ends. */
  readonly until: number;
}

export class HostCopies implements Actor {
  readonly #clock: EventQueue;
  readonly #costs: CostModel;
  #jobs: Job[] = [];
  /** Bytes that a thread which copies all the time would have copied by #sinceNs. */
  #served = 0;
  #sinceNs = 0;
  #schedule = 0;

  constructor(clock: EventQueue, costs: CostModel) {
    this.#clock = clock;
    this.#costs = costs;
  }

  /** Starts one of several copies that touch `together` bytes in total: data in the host's caches is copied faster. */
  start(bytes: number, together: number, owner: HostCopyOwner, nowNs: number): void {
    this.#advance(nowNs);
    this.#jobs.push({ owner, until: this.#served + bytes * this.#effort(together) });
    this.#scheduleNext();
  }

  /** Returns how many bytes at the measured rate one byte counts for. */
  #effort(together: number): number {
    if (together === 0) return 1;
    const nsPerByte = this.#costs.hostNs({ kind: 'copy' }, together) / together;
    return Math.min(1, (nsPerByte * this.#costs.hostCopyRate(1)) / 1e9);
  }

  act(what: number, nowNs: number): void {
    if (what !== this.#schedule) return;
    this.#advance(nowNs);
    const next = this.#next();
    // A job whose scheduled end is now has ended, whatever rounding says.
    const over = this.#jobs.filter((job) => job.until <= Math.max(this.#served, next));
    this.#jobs = this.#jobs.filter((job) => !over.includes(job));
    this.#scheduleNext();
    for (const { owner } of over) owner.hostCopied(nowNs);
  }

  #next(): number {
    return this.#jobs.reduce((least, job) => Math.min(least, job.until), Number.POSITIVE_INFINITY);
  }

  #advance(nowNs: number): void {
    this.#served += (nowNs - this.#sinceNs) * this.#rate();
    this.#sinceNs = nowNs;
    if (this.#jobs.length === 0) this.#served = 0;
  }

  #scheduleNext(): void {
    this.#schedule = (this.#schedule + 1) | 0;
    if (this.#jobs.length === 0) return;
    const leftNs = Math.max(0, this.#next() - this.#served) / this.#rate();
    this.#clock.schedule(this.#sinceNs + leftNs, this, this.#schedule);
  }

  /** Returns each thread's bytes per nanosecond. */
  #rate(): number {
    const count = this.#jobs.length;
    return count === 0 ? 0 : this.#costs.hostCopyRate(count) / 1e9 / count;
  }
}
