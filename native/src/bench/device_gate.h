// Holds streams while a benchmark fills them, so that what is timed is the device at work and not the host enqueuing.
#pragma once

#include <atomic>

#include "bench/bench_kernels.h"
#include "cuda_calls.h"
#include "stop.h"

namespace copyscope::bench {

class DeviceGate {
 public:
  explicit DeviceGate(Stop& stop);

  /// Before hold(): closes the gate. No stream may wait at it.
  void close();
  /// Work put into the stream from now on waits until open().
  void hold(cudaStream_t stream);
  /// Lets the streams go on. From any thread, at any time.
  void open() noexcept;
  /// After the work has completed: throws a Failure `bench.gate` where the gate opened by itself.
  void requireHeld() const;

 private:
  volatile GateWords* words() const { return static_cast<volatile GateWords*>(memory_.get()); }

  Stop& stop_;
  const PinnedMemory memory_;
  void* const onDevice_;
};

}  // namespace copyscope::bench
