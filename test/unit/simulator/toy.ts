/** A machine with round numbers, on which scenarios can be worked out by hand, and a trace as plain rows. */
import { readFileSync } from 'node:fs';
import type { ExperimentInput } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { type DeviceProfile, parseProfile } from '../../../core/simulator/profile.ts';
import { simulate } from '../../../core/simulator/simulate.ts';
import { type RowKind, rowKinds, type Trace } from '../../../core/trace/trace.ts';

const source = 'made up for tests';
const largest = 1_000_000_000;
/** `nsPerByte` at every size. */
const linear = (nsPerByte: number) => [
  { bytes: 1, ns: nsPerByte },
  { bytes: largest, ns: nsPerByte * largest },
];
const constant = (ns: number) => [
  { bytes: 1, ns },
  { bytes: largest, ns },
];

/** The link moves a byte a nanosecond each way, 1.5 both ways; a pinned copy's call takes 10 ns, a launch 20 ns. */
export const toyProfile: DeviceProfile = parseProfile({
  format: 'copyscope/profile',
  version: 1,
  name: 'toy',
  source,
  device: {
    source,
    name: 'Toy',
    computeCapability: '9.0',
    multiprocessors: 10,
    asyncEngineCount: 2,
    memoryBytes: 1_000_000,
    l2Bytes: 1000,
    linkGeneration: null,
    linkWidth: null,
  },
  copies: {
    h2d: {
      pinned: { source, device: linear(1), call: constant(10) },
      pageable: { source, device: linear(3), call: linear(2) },
    },
    d2h: {
      pinned: { source, device: linear(1), call: constant(10) },
      pageable: { source, device: linear(3), call: linear(3) },
    },
    d2d: { source, device: linear(0.5), call: constant(10) },
  },
  staging: { source, chunkBytes: 100, slots: 2, inlineBytes: 16, inline: constant(1) },
  calls: {
    source,
    launchNs: 20,
    coldLaunchNs: 20,
    launchWarmNs: 0,
    eventRecordNs: 5,
    eventWaitNs: 5,
    queryNs: 5,
    elapsedTimeNs: 5,
    synchronizeNs: 10,
    wakeNs: 7,
  },
  queue: { source, launchToStartNs: 3, depth: 1000, sameEngineNs: 2, acrossEnginesNs: 4 },
  kernel: {
    source,
    startNs: 0,
    deviceBytesPerSecond: 1e9,
    l2BytesPerSecond: 2e9,
    flopsPerSecond: 1e9,
    streamShares: [{ share: 1, part: 1 }],
    arithmeticShares: [
      { share: 0.25, part: 0.5 },
      { share: 0.5, part: 1 },
    ],
    mappedReadBytesPerSecond: 1e9,
    mappedWriteBytesPerSecond: 1e9,
    mappedNs: 0,
    concurrent: 3,
  },
  memset: { source, device: linear(0.5), call: constant(10) },
  hostFunction: { source, callNs: 5, startNs: 6, gapNs: 2 },
  graph: {
    source,
    beginNs: 5,
    captureNs: 1,
    end: [{ nodes: 1, ns: 10 }],
    instantiate: { kernels: [{ nodes: 1, ns: 100 }], copies: [{ nodes: 1, ns: 200 }] },
    upload: { kernels: [{ nodes: 1, ns: 30 }], copies: [{ nodes: 1, ns: 40 }] },
    launchNs: 10,
    launchKernelNodeNs: 1,
    launchCopyNodeNs: 2,
    kernelNodeNs: 1,
    copyGapNs: 3,
  },
  memory: {
    source,
    malloc: constant(50),
    free: constant(40),
    poolAllocateNs: 4,
    poolFreeNs: 3,
    hostAlloc: constant(500),
    hostFree: constant(400),
    hostRegister: constant(300),
    hostUnregister: constant(200),
    cachedNs: 1,
  },
  peer: {
    source,
    access: { device: linear(0.1), call: constant(10) },
    viaHost: { device: linear(2), call: constant(20) },
  },
  link: { source, h2dBytesPerSecond: 1e9, d2hBytesPerSecond: 1e9, bothBytesPerSecond: 1.5e9 },
  host: {
    source,
    memcpyBytesPerSecond: 1e9,
    threads: [
      { threads: 1, bytesPerSecond: 1e9 },
      { threads: 2, bytesPerSecond: 2e9 },
      { threads: 4, bytesPerSecond: 3e9 },
    ],
    wakeNs: 8,
    signalNs: 1,
  },
});

export const h200: DeviceProfile = parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8')));

export const streams: ExperimentInput['streams'] = [
  { id: 'a' },
  { id: 'b' },
  { id: 'blocking', flags: 'blocking' },
  { id: 'blocking2', flags: 'blocking' },
];
export const buffers: ExperimentInput['buffers'] = [
  { id: 'pinned', memory: 'pinned', bytes: 100_000 },
  { id: 'pinned2', memory: 'pinned', bytes: 100_000 },
  { id: 'pageable', memory: 'pageable', bytes: 100_000 },
  { id: 'device', memory: 'device', bytes: 100_000 },
  { id: 'device2', memory: 'device', bytes: 100_000 },
  { id: 'small', memory: 'device', bytes: 100 },
  { id: 'small2', memory: 'device', bytes: 100 },
];

/** Operations as a document has them; lowering validates them. */
export type Operations = readonly object[];

/** A program of one host thread for each list of operations. */
export const program = (...threads: Operations[]): Program => programWith({}, ...threads);

/** The same with other or more declarations. */
export function programWith(more: object, ...threads: Operations[]): Program {
  return lower(
    requireExperiment({
      format: 'copyscope/experiment',
      version: 1,
      name: 'test',
      buffers,
      streams,
      events: [{ id: 'e' }, { id: 'f' }],
      threads: threads.map((operations, index) => ({ id: index === 0 ? 'main' : `thread${index}`, operations })),
      ...more,
    }),
  );
}

export interface PlainRow {
  readonly start: number;
  readonly end: number;
  readonly lane: string;
  readonly engine: string;
  readonly kind: RowKind;
  readonly name: string;
  readonly op: number;
  readonly correlation: number;
}

export function plainRows(trace: Trace): PlainRow[] {
  const { columns } = trace;
  return Array.from({ length: trace.count }, (_, row) => {
    const start = columns.startNs[row] ?? Number.NaN;
    return {
      start,
      end: start + (columns.durationNs[row] ?? Number.NaN),
      lane: trace.lanes[columns.lane[row] ?? -1]?.id ?? '',
      engine: trace.lanes[columns.engine[row] ?? -1]?.id ?? '',
      kind: rowKinds[columns.kind[row] ?? -1] ?? 'host-call',
      name: trace.names[columns.name[row] ?? -1] ?? '',
      op: columns.op[row] ?? -1,
      correlation: columns.correlation[row] ?? 0,
    };
  });
}

export const run = (tested: Program, profile: DeviceProfile = toyProfile): PlainRow[] =>
  plainRows(simulate(tested, profile).trace);

/** What happened on the toy machine as [name, start, end], in order of start; marks and host calls where asked for. */
export function times(rows: readonly PlainRow[], ...kinds: RowKind[]): [name: string, start: number, end: number][] {
  return rows.filter(({ kind }) => kinds.includes(kind)).map(({ name, start, end }) => [name, start, end]);
}
