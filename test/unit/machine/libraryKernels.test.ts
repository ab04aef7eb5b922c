/** Kernels of cuBLAS and cuFFT in the simulator: rates, first uses, and notes on its assumptions. */
import { describe, expect, it } from 'vitest';
import { libraryNotes } from '../../../core/machine/cost/libraryKernels.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import type { DeviceProfile } from '../../../core/machine/profile/profile.ts';
import { simulate } from '../../../core/machine/simulate.ts';
import { lower } from '../../../core/program/lower.ts';
import { activity } from '../../../core/trace/iteration.ts';
import { experimentOf } from '../support/experiments.ts';
import { h200 } from './toy.ts';

type Operation = object;

const buffers = ['a', 'b', 'c'].map((id) => ({ id, memory: 'device' as const, bytes: 4 * 2048 * 2048 }));
const product = (more: object = {}, stream = 's'): Operation => ({
  ...{ op: 'kernel', reads: ['a', 'b'], writes: ['c'], stream },
  kernel: { kind: 'matmul', m: 2048, n: 2048, k: 2048, ...more },
});
const fft = (size: number, stream = 's', plan: 'before-run' | 'first-use' = 'first-use'): Operation => ({
  ...{ op: 'kernel', reads: ['a'], writes: ['b'], stream },
  kernel: { kind: 'fft', size, batch: 128, plan },
});
const programOf = (...operations: Operation[]) =>
  lower(experimentOf({ buffers, streams: [{ id: 's' }, { id: 't' }] }, operations));

const measured: DeviceProfile = {
  ...h200,
  parameters: {
    ...h200.parameters,
    'matmul.float32FlopsPerSecond': 5e13,
    'matmul.tf32FlopsPerSecond': 4e14,
    'matmul.workspaceNs': 300_000,
    'fft.bytesPerSecond': 2e12,
    'fft.planNs': 200_000,
  },
};

function rowsOf(profile: DeviceProfile, ...operations: Operation[]) {
  const { trace } = simulate(programOf(...operations), profileCosts(profile));
  return Array.from({ length: trace.count }, (_, row) => activity(trace, row));
}

const kernelNs = (profile: DeviceProfile, operation: Operation): number => {
  const kernel = rowsOf(profile, operation, { op: 'synchronizeDevice' }).find(
    ({ kind, laneId }) => kind === 'kernel' && laneId.startsWith('stream:'),
  );
  return (kernel?.endNs ?? 0) - (kernel?.startNs ?? 0);
};

describe('a product', () => {
  it('takes what its arithmetic does by the rate of its type', () => {
    const flops = 2 * 2048 ** 3;
    const startNs = h200.parameters['kernel.startNs'];
    expect(kernelNs(measured, product())).toBeCloseTo(startNs + (flops / 5e13) * 1e9, 0);
    expect(kernelNs(measured, product({ tf32: true }))).toBeCloseTo(startNs + (flops / 4e14) * 1e9, 0);
  });

  it('takes no less than its memory does', () => {
    const thin = kernelNs(measured, product({ k: 1, tf32: true }));
    expect(thin).toBeGreaterThan(((4 * 2048 * 2048) / h200.parameters['kernel.deviceBytesPerSecond']) * 1e9);
  });
});

it('a transform goes over its numbers once more for each 4,096-fold', () => {
  const startNs = h200.parameters['kernel.startNs'];
  const ns = (size: number): number => kernelNs(measured, fft(size, 's', 'before-run')) - startNs;
  expect(ns(4096)).toBeCloseTo((2 * 8 * 128 * 4096 * 1e9) / 2e12, 0);
  expect(ns(8192) / ns(4096)).toBeCloseTo(4, 2);
});

describe('the first use', () => {
  const calls = (...operations: Operation[]): string[] =>
    rowsOf(measured, ...operations)
      .filter(({ kind }) => kind === 'host-call')
      .map(({ name }) => name);

  it('makes a plan for each shape and stream, and a work space for each stream', () => {
    const [plan, exec] = ['cufftMakePlanMany', 'cufftExecC2C'];
    expect(calls(fft(1024), fft(1024), fft(2048), fft(1024, 't'))).toEqual([plan, exec, exec, plan, exec, plan, exec]);
    const first = { workspace: 'first-use' };
    expect(calls(product(first), product({ ...first, tf32: true }), product(first, 't'))).toEqual([
      ...['cublasCreate', 'cublasGemmEx', 'cublasGemmEx'],
      ...['cublasCreate', 'cublasGemmEx'],
    ]);
  });

  it('the first use blocks the host for as long as the profile says, and takes no time if all was made before', () => {
    const made = rowsOf(measured, fft(1024)).find(({ name }) => name === 'cufftMakePlanMany');
    expect((made?.endNs ?? 0) - (made?.startNs ?? 0)).toBeCloseTo(200_000, 0);
    expect(calls(product(), fft(1024, 's', 'before-run'))).toEqual(['cublasGemmEx', 'cufftExecC2C']);
  });
});

it('a run says which library calls were not measured, and what is assumed instead', () => {
  const { parameters } = h200;
  const unknown: DeviceProfile = {
    ...h200,
    parameters: Object.fromEntries(
      Object.entries(parameters).filter(([name]) => !/^(matmul|fft)\./.test(name)),
    ) as DeviceProfile['parameters'],
  };
  const program = programOf(product({ tf32: true, workspace: 'first-use' }), fft(1024));
  const notes = libraryNotes(program, unknown).join('\n');
  for (const part of ['cuBLAS with TF32', 'as fast as other arithmetic is', 'cuFFT on the', 'for a plan', 'a handle']) {
    expect(notes).toContain(part);
  }
  expect(libraryNotes(program, measured)).toEqual([]);
  expect(libraryNotes(programOf({ op: 'synchronizeDevice' }), unknown)).toEqual([]);
});
