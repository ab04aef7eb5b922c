// The kernels, and their launches. Each launch is asynchronous and returns the launch's own error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "executor/pattern.h"

namespace copyscope {

/// Sums of a comparison on the device.
struct DeviceComparison {
  unsigned long long wrong;
  /// Offset of the first wrong byte; ~0 if none is wrong.
  unsigned long long firstWrong;
};

/// Blocks and threads of a launch. With `sharedBytes` of shared memory a block has a multiprocessor to itself.
struct KernelShape {
  int blocks = 1;
  int threads = 256;
  std::size_t sharedBytes = 0;
};

/// Words that end a running kernel soon after the word on the host becomes non-zero.
struct StopWords {
  /// Host memory mapped to the device.
  const volatile int* onHost = nullptr;
  /// Device memory of the kernel, initially zero.
  volatile int* onDevice = nullptr;
};

/// Limits of one device for shapes.
struct KernelLimits {
  int multiprocessors = 1;
  /// Number of blocks of 256 threads that a multiprocessor holds at once.
  int residentBlocks = 1;
  /// A little more than half of a multiprocessor's shared memory, so that no second such block fits.
  std::size_t exclusiveBytes = 0;
};

/// Loads all kernels on the current device now, so that no launch has to, and finds its limits.
cudaError_t loadKernels(KernelLimits* limits);
inline cudaError_t loadKernels() {
  KernelLimits unused;
  return loadKernels(&unused);
}

/// Returns as many blocks as the device holds at once.
KernelShape wholeDevice(const KernelLimits& limits);
/// Returns the whole device for a share of 1; else a block of 1,024 threads on each of the share's multiprocessors,
/// rounded up. Smaller blocks would be spread over all multiprocessors.
KernelShape shapeFor(const KernelLimits& limits, double share);
/// Returns one thread, which leaves room for any other kernel.
KernelShape oneThread();

/// Spins for a time by %globaltimer, which ticks coarsely: the actual duration is recorded.
cudaError_t launchSpin(cudaStream_t stream, std::int64_t durationNs, const KernelShape& shape, StopWords stop);

/// Does at least `flops` single-precision operations, rounded up to whole rounds of all threads.
cudaError_t launchArithmetic(cudaStream_t stream, std::int64_t flops, const KernelShape& shape, StopWords stop);

/// Makes `passes` passes over `bytes` (a multiple of 4): the first pass writes source * streamMultiplier to target word
/// by word, each later one multiplies the target in place. Launches no more blocks than there is work for.
cudaError_t launchStream(cudaStream_t stream, const void* source, void* target, std::uint64_t bytes,
                         std::int64_t passes, KernelShape shape, StopWords stop);

cudaError_t launchFill(cudaStream_t stream, void* target, std::uint64_t bytes, Content content, int blocks);

/// Adds to `result`, which is device memory and must have been reset.
cudaError_t launchCompare(cudaStream_t stream, const void* data, std::uint64_t bytes, Content content, int blocks,
                          DeviceComparison* result);

}  // namespace copyscope
