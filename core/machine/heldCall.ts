/** The call that blocks a host thread: the values of its row, what it waits for, and when it returns. */
import type { RowKind } from '../trace/trace.ts';

/** The call still waits for something else. */
export const notYet = -1;

export class HeldCall {
  kind: RowKind = 'host-call';
  name = '';
  correlation = 0;
  readonly #wakeNs: number;
  /** Number of things it still waits for, its earliest return, and its own work after waiting. */
  #waits = 0;
  #earliestNs = 0;
  #afterNs = 0;

  /** `wakeNs`: from the end of the awaited work to the call's return. */
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

  /**
   * Counts an awaited thing as done. Returns when the call returns, or `notYet`. With work left, no wake-up follows.
   */
  done(nowNs: number): number {
    this.#waits -= 1;
    if (this.#waits > 0) return notYet;
    return Math.max(this.#earliestNs, nowNs + (this.#afterNs > 0 ? 0 : this.#wakeNs)) + this.#afterNs;
  }
}
