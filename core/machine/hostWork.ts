/**
 * Host threads that work or copy at once. If there are more of them than processors, they take turns. Copying threads
 * share the host's memory: together they reach the measured rate for their number, in equal parts, and find data in the
 * processors' caches only if all of it fits. Rule (core/rules): host-copies-share-memory.
 */
import type { CostModel } from './costModel.ts';
import type { Actor, EventQueue } from './eventQueue.ts';

export interface HostWorkOwner {
  hostWorkDone(nowNs: number): void;
}

interface Job {
  readonly owner: HostWorkOwner;
  /** Bytes that it copies; 0 if it uses only a processor. */
  readonly bytes: number;
  /** Bytes that all threads of its multi-tensor copy touch; 0 if it belongs to none. */
  readonly together: number;
  /** Rest, in bytes at the speed of a thread alone, or in nanoseconds of a processor. */
  left: number;
  endNs: number;
}

export class HostWork implements Actor {
  readonly #clock: EventQueue;
  readonly #costs: CostModel;
  readonly #threads: number;
  #jobs: Job[] = [];
  #sinceNs = 0;
  #schedule = 0;

  /** `threads`: number of the program's host threads. */
  constructor(clock: EventQueue, costs: CostModel, threads: number) {
    this.#clock = clock;
    this.#costs = costs;
    this.#threads = threads;
  }

  /** Returns whether threads may slow each other's work down. `bytes`: what it copies, or 0. */
  isShared(bytes: number): boolean {
    return this.#threads > (bytes > 0 ? 1 : this.#costs.facts.cores);
  }

  /** Starts one of several copies that touch `together` bytes in total: data in the host's caches is copied faster. */
  copyPart(bytes: number, together: number, owner: HostWorkOwner, nowNs: number): void {
    this.#start({ owner, bytes, together, left: bytes, endNs: 0 }, nowNs);
  }

  /** Starts work of a host thread that takes `aloneNs` if no other thread works. */
  start(bytes: number, aloneNs: number, owner: HostWorkOwner, nowNs: number): void {
    const left = bytes > 0 ? (bytes * aloneNs) / this.#costs.hostNs({ kind: 'copy' }, bytes) : aloneNs;
    this.#start({ owner, bytes, together: 0, left, endNs: 0 }, nowNs);
  }

  act(what: number, nowNs: number): void {
    if (what !== this.#schedule) return;
    this.#advance(nowNs);
    const over = this.#jobs.filter(({ endNs }) => endNs <= nowNs);
    this.#jobs = this.#jobs.filter(({ endNs }) => endNs > nowNs);
    this.#scheduleNext();
    for (const { owner } of over) owner.hostWorkDone(nowNs);
  }

  #start(job: Job, nowNs: number): void {
    this.#advance(nowNs);
    this.#jobs.push(job);
    this.#scheduleNext();
  }

  #advance(nowNs: number): void {
    const ns = nowNs - this.#sinceNs;
    this.#sinceNs = nowNs;
    if (ns === 0) return;
    const speed = this.#speeds();
    for (const job of this.#jobs) job.left -= ns * speed(job);
  }

  #scheduleNext(): void {
    this.#schedule = (this.#schedule + 1) | 0;
    if (this.#jobs.length === 0) return;
    const speed = this.#speeds();
    let nextNs = Number.POSITIVE_INFINITY;
    for (const job of this.#jobs) {
      job.endNs = this.#sinceNs + Math.max(0, job.left) / speed(job);
      nextNs = Math.min(nextNs, job.endNs);
    }
    this.#clock.schedule(nextNs, this, this.#schedule);
  }

  /** Returns the speed of each job: bytes, or nanoseconds of a processor, per nanosecond. */
  #speeds(): (job: Job) => number {
    const share = Math.min(1, this.#costs.facts.cores / this.#jobs.length);
    let [copies, touched] = [0, 0];
    for (const { bytes, together } of this.#jobs) {
      touched += bytes;
      if (bytes > 0 || together > 0) copies += 1;
    }
    const alone = this.#costs.hostCopyRate(1) / 1e9;
    const each = copies === 0 ? 0 : Math.min(this.#costs.hostCopyRate(copies) / 1e9 / copies, alone * share);
    return ({ bytes, together }) => (bytes === 0 && together === 0 ? share : each / this.#effort(together, touched));
  }

  /** Returns how many bytes at the measured rate one byte counts for. */
  #effort(together: number, touched: number): number {
    const bytes = Math.max(together, touched);
    if (bytes === 0) return 1;
    const nsPerByte = this.#costs.hostNs({ kind: 'copy' }, bytes) / bytes;
    const effort = (nsPerByte * this.#costs.hostCopyRate(1)) / 1e9;
    return together > 0 ? Math.min(1, effort) : effort;
  }
}
