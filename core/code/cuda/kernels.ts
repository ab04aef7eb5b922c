/** Writes launches of an experiment's kernels. */
import type { LibraryKernel } from '../../program/program.ts';
import type { Writes } from '../scope.ts';
import { grouped } from '../scope.ts';
import type { CudaScope } from './scope.ts';

export function kernelLaunch(scope: CudaScope, { kernel, smShare, stream }: Writes<'kernel'>): string {
  const queue = scope.stream(stream);
  switch (kernel.kind) {
    case 'spin': {
      scope.use('spin');
      const shape = smShare >= 1 ? '1, 1, 0' : ownMultiprocessors(scope, smShare, stream, 'spin');
      return `spin<<<${shape}, ${queue}>>>(${scope.ns(kernel.durationNs)});`;
    }
    case 'stream': {
      scope.use('multiply');
      const { src, dst, bytes, passes } = kernel;
      const shape = shapeOf(scope, smShare, stream, 'multiply', bytes / 16);
      return `multiply<<<${shape}, ${queue}>>>(${scope.name(dst)}, ${scope.name(src)}, ${scope.bytes(bytes)} / 4, ${passes});`;
    }
    case 'matmul': {
      const { src, other, dst, m, n, k, dtype, tf32 } = kernel;
      const compute = tf32 ? ', CUBLAS_COMPUTE_32F_FAST_TF32' : '';
      const buffers = [dst, src, other].map((buffer) => scope.name(buffer)).join(', ');
      return `${scope.library(kernel, stream)}.multiply(${buffers}, ${m}, ${n}, ${k}, ${dataTypes[dtype]}${compute});`;
    }
    case 'fft':
      return `${scope.library(kernel, stream)}.transform(${scope.name(kernel.dst)}, ${scope.name(kernel.src)});`;
    default: {
      scope.use('arithmetic');
      const shape = shapeOf(scope, smShare, stream, 'arithmetic');
      const blocks =
        smShare >= 1 ? `${scope.found('Blocks', 'arithmetic', stream)}, 256` : `blocksFor(${smShare}), 1024`;
      const rounds = `roundsFor(${grouped(kernel.flops, "'")}.0, ${blocks})`;
      return `arithmetic<<<${shape}, ${queue}>>>(${rounds}, nullptr);`;
    }
  }
}

/** Returns the line that copies blocks, by the strategy. */
export function blocksCall(scope: CudaScope, copy: Writes<'blockCopy'>): string {
  const { by, smShare, stream, blocks } = copy;
  const [all, queue] = [scope.blocks(copy), scope.stream(stream)];
  if (by === 'kernel') {
    scope.use('kernelBlocks', 'partOfDevice');
    const most = Math.max(1, blocks.sizes.length);
    return `copyBlocks<<<${atMost(`blocksFor(${smShare})`, most)}, 1024, 0, ${queue}>>>(${all});\nCHECK(cudaGetLastError());`;
  }
  if (by === 'pitched') {
    const [size = 0] = blocks.sizes;
    const ends = [
      [copy.dst, blocks.dstOffsets],
      [copy.src, blocks.srcOffsets],
    ] as const;
    const pitched = ends.map(([buffer, [begin = 0, next = begin + size]]) => [
      scope.at(buffer, begin),
      scope.bytes(next - begin),
    ]);
    const shape = [
      ...pitched.flat(),
      scope.bytes(size),
      blocks.sizes.length,
      scope.copyKind(copy.src, copy.dst),
      queue,
    ];
    return `CHECK(cudaMemcpy2DAsync(${shape.join(', ')}));`;
  }
  scope.use(by === 'batch' ? 'batchBlocks' : 'loopBlocks');
  return `${by === 'batch' ? 'copyBatch' : 'copyEach'}(${all}, ${queue});`;
}

const dataTypes = { float32: 'CUDA_R_32F', float16: 'CUDA_R_16F', bfloat16: 'CUDA_R_16BF' } as const;

/** Returns the line that makes a library's handle or plan for a kernel, if it isn't there yet. */
export function makeLibrary(scope: CudaScope, kernel: LibraryKernel, stream: number): string {
  const shape = kernel.kind === 'matmul' ? '' : `, ${kernel.size}, ${kernel.batch}`;
  return `${scope.library(kernel, stream)}.make(${scope.stream(stream)}${shape});`;
}

/** Returns the number of blocks: with less work than threads, only as many as there is work for. */
function shapeOf(
  scope: CudaScope,
  smShare: number,
  stream: number,
  kernel: 'multiply' | 'arithmetic',
  pieces = Number.POSITIVE_INFINITY,
): string {
  if (smShare < 1) return ownMultiprocessors(scope, smShare, stream, kernel, Math.ceil(pieces / 1024));
  scope.use('wholeDevice');
  return `${atMost(scope.found('Blocks', kernel, stream), Math.ceil(pieces / 256))}, 256, 0`;
}

/** More blocks than any device runs at once. */
const mostBlocks = 20_000;
const atMost = (blocks: string, most: number): string =>
  most < mostBlocks ? `std::min(${blocks}, ${Math.max(1, most)})` : blocks;

function ownMultiprocessors(
  scope: CudaScope,
  smShare: number,
  stream: number,
  kernel: 'spin' | 'multiply' | 'arithmetic',
  most = Number.POSITIVE_INFINITY,
): string {
  scope.use('partOfDevice');
  return `${atMost(`blocksFor(${smShare})`, most)}, 1024, ${scope.found('Alone', kernel, stream)}`;
}
