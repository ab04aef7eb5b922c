// Kernels that only benchmarks launch. Each launch is asynchronous and gives the launch's own error.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace copyscope::bench {

/// Two words of host memory mapped to the device.
struct GateWords {
  /// The host writes 1 to let the stream go on.
  int open;
  /// The kernel writes 1 where it waited too long and went on by itself.
  int timedOut;
};

/// Loads all kernels now, so that no launch does it later.
cudaError_t loadBenchKernels();

/// Holds its stream until `words->open` is set, at most ten seconds.
cudaError_t launchGate(cudaStream_t stream, volatile GateWords* words);

cudaError_t launchEmpty(cudaStream_t stream);

/// Writes to an address that no allocation holds. For tests of what becomes of a run then.
cudaError_t launchFault(cudaStream_t stream);

}  // namespace copyscope::bench
