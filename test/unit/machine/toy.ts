/** A machine with round numbers for scenarios computed by hand, and a trace as plain rows. */
import { readFileSync } from 'node:fs';
import type { ExperimentInput } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { CostsOverriding } from '../../../core/machine/cost/costsOverriding.ts';
import { type Machine, machineOf } from '../../../core/machine/cost/machineOf.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import type {
  CallName,
  CopyCost,
  CostModel,
  GraphCallName,
  MachineFacts,
  MemoryCallName,
} from '../../../core/machine/costModel.ts';
import { type DeviceProfile, parseProfile } from '../../../core/machine/profile/profile.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import type { Program } from '../../../core/program/program.ts';
import { type RowKind, rowKinds, type Trace } from '../../../core/trace/trace.ts';

const largest = 1_000_000_000;
/** Returns points with `nsPerByte` at every size. */
const linear = (nsPerByte: number) => [
  [1, nsPerByte],
  [largest, nsPerByte * largest],
];
const constant = (ns: number) => [
  [1, ns],
  [largest, ns],
];

/** The link moves a byte per nanosecond, 1.5 in both directions; a pinned copy's call takes 10 ns, a launch 20. */
export const toyProfile: DeviceProfile = parseProfile({
  format: 'copyscope/profile',
  version: 2,
  name: 'toy',
  source: 'made up for tests',
  device: {
    name: 'Toy',
    computeCapability: '9.0',
    multiprocessors: 10,
    asyncEngineCount: 2,
    memoryBytes: 1_000_000,
    linkGeneration: null,
    linkWidth: null,
  },
  parameters: {
    'copies.h2d.pinned': linear(1),
    'copies.d2h.pinned': linear(1),
    'copies.h2d.pageable': linear(2),
    'copies.d2h.pageable': linear(3),
    'copies.d2d': linear(0.5),
    'copies.peer': linear(0.1),
    'copies.peerViaHost': linear(2),
    'staging.chunkBytes': 100,
    'staging.slots': 2,
    'staging.inlineBytes': 16,
    'calls.launchNs': 20,
    'calls.copyNs': 10,
    'calls.shortNs': 5,
    'calls.wakeNs': 7,
    'queue.depth': 1000,
    'queue.launchToStartNs': 3,
    'queue.sameEngineNs': 2,
    'queue.acrossEnginesNs': 4,
    'kernel.startNs': 0,
    'kernel.deviceBytesPerSecond': 1e9,
    'kernel.l2BytesPerSecond': 2e9,
    'kernel.l2Bytes': 1000,
    'kernel.flopsPerSecond': 1e9,
    'kernel.streamShares': [[1, 1]],
    'kernel.mappedBytesPerSecond': 1e9,
    'hostFunction.startNs': 6,
    'graph.instantiate': [[1, 100]],
    'graph.upload': [[1, 30]],
    'graph.kernelNodeNs': 1,
    'memory.malloc': constant(50),
    'memory.free': constant(40),
    'memory.pin': constant(500),
    'memory.unpin': constant(400),
    'link.bytesPerSecond': 1e9,
    'link.bothBytesPerSecond': 1.5e9,
    'host.memcpyBytesPerSecond': 1e9,
    'host.threads': [
      [1, 1e9],
      [2, 2e9],
      [4, 3e9],
    ],
    'host.wakeNs': 8,
  },
});

/** Returns the toy with some parameters changed. */
export const toyWith = (parameters: Partial<DeviceProfile['parameters']>): DeviceProfile => ({
  ...toyProfile,
  parameters: { ...toyProfile.parameters, ...parameters },
});

/** Calls with different times on the toy machine, so that each is visible in a scenario. */
const toyCalls: Readonly<Record<string, number>> = {
  cudaMemsetAsync: 10,
  cudaStreamSynchronize: 10,
  cudaEventSynchronize: 10,
  cudaDeviceSynchronize: 10,
  captured: 1,
  cudaStreamEndCapture: 10,
  signal: 1,
  cudaMallocAsync: 4,
  cudaFreeAsync: 3,
  'cached memory': 1,
};

/** Most kernels that run at once. */
export const mostKernels = 3;

class ToyCosts extends CostsOverriding {
  override get facts(): MachineFacts {
    return { ...this.behind.facts, concurrentKernels: mostKernels };
  }

  override callNs(call: CallName): number {
    return toyCalls[call] ?? this.behind.callNs(call);
  }

  override copy(...of: Parameters<CostModel['copy']>): CopyCost | null {
    const cost = this.behind.copy(...of);
    const [, { src, dst, from, to }, peerAccess] = of;
    if (cost === null || src !== 'device' || dst !== 'device') return cost;
    return { ...cost, callNs: from === to || peerAccess ? 10 : 20 };
  }

  override graphNs(call: GraphCallName, nodes: number): number {
    return call === 'cudaGraphLaunch' ? 10 + 1.5 * nodes : this.behind.graphNs(call, nodes);
  }

  override memset(bytes: number): ReturnType<CostModel['memset']> {
    return { ...this.behind.memset(bytes), deviceNs: bytes / 2 };
  }

  override memoryNs(call: MemoryCallName, bytes: number): number {
    if (call === 'cudaHostRegister') return 300;
    return call === 'cudaHostUnregister' ? 200 : this.behind.memoryNs(call, bytes);
  }
}

const made = new WeakMap<DeviceProfile, CostModel>();

/** Returns costs of the toy machine, or of a similar one. */
export function toyCosts(profile: DeviceProfile = toyProfile): CostModel {
  const known = made.get(profile) ?? new ToyCosts(profileCosts(profile));
  made.set(profile, known);
  return known;
}

export const h200: DeviceProfile = parseProfile(JSON.parse(readFileSync('assets/profiles/h200.json', 'utf8')));

export const h200Costs: CostModel = profileCosts(h200);
export const h200Machine: Machine = machineOf(h200);

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

/** Operations in a document's form; lowering validates them. */
export type Operations = readonly object[];

/** Returns a program of one host thread for each list of operations. */
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

/** Operations of this machine's tests: a copy from pinned memory, and a kernel. */
export const h2d = (stream: string, bytes: number, more: object = {}) =>
  ({ op: 'copy', label: 'h2d', src: 'pinned', dst: 'device', stream, bytes, ...more }) as const;
export const spin = (stream: string, durationNs: number, label = 'spin') =>
  ({ op: 'kernel', label, kernel: { kind: 'spin', durationNs }, stream }) as const;

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
  plainRows(simulate(tested, toyCosts(profile)).trace);

export const simulated = (...threads: Operations[]) => run(program(...threads));

/** Returns rows of the toy machine as [name, start, end], in order of start; marks and host calls on request. */
export function times(rows: readonly PlainRow[], ...kinds: RowKind[]): [name: string, start: number, end: number][] {
  return rows.filter(({ kind }) => kinds.includes(kind)).map(({ name, start, end }) => [name, start, end]);
}

/** Writes such rows as 'h2d 13-113, spin 117-167'. */
export const spans = (rows: readonly (readonly [name: string, start: number, end: number])[]): string =>
  rows.map(([name, start, end]) => `${name} ${start}-${end}`).join(', ');
