/** What an experiment declares: devices, buffers, streams, events, signals. Operations refer to these by id. */
import { z } from 'zod';

const idPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const idSchema = z
  .string()
  .regex(idPattern, 'must start with a letter and hold only letters, digits, "-" and "_" (64 at most)');

/** The address of a JSON Schema, as an editor writes it into a document. */
export const schemaAddressSchema = z.string().min(1).max(2000);

/** 1 TiB: more than any device has; a larger number is a mistake, not a plan. */
export const maxBufferBytes = 2 ** 40;
export const maxDevices = 64;
/** One hour: the longest spin, host work or wait an experiment may ask for. */
export const maxDurationNs = 3_600_000_000_000;

export const byteCountSchema = z.number().int().min(1).max(maxBufferBytes);
export const byteOffsetSchema = z.number().int().min(0).max(maxBufferBytes);
export const durationNsSchema = z.number().min(0).max(maxDurationNs);
const uint32Schema = z.number().int().min(0).max(0xffff_ffff);

/**
 * What a buffer holds before each iteration, as little-endian 32-bit words w = 0, 1, 2…
 * random: fmix32(w * 0x9E3779B1 + seed), MurmurHash3's finaliser; index: w + seed; constant: value in every word.
 * float32, float16, bfloat16: numbers from -1 to 1 made of the random words' bits (core/program/pattern.ts), one or two in
 * a word, so that what is computed of them are numbers too.
 */
export const patternSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('random'), seed: uint32Schema.default(1) }),
  z.strictObject({ kind: z.literal('index'), seed: uint32Schema.default(0) }),
  z.strictObject({ kind: z.literal('constant'), value: uint32Schema }),
  z.strictObject({ kind: z.literal('float32'), seed: uint32Schema.default(1) }),
  z.strictObject({ kind: z.literal('float16'), seed: uint32Schema.default(1) }),
  z.strictObject({ kind: z.literal('bfloat16'), seed: uint32Schema.default(1) }),
]);

export const deviceSchema = z.strictObject({
  id: idSchema,
  /** Position among the visible devices, as in cuda:0. */
  index: z.number().int().min(0).max(63).default(0),
});

export const bufferMemories = [
  'pageable',
  'pinned',
  'pinned-write-combined',
  'mapped',
  'registered',
  'device',
] as const;

/** Bytes per element, with PyTorch's names. */
export const dtypeBytes = {
  uint8: 1,
  int8: 1,
  bool: 1,
  float16: 2,
  bfloat16: 2,
  int16: 2,
  float32: 4,
  int32: 4,
  float64: 8,
  int64: 8,
  complex64: 8,
  complex128: 16,
} as const;

const dtypes = Object.keys(dtypeBytes) as [keyof typeof dtypeBytes, ...(keyof typeof dtypeBytes)[]];

export const bufferSchema = z
  .strictObject({
    id: idSchema,
    memory: z.enum(bufferMemories),
    /** Only for device memory; the first declared device where it is left out. */
    device: idSchema.optional(),
    /** Size in bytes, or else dtype and shape together. */
    bytes: byteCountSchema.optional(),
    dtype: z.enum(dtypes).optional(),
    shape: z.array(z.number().int().min(1).max(maxBufferBytes)).min(1).max(16).optional(),
    pattern: patternSchema.default({ kind: 'random', seed: 1 }),
    /** before-run: exists when the program starts. by-operation: an allocate operation makes it, a free operation ends it. */
    allocated: z.enum(['before-run', 'by-operation']).default('before-run'),
  })
  .refine((buffer) => (buffer.bytes === undefined) === (buffer.dtype !== undefined && buffer.shape !== undefined), {
    message: 'needs either "bytes", or "dtype" and "shape" together',
  });

/** Streams that exist without being declared; "default" is resolved by environment.defaultStream. */
export const reservedStreams = ['default', 'legacy', 'per-thread'] as const;

export const streamSchema = z.strictObject({
  id: idSchema.refine((id) => !(reservedStreams as readonly string[]).includes(id), {
    message: `must not be one of the streams that always exist (${reservedStreams.join(', ')})`,
  }),
  device: idSchema.optional(),
  /** blocking streams synchronise with the legacy default stream, non-blocking ones don't (cudaStreamNonBlocking). */
  flags: z.enum(['blocking', 'non-blocking']).default('non-blocking'),
  /** CUDA's convention: lower is more urgent. */
  priority: z.number().int().min(-8).max(8).default(0),
});

export const eventSchema = z.strictObject({
  id: idSchema,
  /** false is cudaEventDisableTiming. */
  timing: z.boolean().default(true),
});

/** A counting signal between host threads. signal() blocks while `capacity` are pending: a bounded queue. */
export const signalSchema = z.strictObject({
  id: idSchema,
  capacity: z.number().int().min(1).max(1_000_000).default(1_000_000),
});

export const environmentSchema = z.strictObject({
  /** What "default" means: nvcc's --default-stream. */
  defaultStream: z.enum(['legacy', 'per-thread']).default('legacy'),
  /** CUDA_LAUNCH_BLOCKING=1. */
  launchBlocking: z.boolean().default(false),
  /** CUDA_VISIBLE_DEVICES; all where left out. */
  visibleDevices: z.array(z.number().int().min(0).max(63)).max(64).optional(),
  peerAccess: z.boolean().default(false),
  /** Recorded executions of the whole program, and as many un-instrumented ones timed by the host clock. */
  iterations: z.number().int().min(1).max(1000).default(5),
  /** Executions before any is timed or recorded. */
  warmups: z.number().int().min(0).max(1000).default(2),
});

export type Pattern = z.infer<typeof patternSchema>;
export type BufferMemory = (typeof bufferMemories)[number];
export type BufferDeclaration = z.infer<typeof bufferSchema>;

/** Size of a declared buffer in bytes. */
export function bufferBytes(buffer: BufferDeclaration): number {
  if (buffer.bytes !== undefined) return buffer.bytes;
  const elements = (buffer.shape ?? []).reduce((product, extent) => product * extent, 1);
  return elements * (buffer.dtype === undefined ? 0 : dtypeBytes[buffer.dtype]);
}
