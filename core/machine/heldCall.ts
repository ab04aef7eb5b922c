/** The call that a host thread is held in: what its row will be, what it waits for, and when it returns after that. */
import type { RowKind } from '../trace/trace.ts';

/** The call still waits for something else. */
export const notYet = -1;

export class HeldCall {
  kind: RowKind = 'host-call';
  name = '';
  correlation = 0;
  readonly #wakeNs: number;
  /** Things that it still waits for, the earliest time it may return, and what it does after waiting. */
  #waits = 0;
  #earliestNs = 0;
  #afterNs = 0;

  /** `wakeNs`: from the end of the work to the call's return. */
  constructor(wakeNs: number) {
    this.#wakeNs = wakeNs;
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

  /** One of the things that it waits for is done: when it returns, or `notYet`. A call that has more to do goes on at once. */
  done(nowNs: number): number {
    this.#waits -= 1;
    if (this.#waits > 0) return notYet;
    return Math.max(this.#earliestNs, nowNs + (this.#afterNs > 0 ? 0 : this.#wakeNs)) + this.#afterNs;
  }
}
