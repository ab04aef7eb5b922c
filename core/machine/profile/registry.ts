/**
 * Every parameter of a device profile: its unit, its default, the probe that measures it, and the text that explains
 * it. The schema, calibration, the table in docs/reference/profile.md and the ablation (node bench/run.mjs ablation) are
 * derived from this: a new parameter is one row.
 */

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

export const registry = {
  'copies.h2d.pinned': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies h2d pinned' },
    what: 'A page-locked copy to the device, on the device.',
  },
  'copies.d2h.pinned': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2h pinned' },
    what: 'A page-locked copy from the device.',
  },
  'copies.h2d.pageable': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies h2d pageable' },
    what: 'The call of a pageable copy to the device.',
  },
  'copies.d2h.pageable': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2h pageable' },
    what: 'The call of a copy to pageable memory, until the data is there.',
  },
  'copies.d2d': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2d' },
    what: 'A copy within the device, or a memset of twice its size.',
  },
  'copies.peer': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: 'copies between devices' },
    what: 'A copy between two devices with peer access.',
  },
  'copies.peerViaHost': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: 'copies between devices' },
    what: 'The same through the host.',
  },
  'copies.batchEntryNs': {
    ...{ unit: 'ns', without: null, probe: null },
    what: 'Copy engine’s time for an entry of a cudaMemcpyBatchAsync, beyond its bytes.',
  },
  'copies.pitchedRowNs': {
    ...{ unit: 'ns', without: null, probe: null },
    what: 'Copy engine’s least time for a row of a cudaMemcpy2DAsync.',
  },
  'staging.chunkBytes': {
    ...{ unit: 'B', probe: 'staging' },
    what: 'Size of the pieces in which a pageable copy is staged.',
  },
  'staging.slots': {
    unit: 'count',
    probe: null,
    ablated: 1,
    what: 'Pieces staged ahead of the copy engine.',
  },
  'staging.inlineBytes': {
    ...{ unit: 'B', probe: 'copies h2d pageable', ablated: 0 },
    what: 'Largest pageable copy to the device in the command buffer.',
  },
  'calls.launchNs': {
    unit: 'ns',
    probe: 'launches',
    ablated: 0,
    what: 'A call that launches something on the compute channel.',
  },
  'calls.copyNs': {
    unit: 'ns',
    probe: 'copies h2d pinned',
    ablated: 0,
    what: 'A call that issues a page-locked copy.',
  },
  'calls.batchEntryNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Call’s time for an entry of a cudaMemcpyBatchAsync.',
  },
  'calls.peerViaHost': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: null },
    what: 'A call that issues the pieces of a copy between devices without peer access.',
  },
  'calls.shortNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'A call that issues no work: event, query, captured call, pooled memory.',
  },
  'calls.contendedNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Extra time of a copy’s call that waits for another thread’s in a multi-tensor copy.',
  },
  'calls.afterStagedPart': {
    ...{ unit: 'part', without: 0, probe: null },
    what: 'Extra cost of a thread’s first call of each kind after a pageable copy of `calls.stagedBytes`, in parts of itself.',
  },
  'calls.stagedBytes': {
    ...{ unit: 'B', without: null, probe: null },
    what: 'Pageable copies of this size empty the processor’s caches.',
  },
  'calls.wakeNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'From the end of work to the return of the call that waited.',
  },
  'queue.depth': {
    unit: 'count',
    probe: 'queue depth',
    ablated: 1e6,
    what: 'Pending operations of a stream before a call blocks.',
  },
  'queue.launchToStartNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'From the return of a call to the start on an idle device.',
  },
  'queue.sameEngineNs': {
    ...{ unit: 'ns', probe: 'from one to the next', ablated: 0 },
    what: 'Between two operations of a stream on the compute channel.',
  },
  'queue.acrossEnginesNs': {
    ...{ unit: 'ns', probe: 'from one to the next', ablated: 0 },
    what: 'Between two operations on different engines.',
  },
  'queue.acrossDevicesNs': {
    ...{ unit: 'ns', without: null, probe: null, ablated: 'queue.acrossEnginesNs' },
    what: 'Between two devices; as between engines if unknown.',
  },
  'kernel.startNs': { unit: 'ns', probe: 'spin', ablated: 0, what: 'A kernel beyond its own work.' },
  'kernel.deviceBytesPerSecond': {
    unit: 'B/s',
    probe: 'kernel memory',
    what: 'Byte-streaming kernels over device memory.',
  },
  'kernel.l2BytesPerSecond': {
    ...{ unit: 'B/s', probe: 'kernel cache', ablated: 'kernel.deviceBytesPerSecond' },
    what: 'The same in L2.',
  },
  'kernel.l2Bytes': { unit: 'B', probe: 'kernel cache', ablated: 0, what: 'Data that L2 keeps for the next pass.' },
  'kernel.memoryLatencyNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'Shortest pass over memory.',
  },
  'kernel.l2LatencyNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'Shortest pass over L2.',
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
    what: 'An arithmetic kernel beyond its arithmetic.',
  },
  'kernel.fillBytes': {
    ...{ unit: 'B', without: 1, probe: null },
    what: 'Bytes from which on a byte-streaming kernel fills the device.',
  },
  'kernel.streamShares': {
    ...{ unit: 'part', by: 'share', probe: 'multiprocessors' },
    what: 'Memory throughput on a share of the multiprocessors.',
  },
  'kernel.mappedBytesPerSecond': {
    unit: 'B/s',
    probe: 'mapped memory',
    what: 'A kernel that reads or writes mapped host memory.',
  },
  'kernel.besideBlocksPart': {
    ...{ unit: 'part', without: null, probe: 'blocks and arithmetic' },
    what: 'Speed that an arithmetic kernel keeps while one on a quarter of the multiprocessors copies blocks over the link.',
  },
  'matmul.float32FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'Matrix products by cuBLAS.',
  },
  'matmul.tf32FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'With TF32.',
  },
  'matmul.float16FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'In float16.',
  },
  'matmul.bfloat16FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'In bfloat16.',
  },
  'matmul.workspaceNs': {
    ...{ unit: 'ns', without: null, probe: 'first uses' },
    what: 'Wait of a stream’s first product for cuBLAS.',
  },
  'fft.bytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'transforms' },
    what: 'Transforms by cuFFT of up to 4,096 points.',
  },
  'fft.planNs': {
    ...{ unit: 'ns', without: null, probe: 'first uses' },
    what: 'Wait of a shape’s first transform for cuFFT’s plan.',
  },
  'hostFunction.startNs': {
    unit: 'ns',
    probe: 'host functions',
    ablated: 0,
    what: 'From the end of the work before it to the start of a host function.',
  },
  'graph.instantiate': {
    unit: 'ns',
    by: 'nodes',
    probe: 'graphs',
    what: 'cudaGraphInstantiate.',
  },
  'graph.upload': { unit: 'ns', by: 'nodes', probe: 'graphs', what: 'cudaGraphUpload.' },
  'graph.kernelNodeNs': {
    ...{ unit: 'ns', probe: 'graphs', ablated: 0 },
    what: 'A graph’s kernel beyond its own work, with the gap to the next.',
  },
  'memory.malloc': { unit: 'ns', by: 'bytes', probe: 'cuda-malloc device', what: 'cudaMalloc.' },
  'memory.free': { unit: 'ns', by: 'bytes', probe: 'cuda-malloc device', what: 'cudaFree of an idle device.' },
  'memory.pin': { unit: 'ns', by: 'bytes', probe: 'cuda-malloc pinned', what: 'cudaHostAlloc and cudaHostRegister.' },
  'memory.unpin': {
    unit: 'ns',
    by: 'bytes',
    probe: 'cuda-malloc pinned',
    what: 'cudaFreeHost and cudaHostUnregister.',
  },
  'link.bytesPerSecond': { unit: 'B/s', probe: 'copies h2d pinned', what: 'The link one way.' },
  'link.bothBytesPerSecond': { unit: 'B/s', probe: 'both directions', what: 'The link both ways together.' },
  'link.besideNs': {
    unit: 'ns',
    without: 0,
    probe: null,
    what: 'Extra time of a copy that begins while the other direction is busy.',
  },
  'link.besideMappedPart': {
    ...{ unit: 'part', without: null, probe: null },
    what: 'Share of their speed that copies keep during a kernel on mapped memory.',
  },
  'link.mappedBacklogNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Wait of a copy that begins during such a kernel.',
  },
  'host.memcpyBytesPerSecond': {
    unit: 'B/s',
    probe: 'host copy from memory',
    what: 'One host thread that copies from memory.',
  },
  'host.cachedBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host copies' },
    what: 'The same up to host.cachedBytes.',
  },
  'host.cachedBytes': {
    unit: 'B',
    without: 0,
    probe: null,
    what: 'Bytes that the host’s caches hold.',
  },
  'host.indexBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host memory' },
    what: 'One host thread that writes or checks counted data.',
  },
  'host.randomBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host memory' },
    what: 'The same with random data.',
  },
  'host.threads': {
    unit: 'B/s',
    by: 'threads',
    probe: 'tensors by threads',
    what: 'Several host threads that copy.',
  },
  'host.wakeNs': {
    unit: 'ns',
    probe: 'host threads',
    ablated: 0,
    what: 'From a signal to the return of the wait.',
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
    what: 'CUPTI’s gap between two copies of an engine.',
  },
  'recorder.firstNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Extra cost of a thread’s first call, with caches emptied by preparing the buffers.',
  },
  'recorder.newPart': {
    ...{ unit: 'part', without: 0, probe: null },
    what: 'Extra cost of its first call of each other kind, in parts of itself.',
  },
} as const satisfies Readonly<Record<string, Parameter>>;

export type ParameterName = keyof typeof registry;
export const parameterNames = Object.keys(registry) as ParameterName[];
export const parameterOf = (name: ParameterName): Parameter => registry[name];
export const isParameterName = (name: string): name is ParameterName => Object.hasOwn(registry, name);
