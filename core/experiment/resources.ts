/** Declarations of an experiment: devices, buffers, streams, events, signals. Operations refer to them by id. */
import { z } from 'zod';

const idPattern = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;
export const idSchema = z
  .string()
  .regex(idPattern, 'must start with a letter and have only letters, digits, "-" and "_" (64 at most)');

/** First fields of every document that people write. Editors write `$schema`; Copyscope doesn't use it. */
export const documentHead = <const Format extends string, const Version extends number>(
  format: Format,
  version: Version,
) => ({
  $schema: z.string().min(1).max(2000).optional().describe('This schema, for editors.'),
  format: z.literal(format).describe('Kind of document.'),
  version: z.literal(version).describe('Version of the format.'),
});
export const nameSchema = z.string().min(1).max(200).describe('Name that is shown.');

/** 1 TiB, more than any device has. A larger number is a mistake. */
export const maxBufferBytes = 2 ** 40;
export const maxDevices = 64;
/** One hour, the longest spin, host work or wait in an experiment. */
export const maxDurationNs = 3_600_000_000_000;

export const byteCountSchema = z.number().int().min(1).max(maxBufferBytes);
export const byteOffsetSchema = z.number().int().min(0).max(maxBufferBytes);
export const durationNsSchema = z.number().min(0).max(maxDurationNs);
const uint32Schema = z.number().int().min(0).max(0xffff_ffff);
const seedSchema = uint32Schema.describe('Decides the data.');
export const declaredId = idSchema.describe('Name by which the document refers to it.');
export const deviceRef = idSchema.optional().describe('The first device if omitted.');

export const kindOf = <const Kind extends string>(kind: Kind) => z.literal(kind).describe('Kind.');

/**
 * Content of a buffer before each iteration, as little-endian 32-bit words w = 0, 1, 2… random: fmix32(w * 0x9E3779B1 +
 * seed), MurmurHash3's finaliser; index: w + seed; constant: value in every word. float32, float16, bfloat16: numbers
 * from -1 to 1 made from the bits of random words (core/program/pattern.ts), one or two per word, so that results
 * computed from them are numbers too.
 */
export const patternSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: kindOf('random'), seed: seedSchema.default(1) }),
  z.strictObject({ kind: kindOf('index'), seed: seedSchema.default(0) }),
  z.strictObject({ kind: kindOf('constant'), value: uint32Schema.describe('Value of each word.') }),
  z.strictObject({ kind: kindOf('float32'), seed: seedSchema.default(1) }),
  z.strictObject({ kind: kindOf('float16'), seed: seedSchema.default(1) }),
  z.strictObject({ kind: kindOf('bfloat16'), seed: seedSchema.default(1) }),
]);

export const deviceSchema = z.strictObject({
  id: declaredId,
  index: z.number().int().min(0).max(63).default(0).describe('Among the visible devices.'),
});

export const bufferMemories = [
  'pageable',
  'pinned',
  'pinned-write-combined',
  'mapped',
  'registered',
  'device',
  'managed',
] as const;

/** Host memory that copies take. Managed memory needs none. */
export const copiedMemories = bufferMemories.filter((one) => one !== 'device' && one !== 'managed');
export const isCopied = (memory: BufferMemory): boolean => copiedMemories.includes(memory as never);

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
    id: declaredId,
    memory: z.enum(bufferMemories).describe('Kind of memory.'),
    device: idSchema.optional().describe('For device memory; the first one if omitted.'),
    bytes: byteCountSchema.optional().describe('Size; or dtype and shape.'),
    dtype: z.enum(dtypes).optional().describe('Name of PyTorch’s dtype.'),
    shape: z
      .array(z.number().int().min(1).max(maxBufferBytes))
      .min(1)
      .max(16)
      .optional()
      .describe('Elements in each dimension.'),
    pattern: patternSchema.default({ kind: 'random', seed: 1 }).describe('Content before each iteration.'),
    allocated: z
      .enum(['before-run', 'by-operation'])
      .default('before-run')
      .describe('Existing from the start, or made by an allocate operation.'),
  })
  .refine((buffer) => (buffer.bytes === undefined) === (buffer.dtype !== undefined && buffer.shape !== undefined), {
    message: 'needs either "bytes", or "dtype" and "shape" together',
  });

/** Streams that exist without being declared; environment.defaultStream resolves "default". */
export const reservedStreams = ['default', 'legacy', 'per-thread'] as const;

/** Returns the name of a stream in lanes and fields, such as 'legacy default' for `default` or `legacy`. */
export function streamTitle(id: string, { defaultStream }: { readonly defaultStream: string }): string {
  if (!(reservedStreams as readonly string[]).includes(id)) return id;
  return `${id === 'default' ? defaultStream : id} default`;
}

export const streamSchema = z.strictObject({
  id: idSchema
    .refine((id) => !(reservedStreams as readonly string[]).includes(id), {
      message: `must not be one of the streams that always exist (${reservedStreams.join(', ')})`,
    })
    .describe('Name by which the document refers to it.'),
  device: deviceRef,
  flags: z
    .enum(['blocking', 'non-blocking'])
    .default('non-blocking')
    .describe('Blocking ones synchronise with the legacy default stream.'),
  priority: z.number().int().min(-8).max(8).default(0).describe('Lower is more urgent.'),
});

export const eventSchema = z.strictObject({
  id: declaredId,
  timing: z.boolean().default(true).describe('false is cudaEventDisableTiming.'),
});

/** A counting signal between host threads. */
export const signalSchema = z.strictObject({
  id: declaredId,
  capacity: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(1_000_000)
    .describe('Pending signals at which signalling waits.'),
});

export const environmentSchema = z.strictObject({
  defaultStream: z.enum(['legacy', 'per-thread']).default('legacy').describe('The stream "default".'),
  frontend: z.enum(['cuda', 'pytorch']).default('cuda').describe('pytorch adds its own time.'),
  launchBlocking: z.boolean().default(false).describe('CUDA_LAUNCH_BLOCKING=1.'),
  visibleDevices: z
    .array(z.number().int().min(0).max(63))
    .max(64)
    .optional()
    .describe('CUDA_VISIBLE_DEVICES; all if omitted.'),
  peerAccess: z.boolean().default(false).describe('Peer access between devices.'),
  poolReleaseThreshold: byteOffsetSchema.default(0).describe('cudaMemPoolAttrReleaseThreshold.'),
  iterations: z.number().int().min(1).max(1000).default(5).describe('Recorded executions.'),
  warmups: z.number().int().min(0).max(1000).default(2).describe('Executions before those.'),
});

export type Pattern = z.infer<typeof patternSchema>;
export type BufferMemory = (typeof bufferMemories)[number];
export type BufferDeclaration = z.infer<typeof bufferSchema>;

export function bufferBytes(buffer: BufferDeclaration): number {
  if (buffer.bytes !== undefined) return buffer.bytes;
  const elements = (buffer.shape ?? []).reduce((product, extent) => product * extent, 1);
  return elements * (buffer.dtype === undefined ? 0 : dtypeBytes[buffer.dtype]);
}
