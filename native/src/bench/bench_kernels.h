// Kernels that only benchmarks launch. Each launch is asynchronous and returns the launch's own error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace copyscope::bench {

/// Two words of host memory mapped to the device.
struct GateWords {
  /// The host writes 1 to release the stream.
  int open;
  /// The kernel writes 1 if it waited too long and went on by itself.
  int timedOut;
};

/// Loads all kernels now, so that no launch has to.
cudaError_t loadBenchKernels();

/// Blocks its stream until `words->open` is set, at most ten seconds.
cudaError_t launchGate(cudaStream_t stream, volatile GateWords* words);

cudaError_t launchEmpty(cudaStream_t stream);

/// Writes to an address outside of all allocations. For tests of error handling.
cudaError_t launchFault(cudaStream_t stream);

}  // namespace copyscope::bench
