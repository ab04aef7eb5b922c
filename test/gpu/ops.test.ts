/** Checks of operations that need a GPU: one test for each, on the CUDA engine. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CopyscopeError } from '../../core/errors.ts';
import type { ExperimentInput } from '../../core/experiment/experiment.ts';
import type { Run } from '../../core/trace/run.ts';
import { deviceRows, hostRows, overlapping, type Row } from './rows.ts';
import { example, experiment, native, report, runOnGpu } from './support.ts';

const MiB = 1024 * 1024;
const ms = 1_000_000;
const devices = native.report().devices.length;

type Document = Omit<ExperimentInput, 'format' | 'version' | 'name' | 'threads'>;
type Operations = ExperimentInput['threads'][number]['operations'];

const run = (name: string, document: Document, ...threads: Operations[]): Promise<Run> =>
  runOnGpu(
    experiment({
      name,
      environment: { iterations: 3, warmups: 1 },
      ...document,
      threads: threads.map((operations, index) => ({ id: `thread${index}`, operations })),
    }),
  );

const spin = (durationNs: number, stream: string, smShare = 1) =>
  ({ op: 'kernel', kernel: { kind: 'spin', durationNs }, smShare, stream }) as const;
const only = (rows: readonly Row[], op: number): Row => {
  const found = rows.filter((row) => row.op === op);
  const [first] = found;
  assert.ok(first !== undefined, `operation ${op} has no row; there are ${JSON.stringify(rows)}`);
  assert.equal(found.length, 1, `operation ${op} has ${found.length} rows`);
  return first;
};
const verified = ({ info }: Run, bytes: number): void => {
  assert.equal(info.verification.bytesWrong, 0, JSON.stringify(info.verification));
  assert.ok(info.verification.bytesChecked >= bytes, `${info.verification.bytesChecked} bytes were checked`);
};
const microseconds = (ns: number): string => `${(ns / 1000).toFixed(1)} µs`;
const joined = ({ info }: Run): void =>
  assert.deepEqual(
    info.notes.filter((note) => note.includes("don't match")),
    [],
    'device records were joined',
  );

test('memset: its bytes, its row, its place in the stream', async () => {
  const result = await run(
    'memset',
    { buffers: [{ id: 'device', memory: 'device', bytes: 32 * MiB + 3 }], streams: [{ id: 's' }] },
    [
      spin(ms, 's'),
      { op: 'memset', buffer: 'device', value: 0xab, stream: 's' },
      { op: 'memset', buffer: 'device', offset: 5, bytes: 1001, value: 3, stream: 's' },
    ],
  );
  joined(result);
  const rows = deviceRows(result);
  const whole = only(rows, 1);
  assert.deepEqual([whole.kind, whole.bytes], ['memset', 32 * MiB + 3]);
  assert.ok(whole.start >= only(rows, 0).end, 'it waits for the kernel before it');
  report(`memset 32 MiB: ${(whole.bytes / (whole.end - whole.start)).toFixed(0)} GB/s`);
});

test('a repeat moves on through its buffers: every batch and every result is verified', async () => {
  const result = await runOnGpu(example('pipelines/dataset-loop'));
  joined(result);
  verified(result, 64 * MiB);
  const uploads = deviceRows(result).filter((row) => row.kind === 'copy' && row.direction === 'h2d');
  assert.deepEqual(new Set(uploads.map((row) => row.bytes)), new Set([4 * MiB]));
  assert.equal(uploads.length, 16);
  const [first, last] = [uploads[0], uploads[15]];
  assert.ok(first !== undefined && last !== undefined);
  report(`loop over a dataset: 16 batches of 4 MiB in ${microseconds(last.end - first.start)}`);
});

test('rows of a matrix: one pitched copy each way, and a tensor that is staged', async () => {
  const total = 16 * MiB;
  for (const width of [64, 256, 1024, 4096, 65_536]) {
    const shape = { blocks: Math.min(65_536, total / width), blockBytes: width, stream: 's' } as const;
    const bytes = shape.blocks * width;
    const wide = { srcPitchBytes: 2 * width, dstLayout: 'contiguous' } as const;
    const result = await run(
      `rows of ${width} bytes`,
      {
        buffers: [
          { id: 'matrix', memory: 'pinned', bytes: 2 * bytes, pattern: { kind: 'random', seed: 5 } },
          { id: 'device', memory: 'device', bytes },
          { id: 'back', memory: 'pinned', bytes: 2 * bytes },
          { id: 'staged', memory: 'device', bytes },
        ],
        streams: [{ id: 's' }],
      },
      [
        { op: 'blockCopy', src: 'matrix', dst: 'device', strategy: 'pitched', ...wide, ...shape },
        {
          ...{ op: 'blockCopy', src: 'device', dst: 'back', strategy: 'pitched', ...shape },
          ...{ srcLayout: 'contiguous', dstPitchBytes: 2 * width },
        },
        { op: 'blockCopy', src: 'matrix', dst: 'staged', strategy: 'tensor', ...wide, ...shape },
      ],
    );
    joined(result);
    verified(result, 4 * bytes);
    const rows = deviceRows(result);
    const took = [0, 1].map((op) => only(rows, op)).map((row) => row.end - row.start);
    assert.deepEqual(
      rows.map((row) => row.bytes),
      [bytes, bytes, bytes],
    );
    const each = took.map((ns) => `${microseconds(ns)}, ${(ns / shape.blocks).toFixed(1)} ns a row`);
    report(`pitched, ${shape.blocks} rows of ${width} bytes: h2d ${each[0]}; d2h ${each[1]}`);
  }
});

test('item: four bytes back, and the host waits', async () => {
  const result = await run(
    'item',
    { buffers: [{ id: 'device', memory: 'device', bytes: MiB }], streams: [{ id: 's' }] },
    [spin(2 * ms, 's'), { op: 'item', buffer: 'device', stream: 's' }],
  );
  joined(result);
  const copy = only(deviceRows(result), 1);
  assert.deepEqual([copy.kind, copy.bytes, copy.direction], ['copy', 4, 'd2h']);
  const wait = hostRows(result).find((row) => row.op === 1 && row.name === 'cudaStreamSynchronize');
  assert.ok(wait !== undefined && wait.end >= copy.start, 'the synchronise lasts until the copy');
});

test('host function: timed by the host, in the order of its stream', async () => {
  const result = await run('host function', { streams: [{ id: 's' }] }, [
    spin(ms, 's'),
    { op: 'hostFunction', durationNs: 3 * ms, stream: 's' },
    spin(ms, 's'),
  ]);
  const rows = deviceRows(result);
  const called = only(rows, 1);
  assert.equal(called.kind, 'host-function');
  assert.ok(called.end - called.start >= 3 * ms, `it lasted ${microseconds(called.end - called.start)}`);
  const tolerance = 20_000;
  assert.ok(called.start >= only(rows, 0).end - tolerance, 'it begins after the kernel before it');
  assert.ok(only(rows, 2).start >= called.end - tolerance, 'the kernel behind it waits');
});

test('event timing: elapsed time is that of the kernel between', async () => {
  const result = await run('elapsed', { streams: [{ id: 's' }], events: [{ id: 'a' }, { id: 'b' }] }, [
    { op: 'recordEvent', event: 'a', stream: 's' },
    spin(5 * ms, 's'),
    { op: 'recordEvent', event: 'b', stream: 's' },
    { op: 'synchronizeEvent', event: 'b' },
    { op: 'elapsedTime', start: 'a', end: 'b' },
  ]);
  const kernel = only(deviceRows(result), 1);
  const times = result.info.elapsedTimes?.map(({ durationNs }) => durationNs) ?? [];
  assert.equal(times.length, 3);
  const middle = times.sort((a, b) => a - b)[1] ?? 0;
  const lasted = kernel.end - kernel.start;
  report(`5 ms spin: ${microseconds(lasted)} by CUPTI, ${microseconds(middle)} by events`);
  assert.ok(Math.abs(middle - lasted) < 0.05 * lasted, `${middle} ns by events, ${lasted} ns by CUPTI`);
  const early = run('early', { streams: [{ id: 's' }], events: [{ id: 'a' }, { id: 'b' }] }, [
    { op: 'recordEvent', event: 'a', stream: 's' },
    spin(50 * ms, 's'),
    { op: 'recordEvent', event: 'b', stream: 's' },
    { op: 'elapsedTime', start: 'a', end: 'b' },
  ]);
  await assert.rejects(early, (error) => error instanceof CopyscopeError && error.code === 'run.event-not-complete');
});

test('memory of every page-locked kind copies at about the pinned rate, and overlaps a kernel', async () => {
  const bytes = 64 * MiB;
  const rates = new Map<string, number>();
  for (const memory of ['pinned', 'pinned-write-combined', 'mapped', 'registered'] as const) {
    const result = await run(
      memory,
      {
        buffers: [
          { id: 'host', memory, bytes },
          { id: 'device', memory: 'device', bytes },
        ],
        streams: [{ id: 'copy' }, { id: 'compute' }],
      },
      [spin(4 * ms, 'compute'), { op: 'copy', src: 'host', dst: 'device', stream: 'copy' }],
    );
    joined(result);
    verified(result, bytes);
    const [kernel, copy] = [only(deviceRows(result), 0), only(deviceRows(result), 1)];
    assert.ok(overlapping(kernel, copy), `a copy from ${memory} memory overlaps a kernel`);
    rates.set(memory, bytes / (copy.end - copy.start));
  }
  report(`H2D 64 MiB: ${[...rates].map(([memory, rate]) => `${memory} ${rate.toFixed(1)} GB/s`).join(', ')}`);
  const pinned = rates.get('pinned') ?? 0;
  for (const [memory, rate] of rates) assert.ok(rate > 0.8 * pinned, `${memory}: ${rate} GB/s against ${pinned}`);
});

test('mapped memory: a kernel moves the bytes over the link by itself while another kernel runs', async () => {
  const bytes = 64 * MiB;
  const result = await run(
    'mapped',
    {
      buffers: [
        { id: 'host', memory: 'mapped', bytes },
        { id: 'device', memory: 'device', bytes },
      ],
      streams: [{ id: 'a' }, { id: 'b' }],
    },
    [
      {
        op: 'kernel',
        kernel: { kind: 'stream', passes: 1 },
        reads: ['host'],
        writes: ['device'],
        smShare: 0.5,
        stream: 'a',
      },
      spin(3 * ms, 'b'),
    ],
  );
  joined(result);
  verified(result, bytes);
  const [moving, other] = [only(deviceRows(result), 0), only(deviceRows(result), 1)];
  assert.equal(moving.kind, 'kernel');
  assert.ok(overlapping(moving, other), 'both run at once, with no copy engine');
  const rate = bytes / (moving.end - moving.start);
  report(`kernel over mapped memory: ${rate.toFixed(1)} GB/s`);
  assert.ok(rate > 5 && rate < 200, `${rate} GB/s is what a link can do, not device memory`);
});

test('arithmetic kernels: time grows with the operations and with a smaller share of the SMs', async () => {
  const flops = 4e11;
  const kernel = (work: number, smShare: number) =>
    ({ op: 'kernel', kernel: { kind: 'arithmetic', flops: work }, smShare, stream: 's' }) as const;
  const result = await run('arithmetic', { streams: [{ id: 's' }] }, [
    // An idle GPU has a fraction of its clock rate, and reaches the full rate after some hundred milliseconds.
    kernel(20 * flops, 1),
    kernel(flops, 1),
    kernel(4 * flops, 1),
    kernel(flops, 0.25),
  ]);
  const rows = deviceRows(result);
  const took = [1, 2, 3].map((op) => only(rows, op)).map(({ start, end }) => end - start);
  const [one = 0, four = 0, quarter = 0] = took;
  report(
    `arithmetic: ${(flops / one / 1000).toFixed(1)} TFLOP/s whole, ${(flops / quarter / 1000).toFixed(1)} on a quarter`,
  );
  assert.ok(four > 3 * one && four < 5 * one, `four times the work took ${four / one} times as long`);
  assert.ok(quarter > 3 * one && quarter < 5 * one, `on a quarter of the SMs it took ${quarter / one} times as long`);
});

test('priorities: an urgent kernel gets in before waiting blocks of one that fills the device', async () => {
  const low = { op: 'kernel', kernel: { kind: 'arithmetic', flops: 2e11 }, smShare: 1, stream: 'low' } as const;
  const urgent = { op: 'kernel', kernel: { kind: 'arithmetic', flops: 1e9 }, smShare: 1, stream: 'other' } as const;
  const delay = async (priority: number): Promise<number> => {
    const result = await run(
      `priority ${priority}`,
      {
        streams: [
          { id: 'low', priority: 0 },
          { id: 'other', priority },
        ],
      },
      [low, low, low, low, { op: 'work', durationNs: 500_000 }, urgent],
    );
    const rows = deviceRows(result);
    return only(rows, 5).end - only(rows, 0).start;
  };
  const [equal, high] = [await delay(0), await delay(-5)];
  report(
    `a small kernel behind four large ones ends after ${microseconds(high)} when urgent, ${microseconds(equal)} when not`,
  );
  assert.ok(high <= equal * 1.1, `urgent ${high} ns, equal ${equal} ns`);
});

test('launch blocking: each call lasts as long as its work', async () => {
  const call = async (launchBlocking: boolean): Promise<number> => {
    const result = await run(
      'launch blocking',
      { environment: { launchBlocking, iterations: 3, warmups: 1 }, streams: [{ id: 's' }] },
      [spin(3 * ms, 's')],
    );
    const [row] = hostRows(result);
    return row === undefined ? 0 : row.end - row.start;
  };
  const [held, free] = [await call(true), await call(false)];
  assert.ok(held >= 3 * ms, `the blocking launch took ${microseconds(held)}`);
  assert.ok(free < ms, `the plain launch took ${microseconds(free)}`);
});

test('graphs: captured operations run at each launch, faster for the host than calls one by one', async () => {
  const kernels = 50;
  const plainKernels = { op: 'repeat', count: kernels, operations: [spin(1000, 's')] } as const;
  const buffers = [
    { id: 'host', memory: 'pinned', bytes: MiB },
    { id: 'device', memory: 'device', bytes: MiB },
  ] as const;
  const result = await run('graph', { buffers: [...buffers], streams: [{ id: 's' }] }, [
    {
      op: 'graphCapture',
      graph: 'g',
      stream: 's',
      operations: [
        { op: 'copy', src: 'host', dst: 'device', stream: 's' },
        plainKernels,
        { op: 'memset', buffer: 'device', bytes: 1024, value: 9, stream: 's' },
        { op: 'hostFunction', durationNs: 10_000, stream: 's' },
      ],
    },
    { op: 'graphLaunch', graph: 'g', stream: 's' },
    { op: 'graphLaunch', graph: 'g', stream: 's' },
    { op: 'synchronizeStream', stream: 's' },
    plainKernels,
  ]);
  joined(result);
  verified(result, MiB);
  const [rows, host] = [deviceRows(result), hostRows(result)];
  const launches = host.filter((row) => row.name === 'cudaGraphLaunch');
  assert.equal(launches.length, 2);
  const count = (kind: string, correlation: number): number =>
    rows.filter((row) => row.kind === kind && row.correlation === correlation).length;
  for (const { correlation } of launches) {
    assert.equal(count('copy', correlation), 1, 'a copy for each launch');
    assert.equal(count('kernel', correlation), kernels, 'all kernels for each launch');
    assert.equal(count('memset', correlation), 1, 'a memset for each launch');
    assert.equal(count('host-function', correlation), 1, 'a host function for each launch');
  }
  const calls = host.filter((row) => row.name === 'cudaLaunchKernel').slice(-kernels);
  const oneByOne = calls.reduce((sum, row) => sum + row.end - row.start, 0);
  const cost = (name: string): number => {
    const row = host.find((candidate) => candidate.name === name);
    assert.ok(row !== undefined, `there is a row for ${name}`);
    return row.end - row.start;
  };
  const launch = Math.min(...launches.map((row) => row.end - row.start));
  report(
    `graph of ${kernels + 3}: instantiate ${microseconds(cost('cudaGraphInstantiate'))}, upload ${microseconds(cost('cudaGraphUpload'))}, ` +
      `launch ${microseconds(launch)}; ${kernels} launches one by one ${microseconds(oneByOne)}`,
  );
  assert.ok(launch < oneByOne, `the graph's launch took ${launch} ns, ${kernels} calls ${oneByOne} ns`);
});

test('a graph over two streams: branches overlap, and each operation has its own rows', async () => {
  const result = await run(
    'forked graph',
    { streams: [{ id: 'main' }, { id: 'side' }], events: [{ id: 'fork' }, { id: 'join' }] },
    [
      {
        op: 'graphCapture',
        graph: 'g',
        stream: 'main',
        operations: [
          { op: 'recordEvent', event: 'fork', stream: 'main' },
          { op: 'waitEvent', event: 'fork', stream: 'side' },
          spin(2 * ms, 'main'),
          spin(3 * ms, 'side'),
          { op: 'recordEvent', event: 'join', stream: 'side' },
          { op: 'waitEvent', event: 'join', stream: 'main' },
          spin(ms, 'main'),
        ],
      },
      { op: 'graphLaunch', graph: 'g', stream: 'main' },
    ],
  );
  joined(result);
  const rows = deviceRows(result);
  const [long, longer, last] = [only(rows, 3), only(rows, 4), only(rows, 7)];
  assert.ok(overlapping(long, longer), 'the branches overlap');
  assert.ok(longer.end - longer.start >= 3 * ms && long.end - long.start < 2.5 * ms, 'each has its own time');
  assert.ok(last.start >= longer.end && last.start >= long.end, 'the last one waits for both');
});

test('cudaMalloc, pools and the caching allocator: contents, calls and statistics', async () => {
  const bytes = 8 * MiB;
  for (const allocator of ['cuda-malloc', 'pool', 'caching'] as const) {
    const result = await run(
      allocator,
      {
        buffers: [
          { id: 'host', memory: 'pinned', bytes },
          { id: 'device', memory: 'device', bytes, allocated: 'by-operation' },
          { id: 'back', memory: 'pinned', bytes },
        ],
        streams: [{ id: 's' }],
      },
      [
        { op: 'allocate', buffer: 'device', allocator, stream: 's' },
        spin(3 * ms, 's'),
        { op: 'copy', src: 'host', dst: 'device', stream: 's' },
        { op: 'copy', src: 'device', dst: 'back', stream: 's' },
        { op: 'free', buffer: 'device', stream: 's' },
        { op: 'synchronizeStream', stream: 's' },
      ],
    );
    joined(result);
    verified(result, bytes);
    const host = hostRows(result);
    const cost = (op: number): string => {
      const row = only(host, op);
      return `${row.name} ${microseconds(row.end - row.start)}`;
    };
    report(`${allocator}, 8 MiB: ${cost(0)}, ${cost(4)}`);
    const names = [only(host, 0).name, only(host, 4).name];
    if (allocator === 'cuda-malloc') assert.deepEqual(names, ['cudaMalloc', 'cudaFree']);
    if (allocator === 'pool') assert.deepEqual(names, ['cudaMallocAsync', 'cudaFreeAsync']);
    if (allocator === 'caching') {
      const [state] = result.info.memory ?? [];
      assert.deepEqual([state?.segmentsAllocated, state?.reservedBytes], [1, 20 * MiB]);
    }
    // cudaFree waits for the copies before it.
    const [freed, back] = [only(host, 4), only(deviceRows(result), 3)];
    assert.equal(freed.end >= back.end, allocator === 'cuda-malloc', `${allocator}: whether the free waits`);
  }
});

test('a pool gives freed memory back at each synchronise with the default threshold, and keeps it with a higher one', async () => {
  const bytes = 64 * MiB;
  const held = async (poolReleaseThreshold: number) => {
    const result = await run(
      'pool threshold',
      {
        environment: { poolReleaseThreshold },
        buffers: [{ id: 'device', memory: 'device', bytes, allocated: 'by-operation' }],
        streams: [{ id: 's' }],
      },
      [
        { op: 'allocate', buffer: 'device', allocator: 'pool', stream: 's' },
        { op: 'memset', buffer: 'device', stream: 's' },
        { op: 'free', buffer: 'device', stream: 's' },
        { op: 'synchronizeStream', stream: 's' },
      ],
    );
    const [state] = result.info.memory ?? [];
    const steps = state?.reservedSteps.filter(({ iteration }) => iteration === 0) ?? [];
    const [malloc, wait] = [only(hostRows(result), 0), only(hostRows(result), 3)];
    const costs = [malloc, wait].map((row) => `${row.name} ${microseconds(row.end - row.start)}`).join(', ');
    report(`pool keeps ${poolReleaseThreshold}: ${costs}, reserved ${steps.map((step) => step.bytes).join(', ')}`);
    return { steps: steps.map((step) => step.bytes), peak: state?.peakReservedBytes ?? 0, end: state?.reservedBytes };
  };
  const [given, kept] = [await held(0), await held(2 ** 30)];
  assert.ok(given.peak >= bytes && kept.peak >= bytes, 'both reserve what the buffer needs');
  assert.deepEqual([given.end, given.steps.at(-1)], [0, 0]);
  assert.deepEqual([kept.end, kept.steps], [kept.peak, [kept.peak]]);
});

test('record_stream: without it a freed block is overwritten under another stream, with it it is not', async () => {
  const bytes = 4 * MiB;
  const wrong = async (told: boolean): Promise<number> => {
    const result = await run(
      'record_stream',
      {
        buffers: [
          { id: 'source', memory: 'pinned', bytes, pattern: { kind: 'random', seed: 5 } },
          { id: 'victim', memory: 'device', bytes, allocated: 'by-operation' },
          { id: 'next', memory: 'device', bytes, allocated: 'by-operation' },
          { id: 'back', memory: 'pinned', bytes },
        ],
        streams: [{ id: 'own' }, { id: 'side' }],
      },
      [
        { op: 'allocate', buffer: 'victim', stream: 'own' },
        { op: 'copy', src: 'source', dst: 'victim', stream: 'own' },
        { op: 'synchronizeStream', stream: 'own' },
        spin(5 * ms, 'side'),
        { op: 'copy', src: 'victim', dst: 'back', stream: 'side' },
        ...(told ? [{ op: 'recordStream', buffer: 'victim', stream: 'side' } as const] : []),
        { op: 'free', buffer: 'victim', stream: 'own' },
        { op: 'allocate', buffer: 'next', stream: 'own' },
        { op: 'memset', buffer: 'next', value: 9, stream: 'own' },
        { op: 'synchronizeDevice' },
        { op: 'read', buffer: 'back', expect: { kind: 'random', seed: 5 } },
      ],
    );
    const reads = result.info.verification.checks.filter(({ kind }) => kind === 'read');
    return reads.reduce((sum, { bytesWrong }) => sum + bytesWrong, 0);
  };
  const [without, withIt] = [await wrong(false), await wrong(true)];
  report(`record_stream: ${without} wrong bytes without it, ${withIt} with it`);
  assert.ok(without > 0, 'the block was handed out again at once');
  assert.equal(withIt, 0);
});

test('pin_memory: the caching host allocator page-locks once, and later rounds are served from its cache', async () => {
  const bytes = 16 * MiB;
  const result = await run(
    'pin',
    {
      buffers: [
        { id: 'pageable', memory: 'pageable', bytes },
        { id: 'pinned', memory: 'pinned', bytes, allocated: 'by-operation' },
        { id: 'device', memory: 'device', bytes },
      ],
      streams: [{ id: 's' }],
    },
    [
      { op: 'pin', src: 'pageable', dst: 'pinned' },
      { op: 'copy', src: 'pinned', dst: 'device', stream: 's' },
      { op: 'synchronizeStream', stream: 's' },
    ],
  );
  joined(result);
  verified(result, bytes);
  const state = result.info.memory?.find(({ allocator }) => allocator === 'caching-host');
  assert.deepEqual([state?.segmentsAllocated, state?.reservedBytes], [1, bytes]);
  assert.ok(
    hostRows(result).every((row) => row.name !== 'cudaHostAlloc'),
    'recorded rounds need no cudaHostAlloc',
  );
  const copy = only(deviceRows(result), 1);
  assert.ok(bytes / (copy.end - copy.start) > 20, 'the copy is a page-locked one');
});

test('CUDA events stand in for CUPTI: memsets, items and host functions have times, graphs a note', async () => {
  const document = experiment({
    name: 'events',
    buffers: [{ id: 'device', memory: 'device', bytes: MiB }],
    streams: [{ id: 's' }],
    operations: [
      { op: 'memset', buffer: 'device', stream: 's' },
      { op: 'hostFunction', durationNs: ms, stream: 's' },
      { op: 'item', buffer: 'device', stream: 's' },
      { op: 'graphCapture', graph: 'g', stream: 's', operations: [spin(1000, 's')] },
      { op: 'graphLaunch', graph: 'g', stream: 's' },
    ],
  });
  const result = await runOnGpu(document, { timing: 'cuda-events' });
  assert.deepEqual(
    deviceRows(result).map((row) => row.kind),
    ['memset', 'host-function', 'copy'],
  );
  assert.ok(
    result.info.notes.some((note) => note.includes('graphs have no device times')),
    result.info.notes.join('\n'),
  );
});

const single = devices < 2 ? `there ${devices === 1 ? 'is one GPU' : `are ${devices} GPUs`}` : false;

test('two GPUs: peer copies with and without peer access, each byte verified', { skip: single }, async () => {
  const bytes = 256 * MiB;
  for (const peerAccess of [false, true]) {
    const result = await run(
      'peer',
      {
        environment: { peerAccess, iterations: 3, warmups: 1 },
        devices: [
          { id: 'a', index: 0 },
          { id: 'b', index: 1 },
        ],
        buffers: [
          { id: 'here', memory: 'device', device: 'a', bytes },
          { id: 'there', memory: 'device', device: 'b', bytes },
        ],
        streams: [{ id: 's', device: 'a' }],
      },
      [
        { op: 'copy', src: 'here', dst: 'there', stream: 's' },
        { op: 'synchronizeStream', stream: 's' },
      ],
    );
    report(`peer notes: ${result.info.notes.join(' | ') || 'none'}`);
    verified(result, bytes);
    joined(result);
    const copy = only(deviceRows(result), 0);
    const rate = bytes / (copy.end - copy.start);
    assert.ok(rate > 5 && rate < 1000, `${rate} GB/s is no rate of a link`);
    report(`peer copy 256 MiB, access ${peerAccess ? 'on' : 'off'}: ${rate.toFixed(1)} GB/s`);
    assert.deepEqual([copy.kind, copy.direction], ['copy', 'd2d']);
  }
});

test('two GPUs: kernels run on both at once, and a mask counts the visible ones', { skip: single }, async () => {
  const result = await run(
    'both',
    {
      environment: { visibleDevices: [1, 0], iterations: 3, warmups: 1 },
      devices: [
        { id: 'first', index: 0 },
        { id: 'second', index: 1 },
      ],
      streams: [
        { id: 'a', device: 'first' },
        { id: 'b', device: 'second' },
      ],
    },
    [
      { op: 'kernel', kernel: { kind: 'arithmetic', flops: 1e11 }, stream: 'a' },
      { op: 'kernel', kernel: { kind: 'arithmetic', flops: 1e11 }, stream: 'b' },
    ],
  );
  joined(result);
  const rows = deviceRows(result);
  assert.ok(overlapping(only(rows, 0), only(rows, 1)), 'kernels that fill a device each overlap');
  assert.equal(result.info.device?.index, 1, "the run's device is the first visible one");
});
