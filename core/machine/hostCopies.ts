/**
 * Host threads that copy memory at once: together they reach what was measured of so many, each an equal part.
 * Rule (core/rules): host-copies-share-memory.
 */
import type { CostModel } from './costModel.ts';
import type { Actor, EventQueue } from './eventQueue.ts';

export interface HostCopyOwner {
  hostCopied(nowNs: number): void;
}

interface Job {
  readonly owner: HostCopyOwner;
  /** Bytes that each thread has copied in all when this job is through. */
  readonly until: number;
}

export class HostCopies implements Actor {
  readonly #clock: EventQueue;
  readonly #costs: CostModel;
  #jobs: Job[] = [];
  /** Bytes that a thread copying all the time would have copied, as of #sinceNs. */
  #served = 0;
  #sinceNs = 0;
  #schedule = 0;

  constructor(clock: EventQueue, costs: CostModel) {
    this.#clock = clock;
    this.#costs = costs;
  }

  /** One of several copies that touch `together` bytes: what the host's caches hold is copied faster. */
  start(bytes: number, together: number, owner: HostCopyOwner, nowNs: number): void {
    this.#advance(nowNs);
    this.#jobs.push({ owner, until: this.#served + bytes * this.#effort(together) });
    this.#scheduleNext();
  }

  /** Bytes of the measured rate that a byte counts for. */
  #effort(together: number): number {
    if (together === 0) return 1;
    const nsPerByte = this.#costs.hostNs({ kind: 'copy' }, together) / together;
    return Math.min(1, (nsPerByte * this.#costs.hostCopyRate(1)) / 1e9);
  }

  act(what: number, nowNs: number): void {
    if (what !== this.#schedule) return;
    this.#advance(nowNs);
    const next = this.#next();
    // The end that was scheduled is now, whatever rounding says.
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

  /** Bytes in a nanosecond of each thread. */
  #rate(): number {
    const count = this.#jobs.length;
    return count === 0 ? 0 : this.#costs.hostCopyRate(count) / 1e9 / count;
  }
}
