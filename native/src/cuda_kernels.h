// The kernels, and their launches. Each launch is asynchronous and gives the launch's own error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "pattern.h"

namespace copyscope {

/// What a comparison on the device adds up.
struct DeviceComparison {
  unsigned long long wrong;
  /// Offset of the first wrong byte; ~0 where none is wrong.
  unsigned long long firstWrong;
};

/// Blocks and threads of a launch. With `sharedBytes` of shared memory a block has a multiprocessor to itself.
struct KernelShape {
  int blocks = 1;
  int threads = 256;
  std::size_t sharedBytes = 0;
};

/// How a running kernel learns that it is to end: soon after the word on the host becomes non-zero.
struct StopWords {
  /// Host memory mapped to the device.
  const volatile int* onHost = nullptr;
  /// Memory of the device, zero at first; the kernel's own.
  volatile int* onDevice = nullptr;
};

/// What shapes are made of on one device.
struct KernelLimits {
  int multiprocessors = 1;
  /// Blocks of 256 threads that a multiprocessor holds at once.
  int residentBlocks = 1;
  /// A little more than half of a multiprocessor's shared memory, so that no second such block fits.
  std::size_t exclusiveBytes = 0;
};

/// Loads all kernels on the current device now, so that no launch does it later, and finds its limits.
cudaError_t loadKernels(KernelLimits* limits);
inline cudaError_t loadKernels() {
  KernelLimits unused;
  return loadKernels(&unused);
}

/// As many blocks as the device holds at once.
KernelShape wholeDevice(const KernelLimits& limits);
/// The same for a share of 1; else a block of 1,024 threads on each of the share's multiprocessors, rounded up. Blocks
/// that leave room for others would be spread over all multiprocessors, however few they are.
KernelShape shapeFor(const KernelLimits& limits, double share);
/// One thread, which leaves room for any other kernel.
KernelShape oneThread();

/// Busy for a time by %globaltimer, which ticks coarsely: what it really lasted is what is recorded.
cudaError_t launchSpin(cudaStream_t stream, std::int64_t durationNs, const KernelShape& shape, StopWords stop);

/// At least `flops` single-precision operations, rounded up to whole rounds of all threads.
cudaError_t launchArithmetic(cudaStream_t stream, std::int64_t flops, const KernelShape& shape, StopWords stop);

/// `passes` times over `bytes` (a multiple of 4): the first pass writes source * streamMultiplier to target word by
/// word, each later one multiplies the target in place. Launches no more blocks than there is work for.
cudaError_t launchStream(cudaStream_t stream, const void* source, void* target, std::uint64_t bytes,
                         std::int64_t passes, KernelShape shape, StopWords stop);

cudaError_t launchFill(cudaStream_t stream, void* target, std::uint64_t bytes, Content content, int blocks);

/// Adds to `result`, which is device memory and must have been reset.
cudaError_t launchCompare(cudaStream_t stream, const void* data, std::uint64_t bytes, Content content, int blocks,
                          DeviceComparison* result);

}  // namespace copyscope
