/** A small run for the window's tests: a host thread, two streams, an H2D engine and compute. */
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { type Run, type RunInfo, runFormat, runVersion } from '../../../core/trace/run.ts';
import { indexIteration } from '../../../renderer/store/opened/iterationData.ts';
import { IterationView } from '../../../renderer/store/opened/loadedRun.ts';

export const experiment = requireExperiment({
  format: 'copyscope/experiment',
  version: 1,
  name: 'Pinned, second stream',
  buffers: [
    { id: 'source', memory: 'pinned', bytes: 20 * 1024 * 1024 },
    { id: 'target', memory: 'device', bytes: 20 * 1024 * 1024 },
    { id: 'factor', memory: 'device', bytes: 20 * 1024 * 1024 },
    { id: 'product', memory: 'device', bytes: 20 * 1024 * 1024 },
  ],
  streams: [{ id: 'side' }],
  events: [{ id: 'copied' }, { id: 'multiplied' }],
  threads: [
    {
      id: 'main',
      operations: [
        { op: 'copy', src: 'source', dst: 'target', stream: 'side' },
        { op: 'recordEvent', event: 'copied', stream: 'side' },
        {
          op: 'kernel',
          label: 'multiply 3 passes',
          kernel: { kind: 'stream', passes: 3 },
          reads: ['factor'],
          writes: ['product'],
        },
        { op: 'recordEvent', event: 'multiplied' },
        { op: 'synchronizeEvent', event: 'copied' },
        { op: 'synchronizeEvent', event: 'multiplied' },
      ],
    },
  ],
});

export const MiB = 1024 * 1024;

/** Rows in order of start: call 0, copy 1, call 2, kernel 3, record mark 4, sync 5. */
export function exampleTrace() {
  const builder = new TraceBuilder();
  const main = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const side = builder.lane({ kind: 'stream', id: 'stream:side', name: 'side', device: 'gpu' });
  const other = builder.lane({ kind: 'stream', id: 'stream:legacy', name: 'legacy default', device: 'gpu' });
  const h2d = builder.lane({
    kind: 'copy-engine',
    id: 'engine:gpu:h2d',
    name: 'H2D engine',
    device: 'gpu',
    direction: 'h2d',
  });
  const compute = builder.lane({ kind: 'compute', id: 'compute:gpu', name: 'Compute', device: 'gpu' });
  builder.add({
    startNs: 0,
    durationNs: 5000,
    lane: main,
    kind: 'host-call',
    name: 'cudaMemcpyAsync',
    op: 0,
    correlation: 1,
  });
  builder.add({
    startNs: 6000,
    durationNs: 400_000,
    lane: side,
    engine: h2d,
    kind: 'copy',
    name: 'H2D',
    op: 0,
    correlation: 1,
    bytes: 20 * MiB,
    src: 'pinned',
    dst: 'device',
  });
  builder.add({
    startNs: 8000,
    durationNs: 6000,
    lane: main,
    kind: 'host-call',
    name: 'cudaLaunchKernel',
    op: 2,
    correlation: 2,
  });
  builder.add({
    startNs: 20_000,
    durationNs: 40_000,
    lane: other,
    engine: compute,
    kind: 'kernel',
    name: 'stream',
    op: 2,
    correlation: 2,
  });
  builder.add({ startNs: 60_500, durationNs: 0, lane: other, kind: 'event-record', name: 'multiplied', op: 3 });
  builder.add({
    startNs: 70_000,
    durationNs: 340_000,
    lane: main,
    kind: 'host-sync',
    name: 'cudaEventSynchronize',
    op: 4,
  });
  return builder.build();
}

export function exampleRun(trace = exampleTrace()): Run {
  const info: RunInfo = {
    format: runFormat,
    version: runVersion,
    engine: 'sim',
    status: 'complete',
    createdAt: '2026-11-20T05:00:00.000Z',
    experiment,
    device: null,
    profile: 'h200',
    machine: { os: 'Linux', cpu: 'test', cores: 2 },
    versions: { copyscope: '0.1.0', driver: null, runtime: null, cupti: null },
    timing: 'simulated',
    iterations: { recordedMakespanNs: [410_000], recordedWallNs: [], plainWallNs: [], representative: 0 },
    verification: { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] },
    notes: [],
  };
  return { info, trace };
}

export function exampleView(): IterationView {
  const run = exampleRun();
  return new IterationView(run, indexIteration(run.trace, 0));
}
