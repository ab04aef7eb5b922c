/** A run: a trace and its description. One Arrow file contains a whole run (see arrow.ts). */
import { z } from 'zod';
import { experimentSchema } from '../experiment/experiment.ts';
import { engineKinds } from '../program/engineKind.ts';
import type { Trace } from './trace.ts';

export const runFormat = 'copyscope/run';
export const runVersion = 1;

/** Sources of device times. */
export const timingSources = ['cupti', 'cuda-events', 'host-clock', 'simulated'] as const;

/** An ErrorInfo in a file. */
export const errorInfoSchema = z.object({
  code: z.string().max(100),
  message: z.string().max(10_000),
  remedy: z.string().max(10_000).optional(),
  field: z.string().max(1000).optional(),
  op: z.number().int().optional(),
});

const deviceInfoSchema = z.object({
  index: z.number().int(),
  name: z.string().max(200),
  /** For example '9.0'. */
  computeCapability: z.string().max(20),
  /** Null if an imported trace doesn't say. */
  asyncEngineCount: z.number().int().nullable(),
  multiprocessors: z.number().int(),
  memoryBytes: z.number(),
  pciBusId: z.string().max(40),
  /** PCI Express generation and lanes in use; null if the driver doesn't say. */
  linkGeneration: z.number().nullable(),
  linkWidth: z.number().nullable(),
});
export type DeviceInfo = Readonly<z.infer<typeof deviceInfoSchema>>;

/** Comparison of data with its expected value. */
const verificationCheckSchema = z.object({
  /** final: a buffer's content after the last iteration. read: data of a host read, over all iterations. */
  kind: z.enum(['final', 'read']),
  buffer: z.string().max(100),
  /** Operation number of the read; -1 for final checks. */
  op: z.number().int(),
  bytesChecked: z.number().min(0),
  bytesWrong: z.number().min(0),
  /** Offset of the first wrong byte in the buffer; -1 if there is none. */
  firstWrong: z.number(),
});

const verificationSchema = z.object({
  bytesChecked: z.number().min(0),
  bytesWrong: z.number().min(0),
  checks: z.array(verificationCheckSchema).max(100_000),
  /** Buffers that could not be checked, with the reason. */
  unverified: z.array(z.object({ buffer: z.string().max(100), reason: z.string().max(1000) })).max(100_000),
});

/** Median step times of a recorded program, with recording and without it in the same process. */
const stepTimesSchema = z.object({
  recordedNs: z.number().positive(),
  recordedCount: z.number().int().min(1),
  plainNs: z.number().positive(),
  plainCount: z.number().int().min(1),
});
export type StepTimes = z.infer<typeof stepTimesSchema>;

/** Source of an imported trace, which has no experiment. */
const importedSchema = z.object({
  /** PyTorch's profiler (Kineto) in Chrome format; Nsight Systems as its SQLite export; copyscope record. */
  format: z.enum(['pytorch-profiler', 'nsight-systems', 'copyscope-record']),
  /** File name without extension. */
  name: z.string().min(1).max(200),
  /** Number of events in the file, and of those that became rows. */
  events: z.number().int().min(0),
  rows: z.number().int().min(0),
  stepTimes: stepTimesSchema.optional(),
  /** Number of the process in its job, if the file has it. */
  rank: z.number().int().min(0).optional(),
});

const timesNs = z.array(z.number().min(0)).max(100_000);

const iterationsSchema = z.object({
  /** Time from each recorded iteration's start to the end of its last activity. */
  recordedMakespanNs: timesNs,
  /** Wall-clock times of whole iterations, ended by a device synchronise: with recording, and without. */
  recordedWallNs: timesNs,
  plainWallNs: timesNs,
  /** Recorded iteration that is shown: the most typical one (native/decode.ts). */
  representative: z.number().int().min(0),
});

/** Result of an elapsedTime operation (cudaEventElapsedTime): its last execution in each recorded iteration. */
const elapsedTimeSchema = z.object({
  op: z.number().int().min(0),
  iteration: z.number().int().min(0),
  durationNs: z.number(),
});

/** Share of machines inside an interval. */
const level = z.number().gt(0).max(1);
const intervalSchema = z.object({ lowNs: z.number(), highNs: z.number(), level });
/** Bounds in nanoseconds (see core/machine/cost/interval.ts). The bounds of a gain can be negative. */
export type Interval = Readonly<z.infer<typeof intervalSchema>>;
const rateIntervalSchema = z.object({ lowBytesPerSecond: z.number(), highBytesPerSecond: z.number(), level });
export type RateInterval = Readonly<z.infer<typeof rateIntervalSchema>>;

const byteCount = z.number().min(0);
const blockSchema = z.object({
  /** Number of the segment in order of address, and the block's position in it. */
  segment: z.number().int().min(0),
  offset: byteCount,
  bytes: byteCount,
  /** Requested bytes; 0 if the block isn't allocated. */
  requestedBytes: byteCount,
  /** Stream whose allocations it serves; empty for host memory. */
  stream: z.string().max(100),
  /** pending-free: freed, but kept until recorded streams have completed their work. */
  state: z.enum(['allocated', 'pending-free', 'inactive']),
});

/** State of an allocator at the end of the last recorded iteration; counts and peaks cover all iterations. */
const allocatorSchema = z.object({
  /** caching: PyTorch's rules. caching-host: page-locked memory. pool: cudaMallocAsync. */
  allocator: z.enum(['caching', 'caching-host', 'pool']),
  /** Id of the device; empty for host memory. */
  device: z.string().max(100),
  allocatedBytes: byteCount,
  peakAllocatedBytes: byteCount,
  reservedBytes: byteCount,
  peakReservedBytes: byteCount,
  allocations: z.number().int().min(0),
  segmentsAllocated: z.number().int().min(0),
  segmentsFreed: z.number().int().min(0),
  /** Number of allocations that first had to free the cache, and of those that failed even so. */
  retries: z.number().int().min(0),
  failures: z.number().int().min(0),
  blocks: z.array(blockSchema).max(10_000),
  /** `reservedBytes` from each time of a recorded iteration on, where it changed; 0 before the first. */
  reservedSteps: z
    .array(z.object({ iteration: z.number().int().min(0), timeNs: z.number().min(0), bytes: byteCount }))
    .max(100_000)
    .default([]),
});

export const runInfoSchema = z.object({
  format: z.literal(runFormat),
  version: z.literal(runVersion),
  engine: z.enum(engineKinds),
  status: z.enum(['complete', 'failed', 'cancelled']),
  error: errorInfoSchema.optional(),
  createdAt: z.iso.datetime(),
  /** Null for a trace from another tool. `imported` then describes its source. */
  experiment: experimentSchema.nullable(),
  imported: importedSchema.optional(),
  /** Difference of the experiment to that of the last run before it, such as 'pinned instead of pageable'. */
  changed: z.string().max(300).optional(),
  /** Null for the CPU engine, and if a simulated run only names its profile. */
  device: deviceInfoSchema.nullable(),
  /** Profile the simulator used. */
  profile: z.string().max(200).optional(),
  /** Whether times include the cost of recording, for comparison with a recorded run. Only in simulated runs. */
  whileRecording: z.boolean().optional(),
  /** Null if an imported trace doesn't say. */
  machine: z
    .object({
      os: z.string().max(200),
      cpu: z.string().max(200),
      cores: z.number().int().min(0),
    })
    .nullable(),
  /** Node of a cluster on which it ran. In files of earlier versions also another remote host. */
  host: z.string().min(1).max(200).optional(),
  versions: z.object({
    copyscope: z.string().max(40),
    driver: z.string().max(40).nullable(),
    runtime: z.string().max(40).nullable(),
    cupti: z.string().max(40).nullable(),
  }),
  timing: z.enum(timingSources),
  iterations: iterationsSchema,
  verification: verificationSchema,
  elapsedTimes: z.array(elapsedTimeSchema).max(100_000).optional(),
  /** Interval of a predicted makespan. Null if the profile has published figures only. */
  makespanInterval: intervalSchema.nullable().optional(),
  bandwidthIntervals: z
    .object({ h2d: rateIntervalSchema.nullable(), d2h: rateIntervalSchema.nullable() })
    .nullable()
    .optional(),
  /** Whether page-locked buffers were flushed from the host's caches before each iteration. Older runs didn't flush. */
  buffersFlushed: z.boolean().optional(),
  /** Missing if no operation allocated memory. */
  memory: z.array(allocatorSchema).max(200).optional(),
  /** Notes for the reader, such as 'CUPTI was not found: device times come from CUDA events'. */
  notes: z.array(z.string().max(2000)).max(100),
});

/** Excludes the experiment, which a file's reader parses separately. */
export const runDescriptionSchema = runInfoSchema.omit({ experiment: true });

export type RunInfo = z.infer<typeof runInfoSchema>;
export type ImportedFrom = z.infer<typeof importedSchema>;
export type Verification = z.infer<typeof verificationSchema>;
export type VerificationCheck = z.infer<typeof verificationCheckSchema>;
export type RunIterations = z.infer<typeof iterationsSchema>;
export type AllocatorState = z.infer<typeof allocatorSchema>;
export type ElapsedTime = z.infer<typeof elapsedTimeSchema>;
export type TimingSource = (typeof timingSources)[number];

export interface Run {
  readonly info: RunInfo;
  readonly trace: Trace;
}

/** Returns the name of its experiment, or of the file it was imported from. */
export const runName = ({ experiment, imported }: Pick<RunInfo, 'experiment' | 'imported'>): string =>
  experiment?.name ?? imported?.name ?? '';

/**
 * Origin of a run in the window. measured: executed by this installation on real hardware. recorded: executed on real
 * hardware elsewhere or earlier, and opened from a file. simulated: predicted from a device profile.
 */
export type RunOrigin = 'measured' | 'recorded' | 'simulated';

/** Returns whether a recorder lengthened the rows' times. For traces from other tools this is unknown. */
export const isTraced = ({ info }: Pick<Run, 'info'>): boolean =>
  info.timing === 'cupti' && info.imported === undefined;

export function runOrigin(info: Pick<RunInfo, 'engine'>, madeHere: boolean): RunOrigin {
  if (info.engine === 'sim') return 'simulated';
  return madeHere ? 'measured' : 'recorded';
}
