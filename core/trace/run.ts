/** A run: one trace and everything needed to know what it is. One Arrow file holds a whole run (see arrow.ts). */
import { z } from 'zod';
import { experimentSchema } from '../experiment/experiment.ts';
import { engineKinds } from '../program/engineKind.ts';
import type { Trace } from './trace.ts';

export const runFormat = 'copyscope/run';
export const runVersion = 1;

/** How device times were taken. */
export const timingSources = ['cupti', 'cuda-events', 'host-clock', 'simulated'] as const;

const errorInfoSchema = z.object({
  code: z.string().max(100),
  message: z.string().max(10_000),
  remedy: z.string().max(10_000).optional(),
  field: z.string().max(1000).optional(),
  op: z.number().int().optional(),
});

const deviceInfoSchema = z.object({
  index: z.number().int(),
  name: z.string().max(200),
  computeCapability: z.string().max(20),
  asyncEngineCount: z.number().int().nullable(),
  multiprocessors: z.number().int(),
  memoryBytes: z.number(),
  pciBusId: z.string().max(40),
  linkGeneration: z.number().nullable(),
  linkWidth: z.number().nullable(),
});

/** One comparison of data with what it should be. */
const verificationCheckSchema = z.object({
  /** final: a buffer's content after the last iteration; read: what a host read found, over all iterations. */
  kind: z.enum(['final', 'read']),
  buffer: z.string().max(100),
  /** The read's operation number; -1 for final checks. */
  op: z.number().int(),
  bytesChecked: z.number().min(0),
  bytesWrong: z.number().min(0),
  /** Offset of the first wrong byte in the buffer; -1 where none is wrong. */
  firstWrong: z.number(),
});

const verificationSchema = z.object({
  bytesChecked: z.number().min(0),
  bytesWrong: z.number().min(0),
  checks: z.array(verificationCheckSchema).max(100_000),
  /** Buffers that could not be checked, with the reason. */
  unverified: z.array(z.object({ buffer: z.string().max(100), reason: z.string().max(1000) })).max(100_000),
});

/** Medians of steps of a recorded program: while it was recorded, and in the same process without. */
const stepTimesSchema = z.object({
  recordedNs: z.number().positive(),
  recordedCount: z.number().int().min(1),
  plainNs: z.number().positive(),
  plainCount: z.number().int().min(1),
});
export type StepTimes = z.infer<typeof stepTimesSchema>;

/** Where a trace that no experiment describes was read from. */
const importedSchema = z.object({
  /** PyTorch's profiler (Kineto), in the Chrome format; Nsight Systems, as its SQLite export; copyscope record. */
  format: z.enum(['pytorch-profiler', 'nsight-systems', 'copyscope-record']),
  /** As the file was called, without its ending. */
  name: z.string().min(1).max(200),
  /** Events in the file, and those of them that are rows of the trace. */
  events: z.number().int().min(0),
  rows: z.number().int().min(0),
  stepTimes: stepTimesSchema.optional(),
  /** Number of the process in its job, if the file has it. */
  rank: z.number().int().min(0).optional(),
});

const timesNs = z.array(z.number().min(0)).max(100_000);

const iterationsSchema = z.object({
  /** From an iteration's start to its last activity's end, in the recorded iterations. */
  recordedMakespanNs: timesNs,
  /** Host clock around whole iterations, ended by a device synchronise: recorded, and with recording off. */
  recordedWallNs: timesNs,
  plainWallNs: timesNs,
  /** The recorded iteration that is shown: the most typical one (core/figures/typicalIterations.ts). */
  representative: z.number().int().min(0),
});

/** What the elapsedTime operations found (cudaEventElapsedTime): the last execution in each recorded iteration. */
const elapsedTimeSchema = z.object({
  op: z.number().int().min(0),
  iteration: z.number().int().min(0),
  durationNs: z.number(),
});

const level = z.number().gt(0).max(1);
/** As core/cost/interval.ts makes it. */
const intervalSchema = z.object({ lowNs: z.number(), highNs: z.number(), level });
const rateIntervalSchema = z.object({ lowBytesPerSecond: z.number(), highBytesPerSecond: z.number(), level });

const byteCount = z.number().min(0);
const blockSchema = z.object({
  /** Number of the segment in order of address, and the block's place in it. */
  segment: z.number().int().min(0),
  offset: byteCount,
  bytes: byteCount,
  /** Bytes that were asked for; 0 where it is not allocated. */
  requestedBytes: byteCount,
  /** The stream whose allocations it serves; empty for host memory. */
  stream: z.string().max(100),
  /** pending-free: freed, and kept until the work of the streams that were recorded for it has completed. */
  state: z.enum(['allocated', 'pending-free', 'inactive']),
});

/** What an allocator held at the end of the last recorded iteration; counts and peaks are of all iterations. */
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
  /** Allocations that needed the cache given back first, and those that failed even so. */
  retries: z.number().int().min(0),
  failures: z.number().int().min(0),
  blocks: z.array(blockSchema).max(10_000),
});

const runInfoFields = z.object({
  format: z.literal(runFormat),
  version: z.literal(runVersion),
  engine: z.enum(engineKinds),
  status: z.enum(['complete', 'failed', 'cancelled']),
  error: errorInfoSchema.optional(),
  createdAt: z.iso.datetime(),
  /** Null for a trace from another tool; then `imported` says which. */
  experiment: experimentSchema.nullable(),
  imported: importedSchema.optional(),
  /** Null on the CPU engine and where a simulated run names only its profile. */
  device: deviceInfoSchema.nullable(),
  /** Profile the simulator used. */
  profile: z.string().max(200).optional(),
  /** It counts in what recording costs, so that it can be held against a recorded run; only the simulator's may. */
  whileRecording: z.boolean().optional(),
  /** Null where an imported trace doesn't say. */
  machine: z
    .object({
      os: z.string().max(200),
      cpu: z.string().max(200),
      cores: z.number().int().min(0),
    })
    .nullable(),
  /** The node of a cluster that it ran on, or another machine by the name that an earlier version gave it. */
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
  /** Of predictions: how sure they are. Null where the profile has published figures alone. */
  makespanInterval: intervalSchema.nullable().optional(),
  bandwidthIntervals: z
    .object({ h2d: rateIntervalSchema.nullable(), d2h: rateIntervalSchema.nullable() })
    .nullable()
    .optional(),
  /** Page-locked buffers were flushed out of the host's caches before each iteration; in older runs they lay there. */
  buffersFlushed: z.boolean().optional(),
  /** Left out where no operation allocated memory. */
  memory: z.array(allocatorSchema).max(200).optional(),
  /** What a reader should know, as 'CUPTI was not found: device times come from CUDA events'. */
  notes: z.array(z.string().max(2000)).max(100),
});

export const runInfoSchema = runInfoFields.refine(
  (info) => (info.experiment === null) === (info.imported !== undefined),
  {
    path: ['experiment'],
    message: 'a run has either an experiment or a tool that it was imported from',
  },
);
/** Without the experiment, which a file's reader parses on its own. */
export const runDescriptionSchema = runInfoFields.omit({ experiment: true });

export type RunInfo = z.infer<typeof runInfoFields>;
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

/** What a run is called: its experiment's name, or that of the file it was imported from. */
export const runName = ({ experiment, imported }: Pick<RunInfo, 'experiment' | 'imported'>): string =>
  experiment?.name ?? imported?.name ?? '';

/**
 * What a window may call a run. measured: executed by this installation on real hardware. recorded: executed on real
 * hardware elsewhere or earlier, and opened from a file. simulated: predicted from a device profile.
 */
export type RunOrigin = 'measured' | 'recorded' | 'simulated';

/** Whether a recorder lengthened what the run's rows show; of traces from other tools nobody knows. */
export const isTraced = ({ info }: Pick<Run, 'info'>): boolean =>
  info.timing === 'cupti' && info.imported === undefined;

export function runOrigin(info: Pick<RunInfo, 'engine'>, madeHere: boolean): RunOrigin {
  if (info.engine === 'sim') return 'simulated';
  return madeHere ? 'measured' : 'recorded';
}
