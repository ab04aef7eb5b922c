// Holds streams while a benchmark fills them, so that the device's work is timed and not the host's enqueuing.
#pragma once

#include <atomic>

#include "bench/bench_kernels.h"
#include "cuda/cuda_calls.h"
#include "executor/stop.h"

namespace copyscope::bench {

class DeviceGate {
 public:
  explicit DeviceGate(Stop& stop);

  /// Closes the gate before hold(). No stream may wait at it.
  void close();
  /// Makes later work in the stream wait until open().
  void hold(cudaStream_t stream);
  /// Releases the streams. From any thread, at any time.
  void open() noexcept;
  /// Called after the work has completed: throws a Failure `bench.gate` if the gate opened by itself.
  void requireHeld() const;

 private:
  volatile GateWords* words() const { return static_cast<volatile GateWords*>(memory_.get()); }

  Stop& stop_;
  const PinnedMemory memory_;
  void* const onDevice_;
};

}  // namespace copyscope::bench
