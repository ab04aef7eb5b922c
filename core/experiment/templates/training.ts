/** Feeding a training loop: prefetching, batches of many tensors, and a DataLoader with workers and a pin thread. */
import { KiB, MiB } from '../../units.ts';
import type { Experiment } from '../experiment.ts';
import {
  copy,
  defaultBytes,
  handOver,
  kernel,
  mainThread,
  type OperationInput,
  repeat,
  result,
  source,
  template,
  times,
} from './build.ts';

/**
 * Two device buffers: while the kernel reads one, the next batch is copied into the other. A copy waits until the
 * kernel that last read its buffer is done. In the first round that event isn't recorded yet, so CUDA doesn't wait.
 */
export function prefetchLoop({
  rounds = 4,
  bytes = defaultBytes,
  passes = 3,
}: {
  readonly rounds?: number;
  readonly bytes?: number;
  readonly passes?: number;
} = {}): Experiment {
  const half = (slot: string): OperationInput[] => [
    { op: 'waitEvent', event: `free-${slot}`, stream: 'prefetch' },
    copy(`batch-${slot}`, `slot-${slot}`, 'prefetch'),
    ...handOver(`full-${slot}`, 'prefetch', 'compute'),
    kernel(`slot-${slot}`, 'result', 'compute', passes),
    { op: 'recordEvent', event: `free-${slot}`, stream: 'compute' },
  ];
  return template({
    name: 'Prefetch loop with double buffering',
    description:
      'While a kernel works on one batch, the next one is copied into a second buffer. Events say when a buffer is full, and when it may be overwritten.',
    buffers: [
      ...['a', 'b'].map((slot, index) => source(`batch-${slot}`, 'pinned', bytes, index + 1)),
      ...['a', 'b'].map((slot) => result(`slot-${slot}`, 'device', bytes)),
      result('result', 'device', bytes),
    ],
    streams: [{ id: 'prefetch' }, { id: 'compute' }],
    events: ['full-a', 'free-a', 'full-b', 'free-b'].map((id) => ({ id })),
    threads: mainThread([repeat(rounds, [...half('a'), ...half('b')])]),
  });
}

/** A batch of many tensors, copied by a multi-tensor strategy before each step. */
export function multiTensorBatch({
  tensors = 128,
  bytes = 64 * KiB,
  steps = 3,
}: {
  readonly tensors?: number;
  /** Size of each tensor. */
  readonly bytes?: number;
  readonly steps?: number;
} = {}): Experiment {
  return template({
    name: `Batch of ${tensors} tensors`,
    description:
      'Before each step many small tensors go to the device. How they are gathered and pinned decides how long that takes: pick a strategy in the inspector.',
    streams: [{ id: 'side' }],
    threads: [
      {
        id: 'main',
        operations: [
          {
            op: 'repeat',
            count: steps,
            operations: [
              { op: 'multiCopy', payload: { tensors, bytes }, strategy: 'pipelined', stream: 'side' },
              { op: 'kernel', label: 'step', kernel: { kind: 'spin', durationNs: 500_000 }, stream: 'side' },
              { op: 'synchronizeStream', stream: 'side' },
            ],
          },
        ],
      },
    ],
  });
}

/**
 * Like torch.utils.data.DataLoader(num_workers=N, pin_memory=True): workers make batches, one thread pins them, and the
 * main thread copies and computes. Signals are the bounded queues between them.
 */
export function dataLoader({
  workers = 2,
  rounds = 3,
  bytes = 4 * MiB,
  decodeNs = 2_000_000,
}: {
  readonly workers?: number;
  /** Batches that each worker makes. */
  readonly rounds?: number;
  readonly bytes?: number;
  readonly decodeNs?: number;
} = {}): Experiment {
  const worker = (number: number) => ({
    id: `worker${number}`,
    operations: [
      repeat(rounds, [
        { op: 'waitSignal', signal: `batch-free${number}` },
        { op: 'work', label: 'decode', durationNs: decodeNs },
        { op: 'write', buffer: `batch${number}`, pattern: { kind: 'random', seed: number } },
        { op: 'signal', signal: `batch-full${number}` },
      ]),
    ],
  });
  const pinning = times(workers, (number): OperationInput[] => [
    { op: 'waitSignal', signal: `batch-full${number}` },
    { op: 'waitSignal', signal: `pinned-free${number}` },
    { op: 'pin', src: `batch${number}`, dst: `pinned${number}` },
    { op: 'signal', signal: `batch-free${number}` },
    { op: 'signal', signal: `pinned-full${number}` },
  ]).flat();
  const training = times(workers, (number): OperationInput[] => [
    { op: 'waitSignal', signal: `pinned-full${number}` },
    copy(`pinned${number}`, 'input', 'default'),
    { ...kernel('input', 'output', 'default', 4), label: 'training step' },
    { op: 'synchronizeStream', stream: 'default' },
    { op: 'signal', signal: `pinned-free${number}` },
  ]).flat();
  const first = times(workers, (number): OperationInput[] => [
    { op: 'signal', signal: `batch-free${number}` },
    { op: 'signal', signal: `pinned-free${number}` },
  ]).flat();
  return template({
    name: `DataLoader with ${workers} workers and a pin thread`,
    description:
      'Workers decode batches into pageable memory, a pin thread copies them into page-locked memory, and the main thread sends them to the device. Each queue holds one batch of each worker.',
    buffers: [
      ...times(workers, (number) => result(`batch${number}`, 'pageable', bytes)),
      ...times(workers, (number) => result(`pinned${number}`, 'pinned', bytes)),
      result('input', 'device', bytes),
      result('output', 'device', bytes),
    ],
    signals: times(workers, (number) =>
      ['batch-free', 'batch-full', 'pinned-free', 'pinned-full'].map((queue) => ({
        id: `${queue}${number}`,
        capacity: 1,
      })),
    ).flat(),
    threads: [
      { id: 'main', operations: [...first, repeat(rounds, training)] },
      { id: 'pin-thread', operations: [repeat(rounds, pinning)] },
      ...times(workers, worker),
    ],
  });
}
