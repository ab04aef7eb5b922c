// The kernels, and their launches. Each launch is asynchronous and gives the launch's own error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "pattern.h"

namespace copyscope {

/// What a comparison on the device adds up.
struct DeviceComparison {
  unsigned long long wrong;
  /// Offset of the first wrong byte; ~0 where none is wrong.
  unsigned long long firstWrong;
};

/// Loads all kernels on the current device now, so that no launch does it later.
cudaError_t loadKernels();

/// Blocks of the spin, stream and arithmetic kernels that one multiprocessor of the current device holds at once: the
/// least of the three.
cudaError_t findResidentBlocks(int* blocks);

/// Busy for a time by %globaltimer, which ticks coarsely: what it really lasted is what is recorded. `stop` is host
/// memory mapped to the device; the kernel ends soon after it becomes non-zero. With `blocks` 0 it is one thread, which
/// leaves room for any other kernel.
cudaError_t launchSpin(cudaStream_t stream, std::int64_t durationNs, int blocks, const volatile int* stop);

/// At least `flops` single-precision operations, rounded up to whole rounds of all threads.
cudaError_t launchArithmetic(cudaStream_t stream, std::int64_t flops, int blocks, const volatile int* stop);

/// `passes` times over `bytes` (a multiple of 4): the first pass writes source * streamMultiplier to target word by
/// word, each later one multiplies the target in place. `blocks` is the most to launch.
cudaError_t launchStream(cudaStream_t stream, const void* source, void* target, std::uint64_t bytes,
                         std::int64_t passes, int blocks, const volatile int* stop);

cudaError_t launchFill(cudaStream_t stream, void* target, std::uint64_t bytes, Content content, int blocks);

/// Adds to `result`, which is device memory and must have been reset.
cudaError_t launchCompare(cudaStream_t stream, const void* data, std::uint64_t bytes, Content content, int blocks,
                          DeviceComparison* result);

}  // namespace copyscope
