import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { shortKernelName } from '../../../core/explain/figures/kernelName.ts';

describe('the short name of a kernel', () => {
  it.each([
    ['multiply', 'multiply'],
    ['multiply 3 passes', 'multiply 3 passes'],
    ['ampere_sgemm_128x64_nn', 'ampere_sgemm_128x64_nn'],
    ['axpy(int, float const*, float*)', 'axpy'],
    [
      'void at::native::vectorized_elementwise_kernel<4, at::native::BinaryFunctor<float, float, float, at::native::binary_internal::MulFunctor<float> >, std::array<char*, 3ul> >(int, at::native::BinaryFunctor<float>, std::array<char*, 3ul>)',
      'vectorized_elementwise_kernel',
    ],
    [
      'void at::native::(anonymous namespace)::CatArrayBatchedCopy<float, unsigned int, 2, 128, 1>(float*)',
      'CatArrayBatchedCopy',
    ],
    ['void cutlass::Kernel<cutlass_80_tensorop_s1688gemm>(Params)', 'Kernel'],
    ['_ZN5aiter24add_rmsnorm_quant_kernelIDF16bDF16bLi256ELi16EEvPT0_', 'add_rmsnorm_quant_kernel'],
    ['_ZN2at6native12_GLOBAL__N_119CatArrayBatchedCopyIfEEvPf', 'CatArrayBatchedCopy'],
    ['_ZN17cutlass__5x_cudnn6KernelINS_4conv6kernelEEEvNT_6ParamsE', 'cutlass__5x_cudnn::Kernel'],
    ['_ZN99cut', '_ZN99cut'],
    ['<>', '<>'],
    ['', ''],
  ])('the short name of %j is %j', (name, short) => {
    expect(shortKernelName(name)).toBe(short);
  });

  it('a short name is never empty unless the name is, and never longer', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        const short = shortKernelName(name);
        expect(short.length).toBeGreaterThan(0);
        expect(short.length).toBeLessThanOrEqual(name.length);
      }),
    );
  });
});
