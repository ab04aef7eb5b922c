/**
 * CUDA calls of several host threads: the driver lets them into parts of it one at a time, so one that puts work into a
 * stream takes longer for each other thread that is in a call, be it one that waits. On five H200 machines launches in a row
 * took 0.1 to 1.4 us longer beside one other thread, 0.6 to 2.7 beside two and 1.1 to 4.2 beside three, and 0.4 to 1.8
 * beside one that waited.
 */
export class DriverCalls {
  /** Of each thread the end of its latest call. */
  readonly #untilNs: Float64Array;
  readonly #contendedNs: number;

  /** A call takes `contendedNs` more for each one that it meets. */
  constructor(threads: number, contendedNs: number) {
    this.#untilNs = new Float64Array(threads);
    this.#contendedNs = threads > 1 ? contendedNs : 0;
  }

  /** What a call that `thread` makes at `nowNs` takes longer. */
  contendedNs(thread: number, nowNs: number): number {
    if (this.#contendedNs === 0) return 0;
    let met = 0;
    for (let other = 0; other < this.#untilNs.length; other += 1) {
      if (other !== thread && (this.#untilNs[other] ?? 0) > nowNs) met += 1;
    }
    return met * this.#contendedNs;
  }

  /** The thread's call ends then; never, as far as is known, where the device has a part in it. */
  endsAt(thread: number, untilNs: number): void {
    this.#untilNs[thread] = untilNs;
  }
}
