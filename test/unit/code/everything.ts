/** One experiment with every operation, kind of memory and kernel. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { blockCopyStrategies, copyStrategies } from '../../../core/experiment/operations.ts';
import { experimentOf } from '../support/experiments.ts';

export const everything = (): Experiment =>
  experimentOf(
    {
      name: 'Everything "at once"?',
      description: 'A line that ends in a backslash \\\nand one that would end a comment */ or """ a text.',
      environment: { launchBlocking: false, visibleDevices: [0], iterations: 3, warmups: 1 },
      buffers: [
        { id: 'class', memory: 'pageable', bytes: 4096, pattern: { kind: 'index', seed: 3 } },
        { id: 'pinned', memory: 'pinned', bytes: 4096 },
        { id: 'combined', memory: 'pinned-write-combined', bytes: 4096 },
        { id: 'shared', memory: 'mapped', bytes: 4096 },
        { id: 'registered', memory: 'registered', bytes: 4096 },
        { id: 'gpu-a', memory: 'device', bytes: 4096 },
        { id: 'gpu_a', memory: 'device', bytes: 4096, pattern: { kind: 'constant', value: 7 } },
        { id: 'main', memory: 'device', dtype: 'float32', shape: [16, 64] },
        { id: 'later', memory: 'device', bytes: 4096, allocated: 'by-operation' },
        { id: 'pooled', memory: 'device', bytes: 4096, allocated: 'by-operation' },
        { id: 'plain', memory: 'device', bytes: 4096, allocated: 'by-operation' },
        { id: 'staged', memory: 'pinned', bytes: 4096, allocated: 'by-operation' },
        ...(['float32', 'float16', 'bfloat16'] as const).map((kind) => ({
          ...{ id: kind, memory: 'device' as const, bytes: 8192, pattern: { kind, seed: 5 } },
        })),
        { id: 'product', memory: 'device', bytes: 4096 },
        { id: 'half-product', memory: 'device', bytes: 4096 },
        { id: 'brain-product', memory: 'device', bytes: 4096 },
        { id: 'spectrum', memory: 'device', bytes: 8192 },
      ],
      streams: [{ id: 'pinned', priority: -1 }, { id: 'blocking', flags: 'blocking' }, { id: 's' }],
      events: [{ id: 'pinned' }, { id: 'end' }, { id: 'untimed', timing: false }],
      signals: [{ id: 'go', capacity: 2 }],
    },
    [
      { op: 'work', durationNs: 1500, label: 'prepare — "quoted" \\' },
      { op: 'pin', src: 'class', dst: 'staged' },
      { op: 'copy', src: 'staged', dst: 'gpu-a', stream: 's' },
      { op: 'copy', src: 'gpu-a', dst: 'gpu_a', stream: 's', srcOffset: 1024, dstOffset: 2048, bytes: 100 },
      { op: 'copy', src: 'registered', dst: 'main', stream: 's', mode: 'blocking-to' },
      { op: 'copy', src: 'combined', dst: 'main', mode: 'blocking-memcpy' },
      { op: 'recordEvent', event: 'pinned', stream: 's' },
      { op: 'memset', buffer: 'gpu_a', offset: 4, bytes: 8, value: 255, stream: 's' },
      { op: 'kernel', kernel: { kind: 'spin', durationNs: 20_000 }, stream: 's' },
      { op: 'kernel', kernel: { kind: 'spin', durationNs: 20_000 }, smShare: 0.5, stream: 's' },
      { op: 'kernel', kernel: { kind: 'stream', passes: 2 }, reads: ['gpu-a'], writes: ['main'], stream: 's' },
      { op: 'kernel', kernel: { kind: 'arithmetic', flops: 1e9 }, smShare: 0.25, stream: 's' },
      { op: 'kernel', kernel: { kind: 'arithmetic', flops: 1e9 }, stream: 's' },
      ...(
        [
          { factor: 'float32', product: 'product', dtype: 'float32', tf32: true, workspace: 'first-use' },
          { factor: 'float16', product: 'half-product', dtype: 'float16', tf32: false, workspace: 'before-run' },
          { factor: 'bfloat16', product: 'brain-product', dtype: 'bfloat16', tf32: false, workspace: 'before-run' },
        ] as const
      ).map(({ factor, product, ...type }) => ({
        ...{ op: 'kernel' as const, reads: [factor, factor], writes: [product], stream: 's' },
        kernel: { kind: 'matmul' as const, m: 16, n: 32, k: 24, ...type },
      })),
      { op: 'kernel', kernel: { kind: 'fft', size: 100, batch: 10 }, reads: ['float32'], writes: ['spectrum'] },
      {
        ...{ op: 'kernel', reads: ['float32'], writes: ['spectrum'], stream: 's' },
        kernel: { kind: 'fft', size: 64, batch: 16, plan: 'first-use' },
      },
      { op: 'recordEvent', event: 'end', stream: 's' },
      { op: 'waitEvent', event: 'end', stream: 'blocking' },
      { op: 'hostFunction', durationNs: 2000, stream: 'blocking' },
      { op: 'queryStream', stream: 's' },
      { op: 'queryEvent', event: 'end' },
      { op: 'synchronizeEvent', event: 'end' },
      { op: 'elapsedTime', start: 'pinned', end: 'end' },
      { op: 'item', buffer: 'main', stream: 's' },
      { op: 'allocate', buffer: 'later', stream: 's' },
      { op: 'recordStream', buffer: 'later', stream: 'blocking' },
      { op: 'free', buffer: 'later', stream: 's' },
      { op: 'allocate', buffer: 'pooled', allocator: 'pool', stream: 's' },
      { op: 'free', buffer: 'pooled', stream: 's' },
      { op: 'allocate', buffer: 'plain', allocator: 'cuda-malloc' },
      { op: 'free', buffer: 'plain' },
      { op: 'synchronizeDevice' },
      {
        op: 'range',
        name: 'outer ??/',
        operations: [
          {
            op: 'repeat',
            count: 3,
            operations: [
              {
                op: 'repeat',
                count: 2,
                operations: [
                  { op: 'work', durationNs: 1 },
                  { op: 'read', buffer: 'pinned', bytes: 4, offset: 4, stepBytes: 4 },
                  { op: 'copy', src: 'pinned', dst: 'gpu-a', bytes: 3, srcStepBytes: 8, dstStepBytes: 5 },
                ],
              },
            ],
          },
        ],
      },
      {
        op: 'graphCapture',
        graph: 'for',
        stream: 's',
        operations: [{ op: 'kernel', kernel: { kind: 'spin', durationNs: 1000 }, stream: 's' }],
      },
      { op: 'graphLaunch', graph: 'for', stream: 's' },
      ...copyStrategies.map((strategy) => ({
        op: 'multiCopy' as const,
        payload: { tensors: 5, bytes: [64, 4096], memory: 'pageable' as const },
        strategy,
        stream: 's',
      })),
      ...blockCopyStrategies.map((strategy) => ({
        ...{ op: 'blockCopy' as const, src: 'combined', dst: 'gpu-a', strategy, stream: 's' },
        ...{ blocks: 5, blockBytes: [64, 128], srcLayout: 'contiguous' as const },
        ...(strategy === 'pitched' ? { blockBytes: 64, dstPitchBytes: 128 } : {}),
      })),
      { op: 'blockCopy', src: 'gpu-a', dst: 'class', blocks: 3, blockBytes: 64, dstLayout: [0, 5, 2], stream: 's' },
      { op: 'multiCopy', direction: 'd2h', payload: { tensors: 3, bytes: 1 << 20 }, strategy: 'threaded-pinning' },
      { op: 'multiCopy', direction: 'd2d', payload: { tensors: 3, bytes: 64 }, strategy: 'pipelined' },
      { op: 'write', buffer: 'pinned', offset: 8, bytes: 16, pattern: { kind: 'random', seed: 9 } },
      { op: 'read', buffer: 'pinned', expect: { kind: 'random', seed: 9 }, offset: 8, bytes: 16 },
      { op: 'signal', signal: 'go' },
      { op: 'synchronizeStream', stream: 'legacy' },
    ],
    [
      { op: 'waitSignal', signal: 'go' },
      { op: 'kernel', kernel: { kind: 'stream' }, reads: ['shared'], writes: ['shared'], stream: 'per-thread' },
      { op: 'synchronizeStream', stream: 'per-thread' },
      { op: 'read', buffer: 'registered' },
    ],
  );
