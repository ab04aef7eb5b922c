/** One measurement without a recorder, as the native engine takes it, and what it gives. */

/** In the order of native/src/bench/bench_request.h, as are the lists below. */
export const measurementKinds = ['copy', 'launches', 'queue-depth', 'submit'] as const;
export const measuredDirections = ['h2d', 'd2h', 'd2d'] as const;
export const measuredMemories = ['pageable', 'pinned'] as const;

export interface Measurement {
  readonly kind: (typeof measurementKinds)[number];
  readonly direction: (typeof measuredDirections)[number];
  /** Host memory. */
  readonly memory: (typeof measuredMemories)[number];
  readonly device: number;
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
  /** Timed by the host's clock rather than between two events of the device. */
  readonly onHostClock: boolean;
  /** Moved in one sample. */
  readonly bytes: number;
  readonly checked: number;
  readonly wrong: number;
  /** Operations that a queue took; 0 where it never held the host. */
  readonly depth: number;
}
