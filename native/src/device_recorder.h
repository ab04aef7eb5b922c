// Takes the device times of recorded iterations, one way or another.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "activity_join.h"
#include "counts.h"

namespace copyscope {

/// The handles of a program's streams, by index.
struct StreamHandles {
  const Program* program = nullptr;
  std::vector<cudaStream_t> handles;
  /// The device of each, as CUDA counts them.
  std::vector<int> ordinals;
};

class DeviceRecorder {
 public:
  DeviceRecorder() = default;
  DeviceRecorder(const DeviceRecorder&) = delete;
  DeviceRecorder& operator=(const DeviceRecorder&) = delete;
  virtual ~DeviceRecorder() = default;

  /// Called on the thread whose default stream it is, or on the run's own thread for any other stream.
  virtual void identify(int stream) = 0;
  /// Throws a Failure where recording can't begin.
  virtual void begin(const Counts& counts) = 0;
  virtual void beginIteration() = 0;
  /// Around the call that issues an operation, `position` counting those of the stream in this iteration.
  virtual void before(int stream, std::size_t position) = 0;
  virtual void after(int stream, std::size_t position) = 0;
  /// The device is idle. `issued` holds what went into each stream, in order.
  virtual void endIteration(int iteration, const std::vector<std::vector<Issued>>& issued) = 0;
  /// Adds those that are there already.
  virtual void recordedSoFar(std::vector<DeviceRow>&) const {}
  /// Adds the rows of all iterations to `rows`.
  virtual void end(std::vector<DeviceRow>& rows) = 0;

  virtual const char* timing() const = 0;
  virtual std::vector<std::string> notes() const = 0;
};

}  // namespace copyscope
