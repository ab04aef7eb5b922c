/**
 * Host threads that copy memory at once: together they reach what the profile measured for so many, each an equal part.
 * Rule (core/rules): host-copies-share-memory.
 */
import type { Actor, EventQueue } from './eventQueue.ts';
import { keptRate } from './memcpyRate.ts';
import type { DeviceProfile } from './profile.ts';

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
  readonly #points: DeviceProfile['host']['threads'];
  readonly #profile: DeviceProfile;
  #jobs: Job[] = [];
  /** Bytes that a thread copying all the time would have copied, as of #sinceNs. */
  #served = 0;
  #sinceNs = 0;
  #schedule = 0;

  constructor(clock: EventQueue, profile: DeviceProfile) {
    this.#clock = clock;
    this.#points = profile.host.threads;
    this.#profile = profile;
  }

  /** One of several copies that touch `together` bytes: what the host's caches hold is copied faster, but for `gonePart`. */
  start(bytes: number, together: number, gonePart: number, owner: HostCopyOwner, nowNs: number): void {
    this.#advance(nowNs);
    const effort = gonePart + (1 - gonePart) * this.#effort(together);
    this.#jobs.push({ owner, until: this.#served + bytes * effort });
    this.#scheduleNext();
  }

  /** Time that a byte takes, in parts of what one takes that comes from memory. */
  #effort(together: number): number {
    const single = this.#points[0]?.bytesPerSecond ?? 0;
    return Math.min(1, single / keptRate(this.#profile, together));
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

  /** Bytes in a nanosecond of each thread: straight between measured numbers of threads, the last one's in all beyond. */
  #rate(): number {
    const count = this.#jobs.length;
    if (count === 0) return 0;
    let [fewer, fewerRate] = [0, 0];
    for (const { threads, bytesPerSecond } of this.#points) {
      if (count <= threads) {
        const part = (count - fewer) / (threads - fewer);
        return (fewerRate + part * (bytesPerSecond - fewerRate)) / 1e9 / count;
      }
      [fewer, fewerRate] = [threads, bytesPerSecond];
    }
    return fewerRate / 1e9 / count;
  }
}
