/** Kernels: one that spins, streams over bytes or computes, or one of cuBLAS or cuFFT. */
import { z } from 'zod';
import { CopyscopeError } from '../../errors.ts';
import type { ProgramKernel } from '../../program/instructions.ts';
import type { Place, Scope } from '../../program/scope.ts';
import { fieldPath } from '../../shape/path.ts';
import { formatDuration } from '../../units.ts';
import { checkLibraryKernel, isLibraryShape } from '../libraryKernels.ts';
import { idSchema, kindOf, maxDurationNs } from '../resources.ts';
import { type Descriptor, duration, named, newDurationNs, type Quantity, recorded, streamRef } from './operation.ts';

/** Rows and columns of a matrix, or points of a transform. The libraries use 32-bit counts. */
const extent = z.number().int().min(1).max(65_536);
/** When a library prepares its first call: cuBLAS its handle and work space, cuFFT a plan. */
const prepared = z.enum(['before-run', 'first-use']).default('before-run');
export const matmulTypes = ['float32', 'float16', 'bfloat16'] as const;
const [mostPasses, mostFlops] = [10_000, 1e18];

const shapeSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: kindOf('spin'), ...duration }),
  z.strictObject({
    kind: kindOf('stream'),
    passes: z.number().int().min(1).max(mostPasses).default(1).describe('Passes over its data.'),
  }),
  z.strictObject({
    kind: kindOf('arithmetic'),
    flops: z.number().min(1).max(mostFlops).describe('Floating-point operations.'),
  }),
  z.strictObject({
    kind: kindOf('matmul'),
    m: extent.describe('Rows.'),
    n: extent.describe('Columns.'),
    k: extent.describe('Length of the sums.'),
    dtype: z.enum(matmulTypes).default('float32').describe('Type of all matrices.'),
    tf32: z.boolean().default(false).describe('Whether float32 may use TF32.'),
    workspace: prepared.describe('When cuBLAS gets its work space; each iteration has a first use.'),
  }),
  z.strictObject({
    kind: kindOf('fft'),
    size: z.number().int().min(2).max(134_217_728).describe('Complex numbers in a transform.'),
    batch: z.number().int().min(1).max(1_000_000).default(1).describe('Number of transforms.'),
    plan: prepared.describe('When cuFFT makes its plan; each iteration has a first use.'),
  }),
]);

const buffers = z.array(idSchema).max(128).default([]);
const schema = z.strictObject({
  ...named('kernel'),
  ...recorded,
  kernel: shapeSchema.describe('Work.'),
  /** Operands of stream, matmul and fft kernels. Other kernels list the buffers they touch, for the hazard check. */
  reads: buffers.describe('Buffers that it reads.'),
  writes: buffers.describe('Buffers that it writes.'),
  smShare: z.number().gt(0).max(1).default(1).describe('Share of the multiprocessors.'),
  stream: streamRef,
});
type Kernel = z.infer<typeof schema>;
export type KernelShape = Kernel['kernel'];

export const kernel: Descriptor<Kernel> = {
  schema,
  section: 'In a stream',
  summary: 'spin, stream over bytes, arithmetic, matmul or fft',
  term: 'kernel',
  paint: 'kernel',
  text: ({ kernel: shape }) =>
    isLibraryShape(shape)
      ? `${shape.kind} ${sizesOf(shape)}${shape.kind === 'fft' ? '' : ` ${shape.tf32 ? 'TF32' : shape.dtype}`}`
      : `${shape.kind} kernel`,
  detail: ({ kernel: shape, label }) => {
    if (shape.kind === 'spin') return formatDuration(shape.durationNs);
    if (shape.kind === 'stream') return `${shape.passes}× over bytes`;
    if (shape.kind === 'arithmetic') return `${shape.flops} FLOP`;
    // The name of a kernel without a label already contains the sizes.
    return [label === undefined ? '' : sizesOf(shape), isFirstUse(shape) ? 'first use' : '']
      .filter(Boolean)
      .join(' · ');
  },
  make: ({ stream }) => ({
    op: 'kernel',
    kernel: { kind: 'spin', durationNs: newDurationNs },
    reads: [],
    writes: [],
    smShare: 1,
    stream,
  }),
  quantity: ({ kernel: shape }): Quantity | null => {
    const field = (name: string): Quantity['field'] => ['kernel', name];
    if (shape.kind === 'spin') {
      return { field: field('durationNs'), name: 'duration', value: shape.durationNs, most: maxDurationNs };
    }
    if (shape.kind === 'stream') {
      return { field: field('passes'), name: 'passes', value: shape.passes, most: mostPasses };
    }
    // The sizes of a library kernel are those of its buffers.
    if (isLibraryShape(shape)) return null;
    return { field: field('flops'), name: 'FLOP', value: shape.flops, most: mostFlops };
  },
  check: (operation, sizes, report) => {
    if (isLibraryShape(operation.kernel)) checkLibraryKernel(operation, [], sizes, report);
    if (operation.kernel.kind !== 'stream') return;
    for (const field of ['reads', 'writes'] as const) {
      if (operation[field].length === 1) continue;
      const message = `a byte-streaming kernel takes exactly one buffer here, not ${operation[field].length}.`;
      report([field], message, 'Name the buffer it reads in "reads" and the one it writes in "writes".');
    }
  },
  lower: (operation, place, scope, stream) => {
    const { op } = place;
    const reads = operation.reads.map((id) => scope.buffer(id));
    const writes = operation.writes.map((id) => scope.buffer(id));
    const shape = lowerShape(operation.kernel, place, scope, reads, writes[0]);
    const launch = { code: 'kernel', op, stream, kernel: shape, smShare: operation.smShare, reads, writes } as const;
    const isPlanned = 'firstUse' in shape && shape.firstUse;
    return isPlanned ? [{ code: 'makePlan', op, kernel: shape, stream }, launch] : [launch];
  },
  // A spin takes its `durationNs`, which may have changed since the recording.
  recordedCost: ({ kernel: shape, recorded: { callNs } = {} }) => ({
    callNs,
    deviceNs: shape.kind === 'spin' ? shape.durationNs : undefined,
  }),
};

type LibraryShape = Extract<KernelShape, { kind: 'matmul' | 'fft' }>;

const sizesOf = (shape: LibraryShape): string =>
  shape.kind === 'matmul' ? `${shape.m}×${shape.k}×${shape.n}` : `${shape.batch}×${shape.size}`;

const isFirstUse = (shape: LibraryShape): boolean =>
  (shape.kind === 'matmul' ? shape.workspace : shape.plan) === 'first-use';

function lowerShape(
  shape: KernelShape,
  { path }: Place,
  scope: Scope,
  [src = -1, other = -1]: readonly number[],
  dst = -1,
): ProgramKernel {
  if (shape.kind === 'matmul') {
    const { m, n, k, dtype, tf32 } = shape;
    return { kind: 'matmul', src, other, dst, m, n, k, dtype, tf32, firstUse: isFirstUse(shape) };
  }
  if (shape.kind === 'fft') {
    return { kind: 'fft', src, dst, size: shape.size, batch: shape.batch, firstUse: isFirstUse(shape) };
  }
  if (shape.kind !== 'stream') return shape;
  const bytes = Math.min(scope.size(src), scope.size(dst));
  if (bytes % 4 !== 0) {
    throw new CopyscopeError({
      code: 'experiment.invalid',
      field: fieldPath([...path, 'reads']),
      message: `a byte-streaming kernel works on 32-bit words, and ${bytes} bytes is no whole number of them.`,
      remedy: 'Make both buffers a multiple of 4 bytes.',
    });
  }
  return { kind: 'stream', src, dst, bytes, passes: shape.passes };
}
