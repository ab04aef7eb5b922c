/**
 * Costs of cuBLAS and cuFFT kernels by a device profile, and assumptions if the profile lacks figures. A product takes
 * the longer of its arithmetic and memory time. A transform passes over its numbers once per factor of 4,096 of its
 * size, the part that a block's shared memory holds.
 */
import { operandsOf } from '../../experiment/libraryKernels.ts';
import {
  type FftKernel,
  isLibraryKernel,
  type LibraryKernel,
  type MatmulKernel,
  type Program,
} from '../../program/program.ts';
import { MiB } from '../../units.ts';
import { type DeviceProfile, profileDeviceName } from '../profile/profile.ts';
import type { ParameterName } from '../profile/registry.ts';
import { timeTable } from '../profile/table.ts';

type Parameters = DeviceProfile['parameters'];

/** Work space that the executor gives cuBLAS (native/src/cuda/library_kernels.cpp), like PyTorch on such devices. */
const workspaceBytes = 32 * MiB;
const pointsOfPass = 12;

interface Work {
  readonly workNs: number;
  /** Shares of the device's throughput that it takes. */
  readonly memoryPart: number;
  readonly arithmeticPart: number;
}

const rates = {
  float32: 'matmul.float32FlopsPerSecond',
  tf32: 'matmul.tf32FlopsPerSecond',
  float16: 'matmul.float16FlopsPerSecond',
  bfloat16: 'matmul.bfloat16FlopsPerSecond',
} as const satisfies Readonly<Record<string, ParameterName>>;

const typeOf = ({ tf32, dtype }: MatmulKernel): keyof typeof rates => (tf32 ? 'tf32' : dtype);

export function libraryWork(kernel: LibraryKernel, p: Parameters): Work {
  return kernel.kind === 'fft' ? transform(kernel, p) : product(kernel, p);
}

function product(kernel: MatmulKernel, p: Parameters): Work {
  const { m, n, k, dtype } = kernel;
  const shape = { kind: 'matmul', m, n, k, dtype, tf32: kernel.tf32, workspace: 'before-run' } as const;
  const bytes = operandsOf(shape).reduce((sum, operand) => sum + operand.bytes, 0);
  const rate = p[rates[typeOf(kernel)]] ?? p[rates.float32] ?? p['kernel.flopsPerSecond'];
  const [arithmeticNs, memoryNs] = [(2 * m * n * k * 1e9) / rate, (bytes * 1e9) / p['kernel.deviceBytesPerSecond']];
  const workNs = Math.max(arithmeticNs, memoryNs);
  return { workNs, memoryPart: memoryNs / workNs, arithmeticPart: arithmeticNs / workNs };
}

function transform({ size, batch }: FftKernel, p: Parameters): Work {
  const passes = Math.ceil(Math.log2(size) / pointsOfPass);
  const moved = 2 * 8 * size * batch * passes;
  const workNs = (moved * 1e9) / (p['fft.bytesPerSecond'] ?? p['kernel.deviceBytesPerSecond']);
  return { workNs, memoryPart: 1, arithmeticPart: 0 };
}

/** Returns the extra time of the first use in a stream. */
export function planNs(kernel: LibraryKernel, p: Parameters): number {
  const malloc = timeTable(p['memory.malloc']);
  if (kernel.kind === 'fft') return p['fft.planNs'] ?? malloc(8 * kernel.size * kernel.batch);
  return p['matmul.workspaceNs'] ?? malloc(workspaceBytes);
}

/** Returns a sentence for each assumption about the program's library kernels that the profile doesn't cover. */
export function libraryNotes({ threads }: Program, profile: DeviceProfile): string[] {
  const [notes, device] = [new Set<string>(), `the ${profileDeviceName(profile)}`];
  for (const { instructions } of threads) {
    for (const one of instructions) {
      if (one.code !== 'kernel' || !isLibraryKernel(one.kernel)) continue;
      for (const note of assumptions(one.kernel, profile.parameters, device)) notes.add(note);
    }
  }
  return [...notes];
}

function assumptions(kernel: LibraryKernel, p: Parameters, device: string): string[] {
  const notes: string[] = [];
  if (kernel.kind === 'fft') {
    if (p['fft.bytesPerSecond'] === undefined) {
      notes.push(
        `Nobody has measured cuFFT on ${device} yet: transforms are assumed to be as fast as its memory is for other kernels.`,
      );
    }
    if (kernel.firstUse && p['fft.planNs'] === undefined) {
      notes.push(
        `Nobody has measured how long cuFFT takes for a plan on ${device}: it is assumed to take as long as a cudaMalloc of its work area, which is too short.`,
      );
    }
    return notes;
  }
  const type = typeOf(kernel);
  if (p[rates[type]] === undefined) {
    const other =
      type !== 'float32' && p[rates.float32] !== undefined ? 'products of float32 are' : 'other arithmetic is';
    const name = type === 'tf32' ? 'TF32' : type;
    notes.push(
      `Nobody has measured cuBLAS with ${name} on ${device} yet: its products are assumed to be as fast as ${other}.${type === 'float32' ? '' : ' Tensor cores are several times as fast.'}`,
    );
  }
  if (kernel.firstUse && p['matmul.workspaceNs'] === undefined) {
    notes.push(
      `Nobody has measured how long cuBLAS takes for a handle and its work space on ${device}: it is assumed to take as long as a cudaMalloc of 32 MiB, which is too short.`,
    );
  }
  return notes;
}
