/** A small run for the window's tests: a host thread, two streams, an H2D engine and compute. */
import { TraceBuilder } from '../../../core/trace/builder.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowKind } from '../../../core/trace/trace.ts';
import { indexIteration } from '../../../renderer/store/opened/iterationData.ts';
import { IterationView } from '../../../renderer/store/opened/loadedRun.ts';
import { experimentOf } from '../support/experiments.ts';
import { lanes, runInfo } from '../trace/fixtures.ts';

export const MiB = 1024 * 1024;

const device = ['target', 'factor', 'product'].map((id) => ({ id, memory: 'device', bytes: 20 * MiB }));
const multiply = { label: 'multiply 3 passes', kernel: { kind: 'stream', passes: 3 } };

export const experiment = experimentOf(
  {
    name: 'Pinned, second stream',
    buffers: [{ id: 'source', memory: 'pinned', bytes: 20 * MiB }, ...device],
    streams: [{ id: 'side' }],
    events: [{ id: 'copied' }, { id: 'multiplied' }],
  },
  [
    { op: 'copy', src: 'source', dst: 'target', stream: 'side' },
    { op: 'recordEvent', event: 'copied', stream: 'side' },
    { op: 'kernel', ...multiply, reads: ['factor'], writes: ['product'] },
    { op: 'recordEvent', event: 'multiplied' },
    { op: 'synchronizeEvent', event: 'copied' },
    { op: 'synchronizeEvent', event: 'multiplied' },
  ],
);

/** Rows in order of start: call 0, copy 1, call 2, kernel 3, record mark 4, sync 5. */
export function exampleTrace() {
  const builder = new TraceBuilder();
  const main = builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' });
  const side = builder.lane({ kind: 'stream', id: 'stream:side', name: 'side', device: 'gpu' });
  const other = builder.lane({ kind: 'stream', id: 'stream:legacy', name: 'legacy default', device: 'gpu' });
  const h2d = builder.lane(lanes.h2d);
  const compute = builder.lane({ kind: 'compute', id: 'compute:gpu', name: 'Compute', device: 'gpu' });
  const row = (startNs: number, durationNs: number, lane: number, kind: RowKind, name: string, more: object): void =>
    builder.add({ startNs, durationNs, lane, kind, name, ...more });
  const memory = { bytes: 20 * MiB, src: 'pinned', dst: 'device' };
  row(0, 5000, main, 'host-call', 'cudaMemcpyAsync', { op: 0, correlation: 1 });
  row(6000, 400_000, side, 'copy', 'H2D', { engine: h2d, op: 0, correlation: 1, ...memory });
  row(8000, 6000, main, 'host-call', 'cudaLaunchKernel', { op: 2, correlation: 2 });
  row(20_000, 40_000, other, 'kernel', 'stream', { engine: compute, op: 2, correlation: 2 });
  row(60_500, 0, other, 'event-record', 'multiplied', { op: 3 });
  row(70_000, 340_000, main, 'host-sync', 'cudaEventSynchronize', { op: 4 });
  return builder.build();
}

export function exampleRun(trace = exampleTrace()): Run {
  const info = runInfo({
    ...{ engine: 'sim', timing: 'simulated', experiment, profile: 'h200' },
    iterations: { recordedMakespanNs: [410_000], recordedWallNs: [], plainWallNs: [], representative: 0 },
    verification: { bytesChecked: 0, bytesWrong: 0, checks: [], unverified: [] },
  });
  return { info, trace };
}

export function exampleView(): IterationView {
  const run = exampleRun();
  return new IterationView(run, indexIteration(run.trace, 0));
}
