#include "bench/bench_kernels.h"

#include <algorithm>

namespace copyscope::bench {
namespace {

constexpr int blockThreads = 512;
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

/// Four loads are on their way before the first store, which a link with a long latency needs.
__global__ void copyKernel(uint4* target, const uint4* source, std::uint64_t quads, unsigned tail) {
  const std::uint64_t step = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
  const std::uint64_t first = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
  std::uint64_t at = first;
  for (; at + 3 * step < quads; at += 4 * step) {
    const uint4 a = source[at];
    const uint4 b = source[at + step];
    const uint4 c = source[at + 2 * step];
    const uint4 d = source[at + 3 * step];
    target[at] = a;
    target[at + step] = b;
    target[at + 2 * step] = c;
    target[at + 3 * step] = d;
  }
  for (; at < quads; at += step) target[at] = source[at];
  if (first >= tail) return;
  reinterpret_cast<std::uint8_t*>(target + quads)[first] = reinterpret_cast<const std::uint8_t*>(source + quads)[first];
}

__global__ void emptyKernel() {}

__global__ void faultKernel(volatile int* address) { *address = 1; }

}  // namespace

cudaError_t loadBenchKernels() {
  const void* const kernels[] = {reinterpret_cast<const void*>(gateKernel), reinterpret_cast<const void*>(copyKernel),
                                 reinterpret_cast<const void*>(emptyKernel),
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

cudaError_t launchCopy(cudaStream_t stream, void* target, const void* source, std::uint64_t bytes, int blocks) {
  const std::uint64_t wanted = (bytes / 16 + blockThreads - 1) / blockThreads;
  const int grid = static_cast<int>(std::clamp<std::uint64_t>(wanted, 1, static_cast<std::uint64_t>(blocks)));
  copyKernel<<<grid, blockThreads, 0, stream>>>(static_cast<uint4*>(target), static_cast<const uint4*>(source),
                                                bytes / 16, static_cast<unsigned>(bytes % 16));
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
