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
    what: 'A page-locked copy to the device alone, on the device.',
  },
  'copies.d2h.pinned': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2h pinned' },
    what: 'A page-locked copy from the device alone, on the device.',
  },
  'copies.h2d.pageable': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies h2d pageable' },
    what: 'The call of a pageable copy to the device: the host is held while the driver stages.',
  },
  'copies.d2h.pageable': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2h pageable' },
    what: 'The call of a copy to pageable memory, until the data is there.',
  },
  'copies.d2d': {
    ...{ unit: 'ns', by: 'bytes', probe: 'copies d2d' },
    what: 'A copy within the device. A memset takes as long as a copy of half its size.',
  },
  'copies.peer': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: 'copies between devices' },
    what: 'A copy between two devices with peer access.',
  },
  'copies.peerViaHost': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: 'copies between devices' },
    what: 'The same without peer access, by way of the host.',
  },
  'copies.batchEntryNs': {
    ...{ unit: 'ns', without: null, probe: null },
    what: 'Time of the copy engine for each entry of a cudaMemcpyBatchAsync, beyond its bytes.',
  },
  'staging.chunkBytes': {
    ...{ unit: 'B', probe: 'staging' },
    what: 'A pageable copy passes through the driver’s page-locked buffer in pieces of this size.',
  },
  'staging.slots': {
    unit: 'count',
    probe: null,
    ablated: 1,
    what: 'Pieces that may be staged ahead of the copy engine.',
  },
  'staging.inlineBytes': {
    ...{ unit: 'B', probe: 'copies h2d pageable', ablated: 0 },
    what: 'A pageable copy to the device up to this size travels in the command buffer.',
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
    what: 'Time of the calling thread for each entry of a cudaMemcpyBatchAsync.',
  },
  'calls.peerViaHost': {
    ...{ unit: 'ns', by: 'bytes', without: null, probe: null },
    what: 'A call that issues a copy between two devices without peer access: it issues one piece after another.',
  },
  'calls.shortNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'A call that issues no work: event, query, wait with nothing to wait for, captured call, pooled memory.',
  },
  'calls.afterStagedPart': {
    ...{ unit: 'part', without: 0, probe: null },
    what: 'Extra cost of a thread’s first call of each kind, in parts of itself, after a pageable copy of `calls.stagedBytes`.',
  },
  'calls.stagedBytes': {
    ...{ unit: 'B', without: null, probe: null },
    what: 'Pageable copies of at least this size leave the processor’s caches without the driver’s code and data.',
  },
  'calls.wakeNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'From the end of the work to the return of the call that waited for it.',
  },
  'queue.depth': {
    unit: 'count',
    probe: 'queue depth',
    ablated: 1e6,
    what: 'Operations that a stream may hold before a call blocks.',
  },
  'queue.launchToStartNs': {
    ...{ unit: 'ns', probe: 'events and synchronises', ablated: 0 },
    what: 'From the return of the issuing call to the start on an idle device.',
  },
  'queue.sameEngineNs': {
    ...{ unit: 'ns', probe: 'from one to the next', ablated: 0 },
    what: 'Between two operations of a stream on the compute channel.',
  },
  'queue.acrossEnginesNs': {
    ...{ unit: 'ns', probe: 'from one to the next', ablated: 0 },
    what: 'Between two operations on different engines of which one waits for the other.',
  },
  'queue.acrossDevicesNs': {
    ...{ unit: 'ns', without: null, probe: null, ablated: 'queue.acrossEnginesNs' },
    what: 'The same between two devices; as between engines if it is missing.',
  },
  'kernel.startNs': { unit: 'ns', probe: 'spin', ablated: 0, what: 'Time of a kernel beyond its own work.' },
  'kernel.deviceBytesPerSecond': {
    unit: 'B/s',
    probe: 'kernel memory',
    what: 'Byte-streaming kernels over device memory.',
  },
  'kernel.l2BytesPerSecond': {
    ...{ unit: 'B/s', probe: 'kernel cache', ablated: 'kernel.deviceBytesPerSecond' },
    what: 'The same where all fits into L2.',
  },
  'kernel.l2Bytes': { unit: 'B', probe: 'kernel cache', ablated: 0, what: 'Data that L2 keeps for the next pass.' },
  'kernel.memoryLatencyNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'The least that a pass over memory takes.',
  },
  'kernel.l2LatencyNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'The same of a pass that finds its bytes in L2.',
  },
  'kernel.flopsPerSecond': {
    unit: 'flop/s',
    probe: 'multiprocessors',
    what: 'Single-precision operations in a second.',
  },
  'kernel.arithmeticNs': {
    unit: 'ns',
    without: 0,
    probe: 'kernel latencies',
    what: 'Time of an arithmetic kernel beyond its arithmetic.',
  },
  'kernel.fillBytes': {
    ...{ unit: 'B', without: 1, probe: null },
    what: 'Bytes from which on a byte-streaming kernel has blocks for the whole device.',
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
  'matmul.float32FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'Matrix products of float32 by cuBLAS.',
  },
  'matmul.tf32FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'The same where TF32 is allowed.',
  },
  'matmul.float16FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'The same of float16.',
  },
  'matmul.bfloat16FlopsPerSecond': {
    ...{ unit: 'flop/s', without: null, probe: 'matrix products' },
    what: 'The same of bfloat16.',
  },
  'matmul.workspaceNs': {
    ...{ unit: 'ns', without: null, probe: 'first uses' },
    what: 'Wait of a stream’s first product for cuBLAS’s handle and work space.',
  },
  'fft.bytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'transforms' },
    what: 'Transforms by cuFFT of up to 4,096 points: what they read and write.',
  },
  'fft.planNs': {
    ...{ unit: 'ns', without: null, probe: 'first uses' },
    what: 'Wait of a shape’s first transform for cuFFT’s plan.',
  },
  'hostFunction.startNs': {
    unit: 'ns',
    probe: 'host functions',
    ablated: 0,
    what: 'From the end of the device’s work before it to the start of a host function: CUDA’s own thread has to wake.',
  },
  'graph.instantiate': {
    unit: 'ns',
    by: 'nodes',
    probe: 'graphs',
    what: 'cudaGraphInstantiate, by the number of nodes.',
  },
  'graph.upload': { unit: 'ns', by: 'nodes', probe: 'graphs', what: 'cudaGraphUpload, by the number of nodes.' },
  'graph.kernelNodeNs': {
    ...{ unit: 'ns', probe: 'graphs', ablated: 0 },
    what: 'Time of a graph’s kernel beyond its own work, including the gap to the next.',
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
    what: 'Extra time of a copy that begins while data moves in the other direction.',
  },
  'link.besideMappedPart': {
    ...{ unit: 'part', without: null, probe: null },
    what: 'Share of their speed that copies keep while a kernel on mapped memory runs.',
  },
  'link.mappedBacklogNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'How long such a kernel on all multiprocessors keeps a copy waiting that would begin.',
  },
  'host.memcpyBytesPerSecond': {
    unit: 'B/s',
    probe: 'host copy from memory',
    what: 'One host thread that copies from memory.',
  },
  'host.cachedBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host copies' },
    what: 'The same of up to host.cachedBytes, which the caches hold.',
  },
  'host.cachedBytes': {
    unit: 'B',
    without: 0,
    probe: null,
    what: 'Bytes copied in a row that the host’s caches hold.',
  },
  'host.indexBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host memory' },
    what: 'One host thread that writes or checks counted content.',
  },
  'host.randomBytesPerSecond': {
    ...{ unit: 'B/s', without: null, probe: 'host memory' },
    what: 'The same of random content.',
  },
  'host.threads': {
    unit: 'B/s',
    by: 'threads',
    probe: 'tensors by threads',
    what: 'Several host threads that copy, all together.',
  },
  'host.wakeNs': {
    unit: 'ns',
    probe: 'host threads',
    ablated: 0,
    what: 'From a signal to the waiting host thread’s going on.',
  },
  'recorder.callNs': {
    unit: 'ns',
    without: 0,
    probe: 'launches behind work',
    what: 'Time that CUPTI adds to each call that issues work.',
  },
  'recorder.copyGapNs': {
    unit: 'ns',
    without: 0,
    probe: null,
    what: 'Gap that CUPTI adds between two copies of an engine.',
  },
  'recorder.firstNs': {
    ...{ unit: 'ns', without: 0, probe: null },
    what: 'Extra cost of a thread’s first call after preparing the buffers has emptied the caches.',
  },
  'recorder.newPart': {
    ...{ unit: 'part', without: 0, probe: null },
    what: 'Extra cost of its first call of each other kind then, relative to the call.',
  },
} as const satisfies Readonly<Record<string, Parameter>>;

export type ParameterName = keyof typeof registry;
export const parameterNames = Object.keys(registry) as ParameterName[];
export const parameterOf = (name: ParameterName): Parameter => registry[name];
export const isParameterName = (name: string): name is ParameterName => Object.hasOwn(registry, name);
