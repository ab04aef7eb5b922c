/** The steps of a run, as it is compared by: those that a program's trace holds, whoever found them. */
export interface RunSteps {
  readonly count: number;
  /** Of each: when it began, and how long it took. */
  readonly startNs: readonly number[];
  readonly durationNs: readonly number[];
  /** For each row of the trace its step; -1 of those that belong to none. */
  readonly stepOf: Int32Array;
}
