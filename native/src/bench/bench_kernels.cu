#include "bench/bench_kernels.h"

namespace copyscope::bench {
namespace {

constexpr std::uint64_t longestHoldNs = 10'000'000'000;

__device__ std::uint64_t deviceTime() {
  std::uint64_t time;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(time));
  return time;
}

__global__ void gateKernel(volatile GateWords* words) {
  const std::uint64_t start = deviceTime();
  while (words->open == 0) {
    if (deviceTime() - start < longestHoldNs) continue;
    words->timedOut = 1;
    return;
  }
}

__global__ void emptyKernel() {}

__global__ void faultKernel(volatile int* address) { *address = 1; }

}  // namespace

cudaError_t loadBenchKernels() {
  const void* const kernels[] = {reinterpret_cast<const void*>(gateKernel), reinterpret_cast<const void*>(emptyKernel),
                                 reinterpret_cast<const void*>(faultKernel)};
  for (const void* kernel : kernels) {
    cudaFuncAttributes attributes;
    const cudaError_t error = cudaFuncGetAttributes(&attributes, kernel);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t launchGate(cudaStream_t stream, volatile GateWords* words) {
  gateKernel<<<1, 1, 0, stream>>>(words);
  return cudaGetLastError();
}

cudaError_t launchEmpty(cudaStream_t stream) {
  emptyKernel<<<1, 1, 0, stream>>>();
  return cudaGetLastError();
}

cudaError_t launchFault(cudaStream_t stream) {
  constexpr std::uintptr_t nowhere = 0x10;
  faultKernel<<<1, 1, 0, stream>>>(reinterpret_cast<volatile int*>(nowhere));
  return cudaGetLastError();
}

}  // namespace copyscope::bench
