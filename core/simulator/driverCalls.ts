/**
 * Calls of several host threads that put work into streams: the driver lets them into parts of it one at a time, so one
 * takes longer while another thread is in one.
 */
export class DriverCalls {
  /** Of each thread the end of its latest call. */
  readonly #untilNs: Float64Array;
  readonly #contendedNs: number;

  /** A call takes `contendedNs` more where it meets another one. */
  constructor(threads: number, contendedNs: number) {
    this.#untilNs = new Float64Array(threads);
    this.#contendedNs = threads > 1 ? contendedNs : 0;
  }

  /** What a call that `thread` makes at `nowNs` takes longer. */
  contendedNs(thread: number, nowNs: number): number {
    if (this.#contendedNs === 0) return 0;
    return this.#untilNs.some((untilNs, other) => other !== thread && untilNs > nowNs) ? this.#contendedNs : 0;
  }

  /** The thread's call ends then; never, as far as is known, where the device has a part in it. */
  endsAt(thread: number, untilNs: number): void {
    this.#untilNs[thread] = untilNs;
  }
}
