/** The operations of an experiment (design: host, stream and synchronisation operations), named as CUDA and PyTorch name them. */
import { z } from 'zod';
import {
  bufferMemories,
  byteCountSchema,
  byteOffsetSchema,
  durationNsSchema,
  idSchema,
  patternSchema,
} from './resources.ts';

const common = {
  /** The operation keeps it for life: edits, undo, verdicts, hazards and comparisons refer to it. No two have the same. */
  id: idSchema,
  label: z.string().min(1).max(120).optional(),
};
/**
 * What the operation took in the trace that the experiment was lifted from: the time of its call, and of its work on the
 * device. A copy's holds as long as it moves so many bytes of such host memory.
 */
export const recordedSchema = z.strictObject({
  callNs: durationNsSchema.optional(),
  deviceNs: durationNsSchema.optional(),
  bytes: byteCountSchema.optional(),
  memory: z.enum(bufferMemories).optional(),
});
const recorded = { recorded: recordedSchema.optional() };
/** A declared stream, or "default", "legacy" or "per-thread". */
const streamRef = idSchema.default('default');
const region = { offset: byteOffsetSchema.default(0), bytes: byteCountSchema.optional() };

// Host operations

const workSchema = z.strictObject({ op: z.literal('work'), ...common, durationNs: durationNsSchema });
const writeSchema = z.strictObject({
  op: z.literal('write'),
  ...common,
  buffer: idSchema,
  ...region,
  pattern: patternSchema,
});
const readSchema = z.strictObject({
  op: z.literal('read'),
  ...common,
  buffer: idSchema,
  ...region,
  /** What should be there; left out, what the program would have put there had each operation completed in turn. */
  expect: patternSchema.optional(),
});
/** Tensor.pin_memory(): page-locked memory from the caching host allocator, then a blocking copy on the host. */
const pinSchema = z.strictObject({ op: z.literal('pin'), ...common, src: idSchema, dst: idSchema });
const allocateSchema = z.strictObject({
  op: z.literal('allocate'),
  ...common,
  buffer: idSchema,
  allocator: z.enum(['cuda-malloc', 'pool', 'caching']).default('caching'),
  stream: streamRef,
});
const freeSchema = z.strictObject({ op: z.literal('free'), ...common, buffer: idSchema, stream: streamRef });
const recordStreamSchema = z.strictObject({
  op: z.literal('recordStream'),
  ...common,
  buffer: idSchema,
  stream: streamRef,
});
const signalSchema = z.strictObject({ op: z.literal('signal'), ...common, signal: idSchema });
const waitSignalSchema = z.strictObject({ op: z.literal('waitSignal'), ...common, signal: idSchema });

// Stream operations

export const copyModes = ['async', 'blocking-to', 'blocking-memcpy'] as const;
const copySchema = z.strictObject({
  op: z.literal('copy'),
  ...common,
  ...recorded,
  src: idSchema,
  srcOffset: byteOffsetSchema.default(0),
  dst: idSchema,
  dstOffset: byteOffsetSchema.default(0),
  /** All that fits in both where left out. */
  bytes: byteCountSchema.optional(),
  stream: streamRef,
  /**
   * async: cudaMemcpyAsync. blocking-to: Tensor.to(non_blocking=False), cudaMemcpyAsync then cudaStreamSynchronize.
   * blocking-memcpy: cudaMemcpy, which runs in the default stream whatever `stream` says.
   */
  mode: z.enum(copyModes).default('async'),
});
const memsetSchema = z.strictObject({
  op: z.literal('memset'),
  ...common,
  ...recorded,
  buffer: idSchema,
  ...region,
  value: z.number().int().min(0).max(255).default(0),
  stream: streamRef,
});

/** Rows and columns of a matrix, or points of a transform; with 32-bit counts in the libraries. */
const extentSchema = z.number().int().min(1).max(65_536);
/** When a library makes what its first call needs: cuBLAS its handle and work space, cuFFT a plan. */
export const preparations = ['before-run', 'first-use'] as const;
const preparedSchema = z.enum(preparations).default('before-run');
export const matmulTypes = ['float32', 'float16', 'bfloat16'] as const;

/**
 * spin: busy for a duration. stream: `passes` multiplies over every 32-bit word. arithmetic: a number of operations.
 * matmul: writes[0] = reads[0] (m by k) times reads[1] (k by n), by cuBLAS. fft: `batch` complex transforms, by cuFFT.
 */
export const kernelShapeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('spin'), durationNs: durationNsSchema }),
  z.strictObject({ kind: z.literal('stream'), passes: z.number().int().min(1).max(10_000).default(1) }),
  z.strictObject({ kind: z.literal('arithmetic'), flops: z.number().min(1).max(1e18) }),
  z.strictObject({
    kind: z.literal('matmul'),
    m: extentSchema,
    n: extentSchema,
    k: extentSchema,
    dtype: z.enum(matmulTypes).default('float32'),
    /** torch.backends.cuda.matmul.allow_tf32. */
    tf32: z.boolean().default(false),
    workspace: preparedSchema,
  }),
  z.strictObject({
    kind: z.literal('fft'),
    size: z.number().int().min(2).max(134_217_728),
    batch: z.number().int().min(1).max(1_000_000).default(1),
    plan: preparedSchema,
  }),
]);
const kernelSchema = z.strictObject({
  op: z.literal('kernel'),
  ...common,
  ...recorded,
  kernel: kernelShapeSchema,
  /** What stream, matmul and fft kernels work on; others list what they touch, for the hazard check. */
  reads: z.array(idSchema).max(16).default([]),
  writes: z.array(idSchema).max(16).default([]),
  /** Share of the device's multiprocessors it may fill. */
  smShare: z.number().gt(0).max(1).default(1),
  stream: streamRef,
});
const recordEventSchema = z.strictObject({
  op: z.literal('recordEvent'),
  ...common,
  ...recorded,
  event: idSchema,
  stream: streamRef,
});
const waitEventSchema = z.strictObject({
  op: z.literal('waitEvent'),
  ...common,
  ...recorded,
  event: idSchema,
  stream: streamRef,
});
const hostFunctionSchema = z.strictObject({
  op: z.literal('hostFunction'),
  ...common,
  durationNs: durationNsSchema,
  stream: streamRef,
});
const graphLaunchSchema = z.strictObject({
  op: z.literal('graphLaunch'),
  ...common,
  graph: idSchema,
  stream: streamRef,
});

export const copyStrategies = [
  'blocking-loop',
  'non-blocking-loop',
  'pin-then-copy',
  'pin-then-copy-non-blocking',
  'threaded-pinning',
  'packed',
  'pipelined',
] as const;
const multiCopySchema = z.strictObject({
  op: z.literal('multiCopy'),
  ...common,
  direction: z.enum(['h2d', 'd2h', 'd2d', 'h2h']).default('h2d'),
  payload: z.strictObject({
    tensors: z.number().int().min(1).max(1_000_000),
    /** Bytes of every tensor, or of each one in turn, repeated to the number of tensors. */
    bytes: z.union([byteCountSchema, z.array(byteCountSchema).min(1).max(100_000)]),
    memory: z.enum(['pageable', 'pinned']).default('pageable'),
  }),
  strategy: z.enum(copyStrategies).default('pipelined'),
  /** Options under the names that the strategy documents (seed names for `packed`). */
  options: z.record(z.string().max(64), z.union([z.number(), z.boolean()])).default({}),
  stream: streamRef,
});

// Synchronisation

const synchronizeStreamSchema = z.strictObject({ op: z.literal('synchronizeStream'), ...common, stream: streamRef });
const synchronizeEventSchema = z.strictObject({ op: z.literal('synchronizeEvent'), ...common, event: idSchema });
const synchronizeDeviceSchema = z.strictObject({
  op: z.literal('synchronizeDevice'),
  ...common,
  device: idSchema.optional(),
});
const queryStreamSchema = z.strictObject({ op: z.literal('queryStream'), ...common, stream: streamRef });
const queryEventSchema = z.strictObject({ op: z.literal('queryEvent'), ...common, event: idSchema });
const elapsedTimeSchema = z.strictObject({ op: z.literal('elapsedTime'), ...common, start: idSchema, end: idSchema });
/** Tensor.item(): a D2H copy of one scalar, then a stream synchronise. */
const itemSchema = z.strictObject({ op: z.literal('item'), ...common, buffer: idSchema, stream: streamRef });

const leafSchemas = [
  workSchema,
  writeSchema,
  readSchema,
  pinSchema,
  allocateSchema,
  freeSchema,
  recordStreamSchema,
  signalSchema,
  waitSignalSchema,
  copySchema,
  memsetSchema,
  kernelSchema,
  recordEventSchema,
  waitEventSchema,
  hostFunctionSchema,
  graphLaunchSchema,
  multiCopySchema,
  synchronizeStreamSchema,
  synchronizeEventSchema,
  synchronizeDeviceSchema,
  queryStreamSchema,
  queryEventSchema,
  elapsedTimeSchema,
  itemSchema,
] as const;

// Operations that hold operations

const repeatSchema = z.strictObject({
  op: z.literal('repeat'),
  ...common,
  count: z.number().int().min(1).max(10_000_000),
  get operations() {
    return operationListSchema;
  },
});
/** An annotation around operations, as an NVTX range or record_function. */
const rangeSchema = z.strictObject({
  op: z.literal('range'),
  ...common,
  name: z.string().min(1).max(120),
  /** The score shows it as one block. It changes nothing that is done. */
  folded: z.boolean().optional(),
  get operations() {
    return operationListSchema;
  },
});
const graphCaptureSchema = z.strictObject({
  op: z.literal('graphCapture'),
  ...common,
  graph: idSchema,
  stream: streamRef,
  get operations() {
    return operationListSchema;
  },
});

/** A host thread's document is read whole; past this it should be written with repeat. */
export const maxOperations = 200_000;

export type LeafOperation = z.infer<(typeof leafSchemas)[number]>;
interface Group<Name extends string> {
  op: Name;
  id: string;
  label?: string | undefined;
  operations: Operation[];
}
export type RepeatOperation = Group<'repeat'> & { count: number };
export type RangeOperation = Group<'range'> & { name: string; folded?: boolean | undefined };
export type GraphCaptureOperation = Group<'graphCapture'> & { graph: string; stream: string };
export type Operation = LeafOperation | RepeatOperation | RangeOperation | GraphCaptureOperation;
/** An operation that is not in a document yet: it gets its id there. */
export type NewOperation =
  | New<LeafOperation>
  | NewGroup<RepeatOperation>
  | NewGroup<RangeOperation>
  | NewGroup<GraphCaptureOperation>;
type New<One> = One extends unknown ? Omit<One, 'id'> : never;
type NewGroup<One> = Omit<One, 'id' | 'operations'> & { operations: NewOperation[] };
export type OperationName = Operation['op'];
export type OperationOf<Name extends OperationName> = Extract<Operation, { op: Name }>;

export const operationSchema: z.ZodType<Operation> = z.discriminatedUnion('op', [
  ...leafSchemas,
  repeatSchema,
  rangeSchema,
  graphCaptureSchema,
]);
/** Every operation there is. */
export const operationNames: readonly OperationName[] = [
  ...leafSchemas.map((schema) => schema.shape.op.value),
  'repeat',
  'range',
  'graphCapture',
];
const operationListSchema: z.ZodType<Operation[]> = z.array(z.lazy(() => operationSchema)).max(maxOperations);
export const threadOperationsSchema = operationListSchema;

/** A copy that shares nothing. Operations are plain JSON; a browser's structuredClone() takes 0.2 ms for one. */
export const clonedOperation = (operation: Operation): Operation => JSON.parse(JSON.stringify(operation)) as Operation;

/** Copies of operations and of what they hold, without their ids. */
export const newCopies = (operations: readonly NewOperation[]): NewOperation[] =>
  JSON.parse(JSON.stringify(operations), (key, value: unknown) => (key === 'id' ? undefined : value)) as NewOperation[];

/** The operations directly inside one, or undefined for an operation that holds none. */
export function childOperations(operation: Operation): readonly Operation[] | undefined {
  return 'operations' in operation ? operation.operations : undefined;
}
