/** One measurement of the native engine without a recorder, and its result. */
import { type BlockStrategy, blockStrategies } from '../../experiment/operations.ts';

/** In the order of native/src/bench/bench_request.h, like the lists below. */
export const measurementKinds = ['copy', 'launches', 'queue-depth', 'submit', 'blocks'] as const;
export const measuredDirections = ['h2d', 'd2h', 'd2d'] as const;
export const measuredMemories = ['pageable', 'pinned'] as const;

export const measuredStrategies = blockStrategies.slice(0, -1) as readonly Exclude<BlockStrategy, 'auto'>[];

export interface Measurement {
  readonly kind: (typeof measurementKinds)[number];
  readonly direction: (typeof measuredDirections)[number];
  /** Kind of host memory. */
  readonly memory: (typeof measuredMemories)[number];
  /** Strategy of a block copy. */
  readonly strategy?: BlockStrategy;
  readonly device: number;
  /** Size of one copy. */
  readonly bytes: number;
  /** Size of the largest copy, for which memory is allocated once. */
  readonly capacity: number;
  /** Copies, launches or blocks in a sample. */
  readonly count: number;
  readonly samples: number;
  readonly warmups: number;
}

/** Times in nanoseconds, one entry per sample; bench_session.h explains each measurement. */
export interface Measured {
  readonly ns: Float64Array;
  readonly callNs: Float64Array;
  /** Time on the device of a block copy; empty for others. */
  readonly deviceNs: Float64Array;
  /** Whether it was timed by the host's clock rather than between two device events. */
  readonly onHostClock: boolean;
  /** Bytes moved in one sample. */
  readonly bytes: number;
  readonly checked: number;
  readonly wrong: number;
  /** Number of operations that a queue accepted; 0 if it never blocked the host. */
  readonly depth: number;
}
