/**
 * Every parameter of a device profile: its unit, its default, the probe that measures it, and the text that explains
 * it. The schema, calibration, the table in docs/reference/profile.md and the ablation (node bench/run.mjs ablation) are
 * derived from this: a new parameter is one row.
 */

import { frontendNs } from '../../program/frontend.ts';

/** Keys of a table's points, with the unit of their values. */
export const tableKeys = { bytes: 'ns', nodes: 'ns', share: 'part', threads: 'bytesPerSecond' } as const;
export type PointKey = keyof typeof tableKeys;

export interface Parameter {
  readonly unit: 'ns' | 'B/s' | 'B' | 'part' | 'count' | 'flop/s';
  /** Key of a table; missing for a single number. */
  readonly by?: PointKey;
  /** Default if the profile lacks the parameter. Without a default, every profile must have it. */
  readonly without?: number | null;
  readonly what: string;
  /** Probe that measures it; null if none can. */
  readonly probe: string | null;
  /** Replacement in the ablation: a number, or another parameter. Default: `without`. */
  readonly ablated?: number | string;
}

/** Without the profile's own figures these are one H200's, in `sources` of h200.json. No probe measures them. */
const managed = <Unit extends 'B/s' | 'ns'>(unit: Unit, without: number) =>
  ({ unit, without, what: 'Pages of managed memory.', probe: null }) as const;

export const registry = {
  'copies.h2d.pinned': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies h2d pinned' },
    what: 'Page-locked copies.',
  },
  'copies.d2h.pinned': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2h pinned' },
    what: 'Page-locked copies.',
  },
  'copies.h2d.pageable': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies h2d pageable' },
    what: 'Calls of pageable copies.',
  },
  'copies.d2h.pageable': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2h pageable' },
    what: 'Calls of pageable copies.',
  },
  'copies.d2d': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2d' },
    what: 'Copies within the device, memsets of twice the size.',
  },
  'copies.peer': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: 'copies between devices' },
    what: 'Copies between devices.',
  },
  'copies.peerViaHost': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: 'copies between devices' },
    what: 'Copies between devices.',
  },
  'copies.batchEntryNs': {
    ...{ unit: 'ns', without: null, probe: null },
    what: 'Engine’s time for an entry of a cudaMemcpyBatchAsync, beyond its bytes.',
  },
  'copies.pitchedRowNs': {
    ...{ unit: 'ns', without: null, probe: null },
    what: 'Engine’s least time for a cudaMemcpy2DAsync’s row.',
  },
  'staging.chunkBytes': {
    ...{ unit: 'B', probe: 'staging' },
    what: 'Size of staged pieces.',
  },
  'staging.slots': {
    unit: 'count',
    probe: null,
    ablated: 1,
    what: 'Pieces staged ahead of the copy engine.',
  },
  'staging.inlineBytes': {
    ...{ unit: 'B', probe: 'copies h2d pageable', ablated: 0 },
    what: 'Largest pageable copy in the command buffer.',
  },
  'calls.launchNs': {
    unit: 'ns',
    probe: 'launches',
    ablated: 0,
    what: 'Call that launches on the compute channel.',
  },
  'calls.copyNs': {
    unit: 'ns',
    probe: 'copies h2d pinned',
    ablated: 0,
    what: 'Call that issues a page-locked copy.',
  },
  'calls.batchEntryNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Call’s time for an entry of a cudaMemcpyBatchAsync.',
  },
  'calls.peerViaHost': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: null },
    what: 'Calls of copies between devices without peer access.',
  },
  'calls.shortNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'Call that issues no work: event, query, captured call, pooled memory.',
  },
  'calls.pytorchTensorNs': {
    ...{ unit: 'ns', without: frontendNs.tensor, probe: null },
    what: 'PyTorch’s own time.',
  },
  'calls.pytorchHandleNs': {
    ...{ unit: 'ns', without: frontendNs.handle, probe: null },
    what: 'PyTorch’s own time.',
  },
  'calls.pytorchStreamNs': {
    ...{ unit: 'ns', without: frontendNs.stream, probe: null },
    what: 'PyTorch’s own time.',
  },
  'calls.contendedNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Delay behind another thread’s call in a multi-tensor copy.',
  },
  'calls.afterStagedPart': {
    ...{ unit: 'part', without: 0, probe: null },
    what: 'Extra part of first calls after a pageable copy of `calls.stagedBytes`.',
  },
  'calls.stagedBytes': {
    ...{ unit: 'B', without: null, probe: null },
    what: 'Pageable copies of this size empty processor caches.',
  },
  'calls.wakeNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'From work’s end to the waiting call’s return.',
  },
  'queue.depth': {
    unit: 'count',
    probe: 'queue depth',
    ablated: 1e6,
    what: 'Pending operations of a stream before calls block.',
  },
  'queue.launchToStartNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'From a call’s return to the start on an idle device.',
  },
  'queue.sameEngineNs': {
    ...{ unit: 'ns', probe: 'from one to the next', ablated: 0 },
    what: 'Gap between operations.',
  },
  'queue.acrossEnginesNs': {
    ...{ unit: 'ns', probe: 'from one to the next', ablated: 0 },
    what: 'Gap between operations.',
  },
  'queue.acrossDevicesNs': {
    ...{ unit: 'ns', without: null, probe: null, ablated: 'queue.acrossEnginesNs' },
    what: 'Gap between operations.',
  },
  'kernel.startNs': { unit: 'ns', probe: 'spin', ablated: 0, what: 'Kernel beyond its work.' },
  'kernel.deviceBytesPerSecond': {
    unit: 'B/s',
    probe: 'kernel memory',
    what: 'Byte-streaming kernels.',
  },
  'kernel.l2BytesPerSecond': {
    ...{ unit: 'B/s', probe: 'kernel cache', ablated: 'kernel.deviceBytesPerSecond' },
    what: 'Byte-streaming kernels.',
  },
  'kernel.l2Bytes': { unit: 'B', probe: 'kernel cache', ablated: 0, what: 'Data that L2 keeps.' },
  'kernel.memoryLatencyNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'Shortest pass.',
  },
  'kernel.l2LatencyNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'Shortest pass.',
  },
  'kernel.flopsPerSecond': {
    unit: 'flop/s',
    probe: 'multiprocessors',
    what: 'Single-precision operations.',
  },
  'kernel.arithmeticNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'Arithmetic kernel beyond its arithmetic.',
  },
  'kernel.fillBytes': {
    ...{ unit: 'B', without: 1, probe: null },
    what: 'Least bytes that fill the device.',
  },
  'kernel.streamShares': {
    ...{ unit: 'part', by: 'share', probe: 'multiprocessors' },
    what: 'Memory throughput on some multiprocessors.',
  },
  'kernel.mappedBytesPerSecond': {
    unit: 'B/s',
    probe: 'mapped memory',
    what: 'Kernels on mapped host memory.',
  },
  'kernel.besideBlocksPart': {
    ...{ unit: 'part', without: null, probe: 'blocks and arithmetic' },
    what: 'Speed of an arithmetic kernel while a quarter of the multiprocessors copies blocks.',
  },
  /** Kernel that touches pages first, and that waits for pages on the host. */
  'managed.touchBytesPerSecond': managed('B/s', 11e9),
  'managed.inBytesPerSecond': managed('B/s', 8.5e9),
  'managed.hostTouchBytesPerSecond': managed('B/s', 4e9),
  'managed.outBytesPerSecond': managed('B/s', 7e9),
  /** A write to read-mostly pages on both sides ends the other copy. */
  'managed.splitOnDeviceBytesPerSecond': managed('B/s', 0.07e9),
  'managed.splitOnHostBytesPerSecond': managed('B/s', 0.42e9),
  'managed.prefetchInBytesPerSecond': managed('B/s', 50e9),
  'managed.prefetchOutBytesPerSecond': managed('B/s', 16e9),
  'managed.prefetchNs': managed('ns', 100e3),
  /** Call of a prefetch to the device in an idle stream. */
  'managed.prefetchCallBytesPerSecond': managed('B/s', 90e9),
  'managed.adviseBytesPerSecond': managed('B/s', 50e9),
  'matmul.float32FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'Matrix products by cuBLAS.',
  },
  'matmul.tf32FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'Matrix products by cuBLAS.',
  },
  'matmul.float16FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'Matrix products by cuBLAS.',
  },
  'matmul.bfloat16FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'Matrix products by cuBLAS.',
  },
  'matmul.workspaceNs': {
    ...{ unit: 'ns', without: null, probe: 'first uses' },
    what: 'Wait of a stream’s first product.',
  },
  'fft.bytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'transforms' },
    what: 'Transforms of up to 4,096 points by cuFFT.',
  },
  'fft.planNs': {
    ...{ unit: 'ns', without: null, probe: 'first uses' },
    what: 'Wait of a shape’s first transform.',
  },
  'hostFunction.startNs': {
    unit: 'ns',
    probe: 'host functions',
    ablated: 0,
    what: 'From earlier work to a host function.',
  },
  'graph.instantiate': {
    unit: 'ns',
    by: 'nodes',
    probe: 'graphs',
    what: 'cudaGraphInstantiate, cudaGraphUpload.',
  },
  'graph.upload': { unit: 'ns', by: 'nodes', probe: 'graphs', what: 'cudaGraphInstantiate, cudaGraphUpload.' },
  'graph.kernelNodeNs': {
    ...{ unit: 'ns', probe: 'graphs', ablated: 0 },
    what: 'A graph’s kernel beyond its work, and the gap.',
  },
  'memory.malloc': {
    unit: 'ns',
    by: 'bytes',
    probe: 'cuda-malloc device',
    what: 'cudaMalloc, cudaFree on an idle device.',
  },
  'memory.free': {
    unit: 'ns',
    by: 'bytes',
    probe: 'cuda-malloc device',
    what: 'cudaMalloc, cudaFree on an idle device.',
  },
  'memory.pin': { unit: 'ns', by: 'bytes', probe: 'cuda-malloc pinned', what: 'Page-locking and its reverse.' },
  'memory.unpin': {
    unit: 'ns',
    by: 'bytes',
    probe: 'cuda-malloc pinned',
    what: 'Page-locking and its reverse.',
  },
  'link.bytesPerSecond': { unit: 'B/s', probe: 'copies h2d pinned', what: 'The link.' },
  'link.bothBytesPerSecond': { unit: 'B/s', probe: 'both directions', what: 'The link.' },
  'link.besideNs': {
    unit: 'ns',
    without: 0,
    probe: null,
    what: 'Delay of a copy that begins while the other direction is busy.',
  },
  'link.besideMappedPart': {
    ...{ unit: 'part', without: null, probe: null },
    what: 'Speed that copies keep during a kernel on mapped memory.',
  },
  'link.mappedBacklogNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Wait of a copy that begins during one.',
  },
  'host.memcpyBytesPerSecond': {
    unit: 'B/s',
    probe: 'host copy from memory',
    what: 'Host thread that copies from memory.',
  },
  'host.cachedBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host copies' },
    what: 'Up to `host.cachedBytes`.',
  },
  'host.cachedBytes': {
    unit: 'B',
    without: 0,
    probe: null,
    what: 'Size of the host’s caches.',
  },
  'host.indexBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host memory' },
    what: 'Host thread that writes or checks data.',
  },
  'host.randomBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host memory' },
    what: 'Host thread that writes or checks data.',
  },
  'host.uncachedBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: null },
    what: 'Host thread that reads write-combined memory.',
  },
  'host.threads': {
    unit: 'B/s',
    by: 'threads',
    probe: 'tensors by threads',
    what: 'Copying host threads.',
  },
  'host.wakeNs': {
    unit: 'ns',
    probe: 'host threads',
    ablated: 0,
    what: 'From a signal to the wait’s return.',
  },
  'recorder.callNs': {
    unit: 'ns',
    without: 0,
    probe: 'launches behind work',
    what: 'CUPTI’s cost for a call that issues work.',
  },
  'recorder.copyGapNs': {
    unit: 'ns',
    without: 0,
    probe: null,
    what: 'CUPTI’s gap between copies.',
  },
  'recorder.firstNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Extra cost of a thread’s first call, with empty caches.',
  },
  'recorder.newPart': {
    ...{ unit: 'part', without: 0, probe: null },
    what: 'Extra part of its first call of each other kind.',
  },
} as const satisfies Readonly<Record<string, Parameter>>;

export type ParameterName = keyof typeof registry;
export const parameterNames = Object.keys(registry) as ParameterName[];
export const parameterOf = (name: ParameterName): Parameter => registry[name];
export const isParameterName = (name: string): name is ParameterName => Object.hasOwn(registry, name);
