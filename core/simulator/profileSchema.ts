/** The sections of a device profile. Times are nanoseconds, rates bytes per second. */
import { z } from 'zod';

export const profileFormat = 'copyscope/profile';
export const profileVersion = 1;

/** Which measurement or publication a section's numbers are from. */
const source = z.string().min(1).max(4000);
const ns = z.number().min(0).max(1e15);
/** Of what something takes otherwise. */
const part = z.number().min(0).max(100);
const rate = z.number().positive().max(1e18);
const byteCount = z
  .number()
  .int()
  .min(1)
  .max(2 ** 50);

const noneOrBytes = z
  .number()
  .int()
  .min(0)
  .max(2 ** 50);

const tableSchema = z
  .array(z.strictObject({ bytes: byteCount, ns: z.number().positive().max(1e15) }))
  .min(1)
  .max(1000)
  .superRefine((points, context) => {
    points.forEach((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return;
      if (point.bytes <= before.bytes) {
        context.addIssue({ code: 'custom', path: [index, 'bytes'], message: 'sizes must ascend' });
      } else if (point.ns < before.ns) {
        context.addIssue({ code: 'custom', path: [index, 'ns'], message: 'a larger copy must not take less time' });
      }
    });
  });

/** Cost by the number of a graph's nodes. */
const nodesSchema = z
  .array(z.strictObject({ nodes: z.number().int().min(1).max(1e9), ns: z.number().positive().max(1e15) }))
  .min(1)
  .max(100)
  .refine((points) => points.every((point, index) => index === 0 || point.nodes > (points[index - 1]?.nodes ?? 0)), {
    message: 'numbers of nodes must ascend',
  });

/** Throughput that a kernel reaches on a share of the multiprocessors, as a part of what it reaches on all of them. */
const sharesSchema = z
  .array(z.strictObject({ share: z.number().gt(0).max(1), part: z.number().gt(0).max(1) }))
  .min(1)
  .max(100)
  .refine((points) => points.every((point, index) => index === 0 || point.share > (points[index - 1]?.share ?? 0)), {
    message: 'shares must ascend',
  });

export const copySchema = z.strictObject({
  source,
  /** Time on the device of a copy that runs alone. For pageable memory, from the first piece's start to the last one's end. */
  device: tableSchema,
  /** Time in cudaMemcpyAsync when the stream and its queue are empty. For pageable memory, with the staging. */
  call: tableSchema,
});

const copiesSchema = z.strictObject({
  h2d: z.strictObject({ pinned: copySchema, pageable: copySchema }),
  d2h: z.strictObject({ pinned: copySchema, pageable: copySchema }),
  d2d: copySchema,
});

const stagingSchema = z.strictObject({
  source,
  /** A larger pageable copy passes through the driver's page-locked buffer in pieces of this size. */
  chunkBytes: byteCount,
  /** Pieces that may be staged ahead of the copy engine, those of all copies together. */
  slots: z.number().int().min(1).max(1024),
  /** A pageable H2D copy up to this size travels in the command buffer and runs on the compute channel. */
  inlineBytes: noneOrBytes,
  /** Device time of such a copy. */
  inline: tableSchema,
  /** From the begin of a call that copies to pageable memory until its copy is in the stream. */
  prepareOutNs: ns.optional(),
});

const callsSchema = z.strictObject({
  source,
  /** cudaLaunchKernel, one launch after another. */
  launchNs: ns,
  /** cudaLaunchKernel where the thread's last launch is longer ago than launchWarmNs, or there was none. */
  coldLaunchNs: ns,
  launchWarmNs: ns,
  eventRecordNs: ns,
  eventWaitNs: ns,
  /** cudaStreamQuery and cudaEventQuery. */
  queryNs: ns,
  /** cudaEventElapsedTime. */
  elapsedTimeNs: ns,
  /** A synchronising call that finds everything complete. */
  synchronizeNs: ns,
  /** From completion on the device to the return of the call that waited for it. */
  wakeNs: ns,
  /** The same where a copy engine did the last of it; as wakeNs where left out. */
  copyWakeNs: ns.optional(),
  /** What a host thread's first call costs more, and what it would after the longest iteration. */
  firstNs: ns.optional(),
  coldFirstNs: ns.optional(),
  /** What a thread's first call of each kind, and in each stream, costs more in parts of a later one; and the same then. */
  newPart: part.optional(),
  coldNewPart: part.optional(),
  /**
   * What a launch costs more where its thread has moved `coldBytes` of host memory since the last one; in proportion after
   * less. Other calls by how long they are.
   */
  coldNs: ns.optional(),
  /** Host memory that pushes what calls need out of the caches near a core; as much as host.cached where left out. */
  coldBytes: byteCount.optional(),
  /** What a call that puts work into a stream costs more where the thread's last one was another call; an event record less. */
  otherNs: ns.optional(),
  /** What it costs more for each other host thread that is in a call then, or waits in one. */
  meetingNs: ns.optional(),
  /** What a call of a multi-tensor copy costs more that follows one of another thread at once, which holds the driver's lock. */
  contendedNs: ns.optional(),
});

const queueSchema = z.strictObject({
  source,
  /** From the return of the issuing call to the start on an idle device. */
  launchToStartNs: ns,
  /** What launchToStartNs is longer for a kernel while a copy to the device is under way. */
  besideCopyNs: ns.optional(),
  /** Operations a stream may hold that haven't completed; the call that would add one more blocks. */
  depth: z.number().int().min(1).max(10_000_000),
  /** From the end of an operation on the compute channel to the start of the next of its stream there. */
  sameEngineNs: ns,
  /** What that is longer for each other stream whose work waits, while kernels of others run. */
  turnNs: ns.optional(),
  /** From the end of an operation on one engine to the start of one on another that depends on it. */
  acrossEnginesNs: ns,
  /** What an event in between adds where both run on one engine, in streams of their own too. */
  eventNs: ns.default(0),
  /** As acrossEnginesNs, to an operation of another stream that waited for an event. */
  throughEventNs: ns.optional(),
  /** From the end of a copy to the start of the next on its engine, beyond what the copies' times hold. */
  copyGapNs: ns.optional(),
  /**
   * Copies to the device from page-locked memory that go through the compute channel, as kernels do: those up to the first
   * size in any case, and those up to the second where their stream has nothing left to do.
   */
  commandCopyBytes: noneOrBytes.optional(),
  idleCommandCopyBytes: noneOrBytes.optional(),
  /** Least time of a host-to-device copy that goes through the copy engine behind other work of its stream. */
  queuedCopyNs: ns.optional(),
});

const kernelSchema = z.strictObject({
  source,
  /** What a kernel lasts beyond its own work. */
  startNs: ns,
  /** Bytes read and written by a byte-streaming kernel over time: from device memory, and where all fits into L2. */
  deviceBytesPerSecond: rate,
  l2BytesPerSecond: rate,
  /**
   * What a pass takes at least: of one that reads memory, and of one that finds in L2 what the pass before has left. Their
   * ratio is also how much more a few multiprocessors, which are held by latency, reach from L2.
   */
  memoryLatencyNs: ns.optional(),
  l2LatencyNs: ns.optional(),
  /** What each pass over a size that is no multiple of 16 bytes takes longer. */
  raggedNs: ns.optional(),
  /** What a copy within the device of more than 1 MiB takes longer where its size is no multiple of 4 KiB. */
  raggedCopyNs: ns.optional(),
  /** Single-precision operations in a second, a fused multiply-add counted as two. */
  flopsPerSecond: rate,
  /** What an arithmetic kernel lasts longer, whatever its size: it ends with a look at a word of host memory. */
  arithmeticNs: ns.optional(),
  /** What it lasts longer where a copy to the device is under way at its end: the look waits behind it. */
  arithmeticBesideCopyNs: ns.optional(),
  /** Bytes from which on a byte-streaming kernel, a memset or a copy within the device has blocks for all of it. */
  fillBytes: byteCount.optional(),
  /**
   * Part of a kernel's time, where it fills the device, after which its blocks begin to end and another kernel's take
   * their places: of a byte-streaming one, and of an arithmetic one.
   */
  streamLeavesAtPart: z.number().positive().max(1).optional(),
  arithmeticLeavesAtPart: z.number().positive().max(1).optional(),
  streamShares: sharesSchema,
  arithmeticShares: sharesSchema,
  /** Bytes that a kernel reads from and writes to mapped host memory over time, and what it lasts longer for that. */
  mappedReadBytesPerSecond: rate,
  mappedWriteBytesPerSecond: rate,
  mappedNs: ns,
  /** Kernels that may run at once. */
  concurrent: z.number().int().min(1).max(100_000),
});

const linkSchema = z.strictObject({
  source,
  /** Each direction alone, and both directions together. */
  h2dBytesPerSecond: rate,
  d2hBytesPerSecond: rate,
  bothBytesPerSecond: rate,
  /** What a copy takes longer that begins while data moves the other way: to the device, and from it. */
  h2dBesideNs: ns.optional(),
  d2hBesideNs: ns.optional(),
  /** What copies at least keep of their speed beside a kernel on mapped memory, which goes on as if alone. */
  besideMappedPart: z.number().gt(0).max(1).optional(),
  /** What begins or ends beside such a kernel, on all multiprocessors, waits so long for what its threads have asked for. */
  mappedBacklogNs: ns.optional(),
  /**
   * How many times as long a copy takes as far as its host memory lies in the caches of a thread that has just written it:
   * to the device, and from the device over it.
   */
  freshFactor: z.number().min(1).max(10).optional(),
  overFreshFactor: z.number().min(1).max(10).optional(),
});

const hostSchema = z.strictObject({
  source,
  /** One host thread copying memory; and writing a pattern or reading memory, where that goes at another rate. */
  memcpyBytesPerSecond: rate,
  /** What a copy on the host that a CUDA call makes lasts beyond its bytes. */
  memcpyNs: ns.optional(),
  writeBytesPerSecond: rate.optional(),
  readBytesPerSecond: rate.optional(),
  /** Writing counted and random content, which are worked out word by word, and reading against random content. */
  indexBytesPerSecond: rate.optional(),
  randomBytesPerSecond: rate.optional(),
  readRandomBytesPerSecond: rate.optional(),
  /** Holding against known content what hasn't arrived: each wrong byte is counted. */
  readWrongBytesPerSecond: rate.optional(),
  /** Reading page-locked memory, into which a copy engine has written past the caches. */
  readArrivedBytesPerSecond: rate.optional(),
  /** The same where all that is copied in a row lies in the host's caches, up to so many bytes. */
  cached: z.strictObject({ bytes: byteCount, bytesPerSecond: rate }).optional(),
  /** The same in the caches of the thread's own processor, where that is faster. */
  near: z.strictObject({ bytes: byteCount, bytesPerSecond: rate }).optional(),
  /** Size of all caches: where more is filled before an iteration, what its threads copy comes from memory. */
  lastLevelBytes: byteCount.optional(),
  /**
   * How long after it was touched all of host memory has left the caches, which others use too; a quarter of it after half
   * of that time. Where left out it stays.
   */
  residentNs: ns.optional(),
  /** How many times as long a thread takes to copy over what another processor has just written. */
  freshFactor: z.number().min(1).max(10).optional(),
  /** Several threads copying at once, all together. */
  threads: z
    .array(z.strictObject({ threads: z.number().int().min(1).max(10_000), bytesPerSecond: rate }))
    .min(1)
    .max(100),
  /** Time that they take to copy what has just arrived from the device, in parts of what they take otherwise. */
  arrivedPart: z.number().positive().max(10).optional(),
  /** From being woken to running, for a thread that waits for another one. */
  wakeNs: ns,
  /** The same of the seventh helper of those that have slept for long, which wake one after another. */
  sleeperWakeNs: ns.optional(),
  /** From the start of an iteration to a thread's first step. */
  startNs: ns.optional(),
  /** From the end of a thread's step to the start of its next. */
  stepGapNs: ns.optional(),
  /** What a loop over tensors that go to a device does first, for each tensor. */
  tensorNs: ns.optional(),
  /** A signal, or a wait for one, that needn't block. */
  signalNs: ns,
});

const deviceSchema = z.strictObject({
  source,
  name: z.string().min(1).max(200),
  computeCapability: z.string().max(20),
  multiprocessors: z.number().int().min(1).max(100_000),
  /** With one, both directions share it; with two or more, each has its own. */
  asyncEngineCount: z.number().int().min(0).max(64),
  memoryBytes: byteCount,
  l2Bytes: noneOrBytes,
  linkGeneration: z.number().nullable(),
  linkWidth: z.number().nullable(),
});

const memsetSchema = z.strictObject({ source, device: tableSchema, call: tableSchema });

const hostFunctionSchema = z.strictObject({
  source,
  /** cudaLaunchHostFunc. */
  callNs: ns,
  /** From being ready to running on CUDA's thread. */
  startNs: ns,
  /** The same behind work of the device; startNs where left out. */
  behindWorkNs: ns.optional(),
  /** From the end of one to the start of the next that waits. */
  gapNs: ns,
});

const graphSchema = z.strictObject({
  source,
  /** cudaStreamBeginCapture, and a call that is captured. */
  beginNs: ns,
  captureNs: ns,
  /** cudaStreamEndCapture, cudaGraphInstantiate and cudaGraphUpload, for graphs of kernels and of copies. */
  end: nodesSchema,
  instantiate: z.strictObject({ kernels: nodesSchema, copies: nodesSchema }),
  upload: z.strictObject({ kernels: nodesSchema, copies: nodesSchema }),
  /** cudaGraphLaunch, and what each node adds to it. */
  launchNs: ns,
  launchKernelNodeNs: ns,
  launchCopyNodeNs: ns,
  /** From the end of a kernel to the first one of a graph that was launched behind it. */
  launchGapNs: ns.optional(),
  /** What a kernel lasts beyond its own work as one of several in a row, the gap to the next counted in. */
  kernelNodeNs: ns,
  /** From the end of a copy to the start of the one after it. */
  copyGapNs: ns,
});

const memorySchema = z.strictObject({
  source,
  /** cudaMalloc and cudaFree on an idle device. */
  malloc: tableSchema,
  free: tableSchema,
  /** Whether cudaMalloc waits for all work of the device, as cudaFree does. */
  mallocSynchronizes: z.boolean().default(true),
  /** cudaMallocAsync from memory that the pool holds, and cudaFreeAsync. */
  poolAllocateNs: ns,
  poolFreeNs: ns,
  hostAlloc: tableSchema,
  hostFree: tableSchema,
  hostRegister: tableSchema,
  hostUnregister: tableSchema,
  /** An allocator that finds what it is asked for among what it holds, and one that takes something back. */
  cachedNs: ns,
});

/** What a run takes longer while it is recorded. Not part of predictions, unless they are held against recorded runs. */
const recorderSchema = z.strictObject({
  source,
  /** Added to each call that puts work into a stream, and to each node of a graph: on the host, and on the device. */
  callNs: ns,
  /** The same of a copy's call; callNs where left out. */
  copyCallNs: ns.optional(),
  nodeCallNs: ns,
  nodeNs: ns,
  copyNodeNs: ns,
  /** As queue.copyGapNs, host.startNs, host.stepGapNs, host.tensorNs, calls.firstNs, coldFirstNs, newPart and coldNewPart, which it adds to. */
  copyGapNs: ns,
  startNs: ns,
  stepGapNs: ns.default(0),
  tensorNs: ns,
  firstNs: ns,
  coldFirstNs: ns,
  newPart: part.default(0),
  coldNewPart: part.default(0),
});

const peerSchema = z.strictObject({
  source,
  /** Between two devices with peer access, and without, when the driver goes by way of the host. */
  access: z.strictObject({ device: tableSchema, call: tableSchema }),
  viaHost: z.strictObject({ device: tableSchema, call: tableSchema }),
});

/**
 * What a calibration measured of one parameter: the median is what the profile has. A fit draws what few recorded runs say
 * towards its base, so its profile lies between.
 */
const measurementSchema = z.strictObject({
  /** Dotted path in the profile, with the place of a table's point, as 'copies.h2d.pinned.device @ 4096 bytes'. */
  parameter: z.string().min(1).max(200),
  median: z.number(),
  least: z.number(),
  most: z.number(),
  samples: z.number().int().min(1),
  /** The experiment or measurement that it was read from. */
  probe: z.string().min(1).max(200),
});

/**
 * measured: the parameters that matter were measured on such a machine. published: built from published figures, with
 * what nobody has published assumed; each section's source says which is which.
 */
export const profileBases = ['measured', 'published'] as const;

export const profileSchema = z.strictObject({
  format: z.literal(profileFormat),
  version: z.literal(profileVersion),
  name: z.string().min(1).max(200),
  /** Where the numbers come from, in a sentence. */
  source,
  basis: z.enum(profileBases).default('measured'),
  device: deviceSchema,
  copies: copiesSchema,
  staging: stagingSchema,
  calls: callsSchema,
  queue: queueSchema,
  kernel: kernelSchema,
  memset: memsetSchema,
  hostFunction: hostFunctionSchema,
  graph: graphSchema,
  memory: memorySchema,
  /** Null for a machine whose devices can't copy to each other, or whose copies between them nobody measured. */
  peer: peerSchema.nullable(),
  link: linkSchema,
  host: hostSchema,
  recorder: recorderSchema.optional(),
  /** What `copyscope calibrate` measured; left out where a profile was made by hand. */
  measurements: z.array(measurementSchema).max(10_000).optional(),
});
