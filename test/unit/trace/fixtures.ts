/** Traces and runs for the tests of core/trace: small ones, and random ones for properties. */
import fc from 'fast-check';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import type { Run, RunInfo } from '../../../core/trace/run.ts';
import { channelTypes, type Lane, memoryKinds, type RowKind, rowKinds, type Trace } from '../../../core/trace/trace.ts';
import { experimentOf } from '../support/experiments.ts';

export const lanes = {
  main: { kind: 'host-thread', id: 'thread:main', name: 'main', device: '' },
  copy: { kind: 'stream', id: 'stream:copy', name: 'copy', device: 'gpu' },
  compute: { kind: 'stream', id: 'stream:compute', name: 'compute', device: 'gpu' },
  h2d: { kind: 'copy-engine', id: 'engine:gpu:h2d', name: 'H2D engine', device: 'gpu', direction: 'h2d' },
  sm: { kind: 'compute', id: 'compute:gpu', name: 'Compute', device: 'gpu' },
} as const satisfies Record<string, Lane>;

/** Returns a copy and a kernel at once, each with its call, and a synchronise; the same in each iteration. */
export function smallTrace(iterations = 2): Trace {
  const builder = new TraceBuilder();
  const [main, copy, compute, h2d, sm] = Object.values(lanes).map((lane) => builder.lane(lane));
  if (main === undefined || copy === undefined || compute === undefined) throw new Error('lanes');
  for (let iteration = 0; iteration < iterations; iteration += 1) {
    const row = (startNs: number, durationNs: number, kind: RowKind, name: string, more: object): void =>
      builder.add({ startNs, durationNs, kind, name, iteration, lane: main, ...more });
    row(0, 1000, 'host-call', 'cudaMemcpyAsync', { op: 0, correlation: 1 });
    row(1000, 500, 'host-call', 'cudaLaunchKernel', { op: 1, correlation: 2 });
    row(1500, 8500, 'host-sync', 'cudaDeviceSynchronize', { op: 2 });
    const memory = { src: 'pinned', dst: 'device', bytes: 4096, channel: 3, channelType: 'async-memcpy' };
    row(2000, 6000, 'copy', 'H2D 4.00 KiB', { op: 0, correlation: 1, lane: copy, engine: h2d, ...memory });
    row(2500, 7000, 'kernel', 'spin kernel', { op: 1, correlation: 2, lane: compute, engine: sm });
    row(9500, 0, 'event-record', 'done', { lane: compute });
  }
  return builder.build();
}

const buffers = [
  { id: 'source', memory: 'pinned', bytes: 4096 },
  { id: 'target', memory: 'device', bytes: 4096 },
];

export function runInfo(changes: Partial<RunInfo> = {}): RunInfo {
  return {
    format: 'copyscope/run',
    version: 1,
    engine: 'cuda',
    status: 'complete',
    createdAt: '2026-11-20T05:00:00.000Z',
    experiment: experimentOf({ name: 'Copy beside a kernel – 試験', buffers }, [
      { op: 'copy', src: 'source', dst: 'target' },
      { op: 'kernel', kernel: { kind: 'spin', durationNs: 7000 } },
      { op: 'synchronizeDevice' },
    ]),
    device: null,
    machine: { os: 'Linux', cpu: 'a processor', cores: 2 },
    versions: { copyscope: '0.1.0', driver: '13.0', runtime: '13.0', cupti: null },
    timing: 'cupti',
    iterations: { recordedMakespanNs: [10_000, 10_000], recordedWallNs: [], plainWallNs: [], representative: 0 },
    verification: { bytesChecked: 4096, bytesWrong: 0, checks: [], unverified: [] },
    notes: ['A note.'],
    ...changes,
  };
}

export const smallRun = (): Run => ({ info: runInfo(), trace: smallTrace() });

const laneArbitrary: fc.Arbitrary<Lane[]> = fc
  .uniqueArray(fc.string({ minLength: 1, maxLength: 8 }), { minLength: 4, maxLength: 10 })
  .map((ids) =>
    ids.map((id, index): Lane => {
      const kind = (['host-thread', 'stream', 'copy-engine', 'compute'] as const)[index % 4] ?? 'stream';
      const direction = kind === 'copy-engine' ? { direction: 'd2h' as const } : {};
      return { kind, id, name: `lane ${id}`, device: kind === 'host-thread' ? '' : 'gpu', ...direction };
    }),
  );

const timeArbitrary = fc.oneof(fc.nat({ max: 1000 }), fc.double({ min: 0, max: 1e12, noNaN: true }));
const int32 = (least: number) => fc.integer({ min: least, max: 0x7fffffff });
const rowArbitrary = fc.record({
  startNs: timeArbitrary,
  durationNs: timeArbitrary,
  laneChoice: fc.nat(),
  engineChoice: fc.option(fc.nat()),
  kind: fc.constantFrom(...rowKinds),
  name: fc.string({ maxLength: 6, unit: 'binary' }),
  op: int32(-1),
  correlation: int32(0),
  iteration: fc.oneof(fc.nat({ max: 3 }), int32(0)),
  bytes: fc.double({ min: 0, max: 1e15, noNaN: true }),
  src: fc.constantFrom(...memoryKinds),
  dst: fc.constantFrom(...memoryKinds),
  channel: int32(-1),
  channelType: fc.constantFrom(...channelTypes),
});

/** Any trace that the builder accepts. */
export const traceArbitrary: fc.Arbitrary<Trace> = fc
  .tuple(laneArbitrary, fc.array(rowArbitrary, { maxLength: 60 }))
  .map(([declared, rows]) => {
    const builder = new TraceBuilder();
    for (const lane of declared) builder.lane(lane);
    const pick = (choice: number, fits: (lane: Lane) => boolean): number => {
      const fitting = declared.flatMap((lane, index) => (fits(lane) ? [index] : []));
      return fitting[choice % fitting.length] ?? -1;
    };
    for (const { laneChoice, engineChoice, ...row } of rows) {
      const onHost = row.kind.startsWith('host-') && row.kind !== 'host-function';
      const lane = pick(laneChoice, ({ kind }) => kind === (onHost ? 'host-thread' : 'stream'));
      const isEngine = ({ kind }: Lane): boolean => kind === 'copy-engine' || kind === 'compute';
      builder.add({ ...row, lane, engine: engineChoice === null ? -1 : pick(engineChoice, isEngine) });
    }
    return builder.build();
  });
