/** One measurement of a benchmark, as the native engine takes it, and what it gives. */

/** In the order of native/src/bench/bench_request.h, as are the lists below. */
export const measurementKinds = [
  'copy',
  'bidirectional',
  'latency',
  'small-copies',
  'launches',
  'queue-depth',
  'peer',
  'submit',
  'links',
  'relay',
] as const;
export type MeasurementKind = (typeof measurementKinds)[number];

export const benchDirections = ['h2d', 'd2h', 'd2d'] as const;
export type BenchDirection = (typeof benchDirections)[number];

/** Host memory. `mapped` is page-locked memory that a kernel reads or writes over the link. */
export const benchMemories = ['pageable', 'pinned', 'write-combined', 'mapped'] as const;
export type BenchMemory = (typeof benchMemories)[number];

/** How small copies are made, kernels are launched, or a queue is filled (`loop` kernels, `packed` copies). */
export const benchMethods = ['loop', 'blocking-loop', 'packed', 'graph'] as const;
export type BenchMethod = (typeof benchMethods)[number];

export interface Measurement {
  readonly kind: MeasurementKind;
  readonly direction: BenchDirection;
  readonly memory: BenchMemory;
  readonly method: BenchMethod;
  readonly device: number;
  /** Device that a peer copy goes to, whose link is used too, or that relays. */
  readonly peer: number;
  readonly peerAccess: boolean;
  /** Of one copy. */
  readonly bytes: number;
  /** Largest size to come, for which memory is allocated at once. */
  readonly capacity: number;
  /** Copies or launches in a sample. */
  readonly count: number;
  readonly samples: number;
  readonly warmups: number;
}

/** Times in nanoseconds, one entry a sample; what each means is said with the measurement (bench_session.h). */
export interface Measured {
  readonly ns: Float64Array;
  readonly callNs: Float64Array;
  readonly otherNs: Float64Array;
  /** Timed by the host's clock rather than between two events of the device. */
  readonly onHostClock: boolean;
  /** Moved in one sample. */
  readonly bytes: number;
  readonly checked: number;
  readonly wrong: number;
  /** Operations that a queue took; 0 where it never held the host. */
  readonly depth: number;
}
