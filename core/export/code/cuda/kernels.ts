/** Launches of the kernels that an experiment has. */
import { grouped } from '../quantities.ts';
import type { Writes } from '../scope.ts';
import type { CudaScope } from './scope.ts';

export function kernelLaunch(scope: CudaScope, { kernel, smShare, stream }: Writes<'kernel'>): string {
  const queue = scope.stream(stream);
  switch (kernel.kind) {
    case 'spin': {
      scope.use('spin');
      const shape = smShare >= 1 ? '1, 1, 0' : ownMultiprocessors(scope, smShare, 'spinAlone');
      return `spin<<<${shape}, ${queue}>>>(${scope.ns(kernel.durationNs)});`;
    }
    case 'stream': {
      scope.use('multiply');
      const { src, dst, bytes, passes } = kernel;
      const shape = shapeOf(scope, smShare, 'multiplyAlone');
      return `multiply<<<${shape}, ${queue}>>>(${scope.name(dst)}, ${scope.name(src)}, ${scope.bytes(bytes)} / 4, ${passes});`;
    }
    default: {
      scope.use('arithmetic');
      const shape = shapeOf(scope, smShare, 'arithmeticAlone');
      const blocks = smShare >= 1 ? 'wholeDevice, 256' : `blocksFor(${smShare}), 1024`;
      const rounds = `roundsFor(${grouped(kernel.flops, "'")}.0, ${blocks})`;
      return `arithmetic<<<${shape}, ${queue}>>>(${rounds}, nullptr);`;
    }
  }
}

/** Shared memory with which each kernel has its multiprocessors to itself, found once. */
export const aloneNames = { spinAlone: 'spin', multiplyAlone: 'multiply', arithmeticAlone: 'arithmetic' } as const;
export type AloneName = keyof typeof aloneNames;

function shapeOf(scope: CudaScope, smShare: number, alone: AloneName): string {
  if (smShare < 1) return ownMultiprocessors(scope, smShare, alone);
  scope.use('wholeDevice');
  return 'wholeDevice, 256, 0';
}

function ownMultiprocessors(scope: CudaScope, smShare: number, alone: AloneName): string {
  scope.use('partOfDevice');
  return `blocksFor(${smShare}), 1024, ${alone}`;
}
