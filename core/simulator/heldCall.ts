/** The call that a host thread is held in: what its row will be, what it waits for, and when it returns after that. */
import type { RowKind } from '../trace/trace.ts';
import { type EngineIndex, isCopyEngine } from './engines.ts';
import type { DeviceProfile } from './profile.ts';

/** The call still waits for something else. */
export const notYet = -1;

/**
 * Part of what a wait costs more as the first of its kind that falls behind the work it waits for: in 1,200 recordings of eight
 * H200 machines it returned 0.7 to 1.5 us later where buffers had been prepared for long, and one that found nothing to wait for
 * took 4 to 5 us more.
 */
const wakingPart = 0.18;

export class HeldCall {
  kind: RowKind = 'host-call';
  name = '';
  correlation = 0;
  readonly #wakeNs: number;
  readonly #copyWakeNs: number;
  /** Things that it still waits for, the earliest time it may return, and what it does after waiting. */
  #waits = 0;
  #earliestNs = 0;
  #afterNs = 0;

  constructor({ calls }: DeviceProfile) {
    this.#wakeNs = calls.wakeNs;
    this.#copyWakeNs = calls.copyWakeNs ?? calls.wakeNs;
  }

  begin(kind: RowKind, name: string, correlation = 0): void {
    this.kind = kind;
    this.name = name;
    this.correlation = correlation;
  }

  wait(waits: number, earliestNs: number, afterNs = 0): void {
    this.#waits = waits;
    this.#earliestNs = earliestNs;
    this.#afterNs = afterNs;
  }

  /**
   * One of the things that it waits for is done. When it returns, or `notYet`; `moreNs` is what the call costs more than
   * others of its kind.
   *
   * What a copy engine has done is known later: by 0.7 to 1.4 us in 313 recorded runs of four H200 machines. A call that
   * has more to do goes on at once: cudaFree of up to 1 MB returned 3.2 to 4.3 us after the device's work in runs of three,
   * and took 2.5 to 5.7 us where nothing was under way.
   */
  done(nowNs: number, via: EngineIndex, moreNs: number): number {
    this.#waits -= 1;
    if (this.#waits > 0) return notYet;
    const wakeNs = this.#afterNs > 0 ? 0 : isCopyEngine(via) ? this.#copyWakeNs : this.#wakeNs;
    const missNs = this.kind === 'host-sync' ? wakingPart * moreNs : 0;
    return Math.max(this.#earliestNs, nowNs + wakeNs + missNs) + this.#afterNs;
  }
}
